/// \file
/// Sweeps: in which order contacts are updated, by which kernel, and when to stop. See
/// scree/sweep.h; the law itself is in shock.h.
#include "scree/sweep.h"

#include "random.h"
#include "scree/check.h"
#include "scree/exact_sum.h"
#include "scree/memory.h"
#include "shock.h"
#include "sort.h"

#include <math.h>
#include <string.h>

struct scree_sweeper {
  scree_sweep_settings settings;
  scree_shock_constants constants;
  scree_bodies *bodies; ///< borrowed, as the next four
  const scree_tiles *tiles;
  scree_contacts *contacts;
  scree_hubs *hubs;
  scree_halo *halo;
  int32_t *order; ///< owned, scratch for the batches of a tile
  // order `random` only, all owned:
  scree_rounds *rounds;
  scree_sort_item *item, *spare; ///< [entries] those not yet passed, by priority
  int32_t *ready;                ///< [contacts] slots of the contacts of a round
  int32_t *level_end;            ///< [contacts] end of each level in `ready`
  int32_t *line_level;           ///< [bodies] of the last contact of a body
  int32_t *waits;                ///< [bodies] round in which a contact of the body had to wait
};

// ---- one batch --------------------------------------------------------------

static inline void update_lane(scree_batch *batch, int l, scree_motion *motion,
                               const scree_shock_constants *k, scree_tally *t) {
  if (!scree_batch_has(batch, l)) return;
  scree_contact_1 c = scree_batch_get(batch, l);
  const double change = scree_shock_1((scree_body_1 *)&motion[batch->i[l]],
                                      (scree_body_1 *)&motion[batch->j[l]], &c, k);
  scree_batch_put_impulse(batch, l, &c);
  if (t->wanted) scree_tally_count(t, change, c.px * c.px + c.py * c.py + c.pz * c.pz);
}

static inline void load(scree_contact_8 *c, const scree_batch *b) {
  memcpy(c, b->row, sizeof *c);
}

_Static_assert(sizeof(scree_contact_8) == 8 * 64 &&
                   offsetof(scree_batch, mass) - offsetof(scree_batch, nx) ==
                       offsetof(scree_contact_8, mass),
               "a batch holds its contacts as the law wants them");

static inline void update_lanes(scree_batch *batch, scree_motion *motion,
                                const scree_shock_constants *k, scree_tally *t) {
  scree_body_8 a, b;
  scree_contact_8 c;
  scree_bodies_gather(&a, motion, batch->i);
  scree_bodies_gather(&b, motion, batch->j);
  load(&c, batch);
  const scree_lanes change = scree_shock_8(&a, &b, &c, k);
  memcpy(batch->row[3], &c.px, 3 * sizeof c.px);
  scree_bodies_scatter(&a, motion, batch->i);
  scree_bodies_scatter(&b, motion, batch->j);
  if (!t->wanted) return;
  const scree_lanes square = c.px * c.px + c.py * c.py + c.pz * c.pz;
  for (int l = 0; l < SCREE_LANES; l++) scree_tally_count(t, change[l], square[l]);
}

static inline void update_batch(scree_sweeper *s, scree_batch *batch, scree_tally *t) {
  scree_motion *motion = s->bodies->motion;
  if (s->settings.kernel == SCREE_KERNEL_LANES) {
    update_lanes(batch, motion, &s->constants, t);
  } else {
    for (int l = 0; l < SCREE_LANES; l++) update_lane(batch, l, motion, &s->constants, t);
  }
}

// ---- order `tiled` ----------------------------------------------------------

static inline void fetch_bodies(const scree_batch *batch, const scree_motion *motion) {
  for (int l = 0; l < SCREE_LANES; l++) {
    __builtin_prefetch(&motion[batch->i[l]], 1);
    __builtin_prefetch(&motion[batch->j[l]], 1);
  }
}

static inline void fetch_batch(const scree_batch *batch) {
  for (size_t line = 0; line < sizeof *batch / 64; line++)
    __builtin_prefetch((const char *)batch + 64 * line, 1);
}

/// A sweep of which the parts know: its number, and what the stopping rule asks.
typedef struct pass {
  int64_t step, sweep;
  scree_tally *tally;
} pass;

