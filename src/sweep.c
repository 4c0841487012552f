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
  scree_bodies *bodies; ///< borrowed, as the next three
  const scree_tiles *tiles;
  scree_contacts *contacts;
  scree_hubs *hubs;
  int32_t *order; ///< owned, scratch for the batches of a tile
  // order `random` only, all owned:
  int32_t *slot;                 ///< [contacts] 8 * batch + lane, by ids
  scree_sort_item *item, *spare; ///< [contacts]
  int32_t *level;                ///< [contacts] round in which a contact can be updated
  int32_t *line_level;           ///< [bodies] of the last contact of a body
  int32_t *by_level;             ///< [contacts]
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

static void sweep_tile(scree_sweeper *s, int32_t tile, int64_t step, int64_t sweep,
                       scree_tally *t) {
  const int32_t first = s->contacts->tile_batch[tile];
  const int32_t count = s->contacts->tile_batch[tile + 1] - first;
  scree_batch *batch = s->contacts->batch + first;
  scree_random_shuffle(s->settings.seed, SCREE_RANDOM_BATCHES, (uint64_t)step, (uint64_t)sweep,
                       s->tiles->key[tile], s->order, count);
  // The random order defeats the machine's own prefetching: ask for a batch, then for its bodies, a
  // little ahead.
  enum { far = 4, near = 2 };
  for (int32_t k = 0; k < far && k < count; k++) fetch_batch(&batch[s->order[k]]);
  for (int32_t k = 0; k < count; k++) {
    if (k + far < count) fetch_batch(&batch[s->order[k + far]]);
    if (k + near < count) fetch_bodies(&batch[s->order[k + near]], s->bodies->motion);
    update_batch(s, &batch[s->order[k]], t);
  }
}

static void sweep_tiled(scree_sweeper *s, int64_t step, int64_t sweep, scree_tally *t) {
  int32_t class_order[SCREE_CLASSES];
  scree_random_shuffle(s->settings.seed, SCREE_RANDOM_CLASSES, (uint64_t)step, (uint64_t)sweep, 0,
                       class_order, SCREE_CLASSES);
  for (int c = 0; c < SCREE_CLASSES; c++) {
    const int32_t *start = &s->tiles->class_start[class_order[c]];
    for (int32_t k = start[0]; k < start[1]; k++)
      sweep_tile(s, s->tiles->in_class[k], step, sweep, t);
  }
}

// ---- order `random` ---------------------------------------------------------

/// The contacts in the order of their ids, the base on which priorities are sorted.
static void list_contacts(scree_sweeper *s) {
  const size_t count = (size_t)s->contacts->count;
  s->slot = scree_alloc(count, sizeof *s->slot);
  s->item = scree_alloc(count, sizeof *s->item);
  s->spare = scree_alloc(count, sizeof *s->spare);
  s->level = scree_alloc(count, sizeof *s->level);
  s->by_level = scree_alloc(count, sizeof *s->by_level);
  s->line_level = scree_alloc((size_t)s->bodies->count, sizeof *s->line_level);
  scree_local n = 0;
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++)
      if (scree_batch_has(&s->contacts->batch[k], l))
        s->item[n++] = (scree_sort_item){scree_line_id(s->bodies, s->contacts->batch[k].j[l]),
                                         SCREE_LANES * k + l};
  scree_sort(s->item, s->spare, n);
  for (scree_local k = 0; k < n; k++) {
    const int32_t slot = s->item[k].value;
    s->item[k].key = s->bodies->id[s->contacts->batch[slot / SCREE_LANES].i[slot % SCREE_LANES]];
  }
  scree_sort(s->item, s->spare, n);
  for (scree_local k = 0; k < n; k++) s->slot[k] = s->item[k].value;
}

/// Contacts by their priority in this sweep.
static void sort_by_priority(scree_sweeper *s, int64_t step, int64_t sweep) {
  const scree_local n = (scree_local)s->contacts->count;
  for (scree_local k = 0; k < n; k++) {
    const scree_batch *batch = &s->contacts->batch[s->slot[k] / SCREE_LANES];
    const int l = s->slot[k] % SCREE_LANES;
    uint64_t word[4];
    scree_random(s->settings.seed, SCREE_RANDOM_PRIORITY, (uint64_t)step, (uint64_t)sweep,
                 s->bodies->id[batch->i[l]], scree_line_id(s->bodies, batch->j[l]), word);
    s->item[k] = (scree_sort_item){word[0], s->slot[k]};
  }
  scree_sort(s->item, s->spare, n);
}