static void sweep_tile(scree_sweeper *s, int32_t tile, const pass *p) {
  const int32_t first = s->contacts->tile_batch[tile];
  const int32_t count = s->contacts->tile_batch[tile + 1] - first;
  scree_batch *batch = s->contacts->batch + first;
  scree_random_shuffle(s->settings.seed, SCREE_RANDOM_BATCHES, (uint64_t)p->step,
                       (uint64_t)p->sweep, s->tiles->key[tile], s->order, count);
  // The random order defeats the machine's own prefetching: ask for a batch, then for its bodies, a
  // little ahead.
  enum { far = 4, near = 2 };
  for (int32_t k = 0; k < far && k < count; k++) fetch_batch(&batch[s->order[k]]);
  for (int32_t k = 0; k < count; k++) {
    if (k + far < count) fetch_batch(&batch[s->order[k + far]]);
    if (k + near < count) fetch_bodies(&batch[s->order[k + near]], s->bodies->motion);
    update_batch(s, &batch[s->order[k]], p->tally);
  }
}

/// Do `work` on every tile of a class: first at the border, then inside while the messages travel.
static void visit_class(scree_sweeper *s, int c,
                        void (*work)(scree_sweeper *, int32_t tile, const pass *), const pass *p) {
  const scree_tiles *t = s->tiles;
  scree_halo_expect(s->halo, c);
  for (int32_t k = t->class_start[c]; k < t->border_end[c]; k++) work(s, t->in_class[k], p);
  scree_halo_send(s->halo, c);
  for (int32_t k = t->border_end[c]; k < t->class_start[c + 1]; k++) work(s, t->in_class[k], p);
  scree_halo_finish(s->halo, c);
}

static void sweep_tiled(scree_sweeper *s, const pass *p) {
  int32_t class_order[SCREE_CLASSES];
  scree_random_shuffle(s->settings.seed, SCREE_RANDOM_CLASSES, (uint64_t)p->step,
                       (uint64_t)p->sweep, 0, class_order, SCREE_CLASSES);
  for (int c = 0; c < SCREE_CLASSES; c++) visit_class(s, class_order[c], sweep_tile, p);
}

// ---- order `random` ---------------------------------------------------------

/// Contacts by their priority in this sweep.
static void sort_by_priority(scree_sweeper *s, const pass *p) {
  const scree_local n = s->rounds->count;
  for (scree_local k = 0; k < n; k++) {
    const scree_entry *e = &s->rounds->entry[k];
    uint64_t word[4];
    scree_random(s->settings.seed, SCREE_RANDOM_PRIORITY, (uint64_t)p->step, (uint64_t)p->sweep,
                 e->low, e->high, word);
    s->item[k] = (scree_sort_item){word[0], k};
  }
  scree_sort(s->item, s->spare, n);
}

/// Go along the contacts that are left, `*left` of them, in their order: those that are ready go to `ready`,
/// the others wait, and with them all that follow at their bodies. `*own` is how many own contacts wait.
/// Returns how many are ready.
static int32_t find_ready(scree_sweeper *s, int32_t round, scree_local *left, int64_t *own) {
  const scree_local n = *left;
  int32_t ready = 0;
  *left = 0;
  *own = 0;
  for (scree_local k = 0; k < n; k++) {
    const scree_entry *e = &s->rounds->entry[s->item[k].value];
    const bool waits = (e->i >= 0 && s->waits[e->i] == round) ||
                       (e->j >= 0 && s->waits[e->j] == round) || !scree_rounds_ready(s->rounds, e);
    if (waits) {
      if (e->i >= 0) s->waits[e->i] = round;
      if (e->j >= 0) s->waits[e->j] = round;
      s->item[(*left)++] = s->item[k];
      *own += e->slot >= 0;
      continue;
    }
    scree_rounds_pass(s->rounds, e);
    if (e->slot >= 0) s->ready[ready++] = e->slot;
  }
  return ready;
}

/// Only the order of contacts that share a body matters: a contact's level is one above that of the
/// last contact before it at either of its bodies, and contacts of one level are independent. Sorts
/// `ready` by level; returns the number of levels.
static int32_t sort_by_level(scree_sweeper *s, int32_t count) {
  const scree_bodies *b = s->bodies;
  scree_sort_item *item = s->spare, *scratch = s->spare + s->contacts->count;
  memset(s->line_level, 0, (size_t)b->held * sizeof *s->line_level);
  int32_t levels = 0;
  for (int32_t k = 0; k < count; k++) {
    const scree_batch *batch = &s->contacts->batch[s->ready[k] / SCREE_LANES];
    const scree_local i = batch->i[s->ready[k] % SCREE_LANES],
                      j = batch->j[s->ready[k] % SCREE_LANES];
    int32_t here = s->line_level[i];
    if (j < b->held && s->line_level[j] > here) here = s->line_level[j];
    s->line_level[i] = here + 1;
    if (j < b->held) s->line_level[j] = here + 1;
    item[k] = (scree_sort_item){(uint64_t)here, s->ready[k]};
    if (here + 1 > levels) levels = here + 1;
  }
  scree_sort(item, scratch, count);
  for (int32_t k = 0; k < count; k++) {
    s->ready[k] = item[k].value;
    s->level_end[item[k].key] = k + 1;
  }
  return levels;
}