/// Only the order of contacts that share a body matters: a contact's level is one above that of the
/// last contact before it at either of its bodies, and contacts of one level are independent. Fills
/// by_level; returns the number of levels, whose ends are in `level`.
static int32_t sort_by_level(scree_sweeper *s) {
  const scree_local n = (scree_local)s->contacts->count;
  memset(s->line_level, 0, (size_t)s->bodies->count * sizeof *s->line_level);
  int32_t levels = 0;
  for (scree_local k = 0; k < n; k++) {
    const scree_batch *batch = &s->contacts->batch[s->item[k].value / SCREE_LANES];
    const scree_local i = batch->i[s->item[k].value % SCREE_LANES],
                      j = batch->j[s->item[k].value % SCREE_LANES];
    int32_t here = s->line_level[i];
    if (j < s->bodies->count && s->line_level[j] > here) here = s->line_level[j];
    s->line_level[i] = here + 1;
    if (j < s->bodies->count) s->line_level[j] = here + 1;
    s->item[k].key = (uint64_t)here;
    if (here + 1 > levels) levels = here + 1;
  }
  scree_sort(s->item, s->spare, n);
  for (scree_local k = 0; k < n; k++) {
    s->by_level[k] = s->item[k].value;
    s->level[s->item[k].key] = k + 1;
  }
  return levels;
}

/// Up to eight independent contacts, wherever they are stored, through the kernel of eight.
static void update_scattered(scree_sweeper *s, const int32_t *slot, int count, scree_tally *t) {
  const scree_local dummy = s->bodies->count + s->hubs->walls->count;
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

static void sweep_random(scree_sweeper *s, int64_t step, int64_t sweep, scree_tally *t) {
  const scree_local n = (scree_local)s->contacts->count;
  sort_by_priority(s, step, sweep);
  if (s->settings.kernel == SCREE_KERNEL_SCALAR) {
    for (scree_local k = 0; k < n; k++)
      update_lane(&s->contacts->batch[s->item[k].value / SCREE_LANES],
                  s->item[k].value % SCREE_LANES, s->bodies->motion, &s->constants, t);
    return;
  }
  const int32_t levels = sort_by_level(s);
  for (int32_t level = 0, k = 0; level < levels; level++)
    while (k < s->level[level]) {
      const int32_t left = s->level[level] - k;
      const int count = left < SCREE_LANES ? left : SCREE_LANES;
      update_scattered(s, &s->by_level[k], count, t);
      k += count;
    }
}

// ---- a step -----------------------------------------------------------------

scree_sweeper *scree_sweeper_create(const scree_sweep_settings *settings, scree_bodies *bodies,
                                    const scree_tiles *tiles, scree_contacts *contacts,
                                    scree_hubs *hubs) {
  scree_sweeper *s = scree_alloc(1, sizeof *s);
  s->settings = *settings;
  s->constants = scree_shock_constants_for(settings->dimension);
  s->bodies = bodies;
  s->tiles = tiles;
  s->contacts = contacts;
  s->hubs = hubs;
  s->order = scree_alloc((size_t)contacts->most_batches, sizeof *s->order);
  if (settings->order == SCREE_ORDER_RANDOM) list_contacts(s);
  return s;
}

void scree_sweeper_destroy(scree_sweeper *s) {
  if (!s) return;
  scree_free(s->order);
  scree_free(s->slot);
  scree_free(s->item);
  scree_free(s->spare);
  scree_free(s->level);
  scree_free(s->line_level);
  scree_free(s->by_level);
  scree_free(s);
}

/// Give the bodies the impulses of the step before, tile after tile in the order of the classes.
static void warm_start(scree_sweeper *s) {
  for (int32_t k = 0; k < s->tiles->count; k++) {
    const int32_t tile = s->tiles->in_class[k];
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
  scree_hubs_warm_start(s->hubs, s->bodies);
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
  return scree_exact_value(&sum);
}

static void sweep_once(scree_sweeper *s, int64_t step, int64_t sweep, scree_tally *t) {
  if (s->settings.order == SCREE_ORDER_TILED)
    sweep_tiled(s, step, sweep, t);
  else
    sweep_random(s, step, sweep, t);
  scree_hubs_solve(s->hubs, s->bodies, t);
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
    sweep_once(s, step, result.sweeps++, &t);
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