/// Up to eight independent contacts, wherever they are stored, through the kernel of eight.
static void update_scattered(scree_sweeper *s, const int32_t *slot, int count, scree_tally *t) {
  const scree_local dummy = s->bodies->held + s->hubs->walls->count;
  scree_batch together = {0};
  for (int l = 0; l < SCREE_LANES; l++) together.i[l] = together.j[l] = dummy;
  for (int l = 0; l < count; l++) {
    const scree_batch *from = &s->contacts->batch[slot[l] / SCREE_LANES];
    const int lane = slot[l] % SCREE_LANES;
    together.i[l] = from->i[lane];
    together.j[l] = from->j[lane];
    for (int row = 0; row < 8; row++) together.row[row][l] = from->row[row][lane];
  }
  update_lanes(&together, s->bodies->motion, &s->constants, t);
  for (int l = 0; l < count; l++) {
    const scree_contact_1 c = scree_batch_get(&together, l);
    scree_batch_put_impulse(&s->contacts->batch[slot[l] / SCREE_LANES], slot[l] % SCREE_LANES, &c);
  }
}

static void update_ready(scree_sweeper *s, int32_t count, scree_tally *t) {
  if (s->settings.kernel == SCREE_KERNEL_SCALAR) {
    for (int32_t k = 0; k < count; k++)
      update_lane(&s->contacts->batch[s->ready[k] / SCREE_LANES], s->ready[k] % SCREE_LANES,
                  s->bodies->motion, &s->constants, t);
    return;
  }
  const int32_t levels = sort_by_level(s, count);
  for (int32_t level = 0, k = 0; level < levels; level++)
    while (k < s->level_end[level]) {
      const int32_t left = s->level_end[level] - k;
      const int together = left < SCREE_LANES ? left : SCREE_LANES;
      update_scattered(s, &s->ready[k], together, t);
      k += together;
    }
}

/// Returns the rounds it took.
static int64_t sweep_random(scree_sweeper *s, const pass *p) {
  scree_local left = s->rounds->count;
  sort_by_priority(s, p);
  scree_rounds_begin(s->rounds);
  memset(s->waits, 0, (size_t)s->bodies->held * sizeof *s->waits);
  int32_t round = 0;
  int64_t own;
  do {
    update_ready(s, find_ready(s, ++round, &left, &own), p->tally);
  } while (scree_rounds_exchange(s->rounds, own));
  return round;
}

// ---- a step -----------------------------------------------------------------

static void create_random(scree_sweeper *s) {
  s->rounds = scree_rounds_create(s->halo, s->contacts);
  const size_t contacts = (size_t)s->contacts->count, entries = (size_t)s->rounds->count;
  s->item = scree_alloc(entries, sizeof *s->item);
  s->spare = scree_alloc(2 * entries, sizeof *s->spare);
  s->ready = scree_alloc(contacts, sizeof *s->ready);
  s->level_end = scree_alloc(contacts, sizeof *s->level_end);
  s->line_level = scree_alloc((size_t)s->bodies->held, sizeof *s->line_level);
  s->waits = scree_alloc((size_t)s->bodies->held, sizeof *s->waits);
}

scree_sweeper *scree_sweeper_create(const scree_sweep_settings *settings, scree_bodies *bodies,
                                    const scree_tiles *tiles, scree_contacts *contacts,
                                    scree_hubs *hubs, scree_halo *halo) {
  scree_sweeper *s = scree_alloc(1, sizeof *s);
  s->settings = *settings;
  s->constants = scree_shock_constants_for(settings->dimension);
  s->bodies = bodies;
  s->tiles = tiles;
  s->contacts = contacts;
  s->hubs = hubs;
  s->halo = halo;
  s->order = scree_alloc((size_t)contacts->most_batches, sizeof *s->order);
  if (settings->order == SCREE_ORDER_RANDOM) create_random(s);
  return s;
}

void scree_sweeper_destroy(scree_sweeper *s) {
  if (!s) return;
  scree_free(s->order);
  scree_rounds_destroy(s->rounds);
  scree_free(s->item);
  scree_free(s->spare);
  scree_free(s->ready);
  scree_free(s->level_end);
  scree_free(s->line_level);
  scree_free(s->waits);
  scree_free(s);
}

static void push_tile(scree_sweeper *s, int32_t tile, const pass *p) {
  (void)p;
  for (int32_t b = s->contacts->tile_batch[tile]; b < s->contacts->tile_batch[tile + 1]; b++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &s->contacts->batch[b];
      if (!scree_batch_has(batch, l)) continue;
      const scree_contact_1 c = scree_batch_get(batch, l);
      scree_push_1((scree_body_1 *)&s->bodies->motion[batch->i[l]],
                   (scree_body_1 *)&s->bodies->motion[batch->j[l]], &c, c.px, c.py, c.pz,
                   &s->constants);
    }
}

/// The contacts of hubs belong to the owners of the bodies, who then tell the others.
static void tell_of_hubs(scree_sweeper *s) {
  if (s->hubs->count == 0) return;
  scree_halo_expect(s->halo, SCREE_HALO_HUBS);
  scree_halo_send(s->halo, SCREE_HALO_HUBS);
  scree_halo_finish(s->halo, SCREE_HALO_HUBS);
}

/// Give the bodies the impulses of the step before, class after class.
static void warm_start(scree_sweeper *s) {
  scree_halo_sweep_begin(s->halo);
  for (int c = 0; c < SCREE_CLASSES; c++) visit_class(s, c, push_tile, NULL);
  scree_halo_sweep_end(s->halo);
  scree_hubs_warm_start(s->hubs, s->bodies);
  tell_of_hubs(s);
}

/// Sum of |P| over all contacts, for the global rule.
static double sum_of_impulses(const scree_sweeper *s) {
  scree_exact sum = {0};
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_contact_1 c = scree_batch_get(&s->contacts->batch[k], l);
      scree_exact_add(&sum, sqrt(c.px * c.px + c.py * c.py + c.pz * c.pz));
    }
  for (int h = 0; h < s->hubs->count; h++)
    for (int32_t k = 0; k < s->hubs->hub[h].count; k++) {
      const scree_vec p = s->hubs->hub[h].contact[k].impulse;
      scree_exact_add(&sum, sqrt(scree_vec_dot(p, p)));
    }
  scree_ranks_exact(s->hubs->ranks, &sum, 1);
  return scree_exact_value(&sum);
}

/// What all ranks found in a sweep.
static void add_ranks(const scree_ranks *ranks, scree_tally *t) {
  if (!t->wanted) return;
  scree_ranks_max(ranks, &t->largest, 1);
  scree_ranks_sum(ranks, &t->violations, 1);
}

/// Returns the rounds it took.
static int64_t sweep_once(scree_sweeper *s, const pass *p) {
  int64_t rounds = 1;
  scree_halo_sweep_begin(s->halo);
  if (s->settings.order == SCREE_ORDER_TILED)
    sweep_tiled(s, p);
  else
    rounds = sweep_random(s, p);
  scree_halo_sweep_end(s->halo);
  scree_hubs_solve(s->hubs, s->bodies, p->tally);
  tell_of_hubs(s);
  add_ranks(s->hubs->ranks, p->tally);
  return rounds;
}

scree_sweep_result scree_sweeper_solve(scree_sweeper *s, int64_t step) {
  const scree_stop *stop = &s->settings.stop;
  scree_sweep_result result = {.converged = stop->rule == SCREE_STOP_FIXED};
  warm_start(s);
  double before = stop->rule == SCREE_STOP_GLOBAL ? sum_of_impulses(s) : 0;
  while (result.sweeps < stop->most) {
    scree_tally t = {.wanted = stop->rule == SCREE_STOP_LOCAL || stop->rule == SCREE_STOP_GLOBAL ||
                               result.sweeps == stop->most - 1,
                     .epsilon = stop->epsilon,
                     .cutoff = stop->cutoff * s->settings.time_step};
    const pass p = {step, result.sweeps++, &t};
    const int64_t rounds = sweep_once(s, &p);
    result.rounds += rounds;
    if (rounds > result.most_rounds) result.most_rounds = rounds;
    result.largest_change = sqrt(t.largest);
    if (stop->rule == SCREE_STOP_LOCAL && t.violations == 0) result.converged = true;
    if (stop->rule == SCREE_STOP_GLOBAL) {
      const double now = sum_of_impulses(s);
      result.converged =
          !(fabs(now - before) > stop->epsilon * now); // also when it is no number any more
      before = now;
    }
    if (result.converged && stop->rule != SCREE_STOP_FIXED) break;
  }
  return result;
}
