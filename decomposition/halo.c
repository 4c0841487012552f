/// \file
/// Halo: see scree/halo.h.
#include "scree/halo.h"

#include "scree/memory.h"
#include "sort.h"
#include "tags.h"

#include <string.h>

// ---- who holds what ---------------------------------------------------------

/// Classes in which each body is updated by this rank, as bits. Owned by the caller.
static uint8_t *find_classes(const scree_bodies *b, const scree_tiles *tiles,
                             const scree_contacts *contacts) {
  uint8_t *classes = scree_alloc((size_t)b->held, sizeof *classes);
  for (int32_t t = 0; t < tiles->count; t++) {
    const uint8_t bit = (uint8_t)(1 << tiles->key[t] % SCREE_CLASSES);
    for (int32_t k = contacts->tile_batch[t]; k < contacts->tile_batch[t + 1]; k++)
      for (int l = 0; l < SCREE_LANES; l++) {
        const scree_batch *batch = &contacts->batch[k];
        if (!scree_batch_has(batch, l)) continue;
        classes[batch->i[l]] |= bit;
        if (batch->j[l] < b->held) classes[batch->j[l]] |= bit;
      }
  }
  return classes;
}

/// From a holder to the owner: "I update your body"; from the owner to a holder: "so does that rank".
typedef struct notice {
  scree_local line;        ///< at whoever reads this
  scree_local return_line; ///< at the holder
  int rank;                ///< the rank spoken of
  uint32_t classes;        ///< in which it updates the body
} notice;

/// Ghosts that take part in a contact are reported to their owners.
static scree_mail report_ghosts(const scree_ranks *ranks, const scree_bodies *b,
                                const scree_ghosts *ghosts, const uint8_t *classes) {
  notice *out = scree_alloc((size_t)ghosts->count, sizeof *out);
  int *to = scree_alloc((size_t)ghosts->count, sizeof *to);
  int64_t count = 0;
  for (scree_local g = 0; g < ghosts->count; g++) {
    const scree_local line = b->count + g;
    if (!classes[line]) continue;
    to[count] = ghosts->owner[g];
    out[count++] = (notice){ghosts->line[g], line, ranks->rank, classes[line]};
  }
  scree_mail mail = scree_ranks_route(ranks, out, to, count, sizeof *out);
  scree_free(out);
  scree_free(to);
  return mail;
}

typedef struct answers {
  int64_t count, room;
  notice *out; ///< owned
  int *to;     ///< owned
} answers;

static void answer(answers *a, int to, notice n) {
  if (a->count == a->room) {
    a->room = a->room ? 2 * a->room : 256;
    a->out = scree_realloc(a->out, (size_t)a->room, sizeof *a->out);
    a->to = scree_realloc(a->to, (size_t)a->room, sizeof *a->to);
  }
  a->to[a->count] = to;
  a->out[a->count++] = n;
}

/// The owner tells each holder of a body, itself included, of each other one.
static scree_mail introduce_holders(const scree_ranks *ranks, const scree_mail *reports,
                                    const uint8_t *classes) {
  const scree_local n = (scree_local)reports->count;
  const notice *report = reports->item;
  scree_sort_item *item = scree_alloc((size_t)n, sizeof *item);
  scree_sort_item *scratch = scree_alloc((size_t)n, sizeof *scratch);
  for (scree_local k = 0; k < n; k++) item[k] = (scree_sort_item){(uint64_t)report[k].line, k};
  scree_sort(item, scratch, n);
  answers a = {0};
  for (scree_local first = 0, end; first < n; first = end) {
    for (end = first; end < n && item[end].key == item[first].key; end++) continue;
    const scree_local line = report[item[first].value].line;
    for (scree_local k = first; k < end; k++) {
      const notice *holder = &report[item[k].value];
      answer(&a, ranks->rank, (notice){line, 0, holder->rank, holder->classes});
      answer(&a, holder->rank, (notice){holder->return_line, 0, ranks->rank, classes[line]});
      for (scree_local m = first; m < end; m++) {
        const notice *other = &report[item[m].value];
        if (m != k)
          answer(&a, holder->rank, (notice){holder->return_line, 0, other->rank, other->classes});
      }
    }
  }
  scree_mail mail = scree_ranks_route(ranks, a.out, a.to, a.count, sizeof *a.out);
  scree_free(a.out);
  scree_free(a.to);
  scree_free(item);
  scree_free(scratch);
  return mail;
}

/// By rank, then id.
static void sort_shares(scree_halo *h) {
  scree_sort_item *item = scree_alloc((size_t)h->shares, sizeof *item);
  scree_sort_item *scratch = scree_alloc((size_t)h->shares, sizeof *scratch);
  scree_share *sorted = scree_alloc((size_t)h->shares, sizeof *sorted);
  for (int32_t k = 0; k < h->shares; k++) item[k] = (scree_sort_item){h->share[k].id, k};
  scree_sort(item, scratch, h->shares);
  for (int32_t k = 0; k < h->shares; k++) item[k].key = (uint64_t)h->share[item[k].value].rank;
  scree_sort(item, scratch, h->shares);
  for (int32_t k = 0; k < h->shares; k++) sorted[k] = h->share[item[k].value];
  scree_free(h->share);
  h->share = sorted;
  scree_free(item);
  scree_free(scratch);
}

static void number_slots(scree_halo *h) {
  const scree_local held = h->bodies->held;
  h->slot_of = scree_alloc((size_t)held, sizeof *h->slot_of);
  for (scree_local i = 0; i < held; i++) h->slot_of[i] = -1;
  for (int32_t k = 0; k < h->shares; k++) h->slot_of[h->share[k].line] = 0;
  h->line = scree_alloc((size_t)h->shares, sizeof *h->line);
  for (scree_local i = 0; i < held; i++) {
    if (h->slot_of[i] < 0) continue;
    h->line[h->slots] = i;
    h->slot_of[i] = h->slots++;
  }
  for (int32_t k = 0; k < h->shares; k++) h->share[k].slot = h->slot_of[h->share[k].line];
}

static void find_shares(scree_halo *h, const scree_tiles *tiles, const scree_contacts *contacts,
                        const scree_ghosts *ghosts) {
  const scree_bodies *b = h->bodies;
  uint8_t *classes = find_classes(b, tiles, contacts);
  scree_mail reports = report_ghosts(h->ranks, b, ghosts, classes);
  scree_mail holders = introduce_holders(h->ranks, &reports, classes);
  SCREE_CHECK(holders.count < INT32_MAX, "more than 2^31 shared bodies on one rank");
  h->shares = (int32_t)holders.count;
  h->share = scree_alloc((size_t)h->shares, sizeof *h->share);
  for (int32_t k = 0; k < h->shares; k++) {
    const notice *n = &((const notice *)holders.item)[k];
    const bool owns = n->line < b->count;
    h->share[k] = (scree_share){.id = b->id[n->line],
                                .line = n->line,
                                .rank = n->rank,
                                .owns = owns,
                                .owned = !owns && ghosts->owner[n->line - b->count] == n->rank,
                                .mine = classes[n->line],
                                .their = (uint8_t)n->classes};
  }
  scree_mail_free(&reports);
  scree_mail_free(&holders);
  scree_free(classes);
  sort_shares(h);
  number_slots(h);
  h->neighbour = scree_alloc((size_t)h->shares, sizeof *h->neighbour);
  for (int32_t k = 0; k < h->shares; k++)
    if (k == 0 || h->share[k].rank != h->share[k - 1].rank)
      h->neighbour[h->neighbours++] = h->share[k].rank;
}

// ---- lists of a phase -------------------------------------------------------

int scree_halo_fields(const scree_bodies *b) {
  return b->dimension == 2 ? 3 : 6;
}

/// Whether the body travels in `phase`, from this rank or to it.
static bool travels(const scree_share *s, int phase, bool outward) {
  if (phase == SCREE_HALO_HUBS) return outward ? s->owns : s->owned;
  const uint8_t writer = outward ? s->mine : s->their;
  return phase == SCREE_HALO_SWEEP ? writer != 0 : (writer >> phase & 1) != 0;
}

static scree_halo_list make_list(const scree_halo *h, int phase, bool outward) {
  scree_halo_list l = {.start = scree_alloc((size_t)h->neighbours + 1, sizeof *l.start),
                       .request = scree_alloc((size_t)h->neighbours, sizeof(MPI_Request))};
  const int fields = scree_halo_fields(h->bodies);
  int64_t count = 0;
  for (int32_t k = 0; k < h->shares; k++) count += travels(&h->share[k], phase, outward);
  l.line = scree_alloc((size_t)count, sizeof *l.line);
  l.buffer = scree_alloc((size_t)(count * fields), sizeof *l.buffer);
  int64_t end = 0;
  for (int32_t k = 0; k < h->shares;) {
    const int rank = h->share[k].rank;
    const int64_t first = end;
    for (; k < h->shares && h->share[k].rank == rank; k++)
      if (travels(&h->share[k], phase, outward)) l.line[end++] = h->share[k].line;
    if (end == first) continue;
    double *at = l.buffer + first * fields;
    const int length = (int)(end - first) * fields, tag = SCREE_TAG_HALO + phase;
    MPI_Request *request = &l.request[l.messages];
    if (outward)
      SCREE_MPI(MPI_Send_init(at, length, MPI_DOUBLE, rank, tag, h->ranks->comm, request));
    else
      SCREE_MPI(MPI_Recv_init(at, length, MPI_DOUBLE, rank, tag, h->ranks->comm, request));
    l.start[++l.messages] = end;
  }
  return l;
}

static void free_list(scree_halo_list *l) {
  if (!l->start) return;
  SCREE_MPI(MPI_Waitall(l->messages, l->request, MPI_STATUSES_IGNORE));
  for (int k = 0; k < l->messages; k++) SCREE_MPI(MPI_Request_free(&l->request[k]));
  scree_free(l->start);
  scree_free(l->line);
  scree_free(l->buffer);
  scree_free(l->request);
}

/// A tile is at the border if one of its contacts touches a shared body.
static void mark_border(const scree_halo *h, scree_tiles *tiles, const scree_contacts *contacts) {
  bool *border = scree_alloc((size_t)tiles->count, sizeof *border);
  for (int32_t t = 0; t < tiles->count; t++)
    for (int32_t k = contacts->tile_batch[t]; k < contacts->tile_batch[t + 1]; k++)
      for (int l = 0; l < SCREE_LANES; l++) {
        const scree_batch *batch = &contacts->batch[k];
        const scree_local j = batch->j[l];
        if (scree_batch_has(batch, l))
          border[t] |= h->slot_of[batch->i[l]] >= 0 || (j < h->bodies->held && h->slot_of[j] >= 0);
      }
  scree_tiles_border_first(tiles, border);
  scree_free(border);
}

static bool uses(const scree_halo *h, int phase) {
  if (h->neighbours == 0) return false;
  if (phase == SCREE_HALO_HUBS) return true;
  return (phase == SCREE_HALO_SWEEP) == (h->exchange == SCREE_EXCHANGE_LAGGED);
}

scree_halo *scree_halo_create(const scree_ranks *ranks, scree_bodies *bodies, scree_tiles *tiles,
                              const scree_contacts *contacts, const scree_ghosts *ghosts,
                              scree_exchange exchange, scree_timer *timer) {
  scree_halo *h = scree_alloc(1, sizeof *h);
  h->ranks = ranks;
  h->bodies = bodies;
  h->timer = timer;
  h->exchange = exchange;
  if (ranks->size == 1) return h;
  find_shares(h, tiles, contacts, ghosts);
  mark_border(h, tiles, contacts);
  for (int phase = 0; phase < SCREE_HALO_PHASES; phase++) {
    if (!uses(h, phase)) continue;
    h->send[phase] = make_list(h, phase, true);
    h->receive[phase] = make_list(h, phase, false);
  }
  const size_t numbers = (size_t)h->slots * (size_t)scree_halo_fields(bodies);
  if (exchange == SCREE_EXCHANGE_LAGGED) {
    h->before = scree_alloc(numbers, sizeof *h->before);
    h->sum = scree_alloc(numbers, sizeof *h->sum);
  }
  return h;
}

void scree_halo_destroy(scree_halo *h) {
  if (!h) return;
  for (int phase = 0; phase < SCREE_HALO_PHASES; phase++) {
    free_list(&h->send[phase]);
    free_list(&h->receive[phase]);
  }
  scree_free(h->neighbour);
  scree_free(h->share);
  scree_free(h->line);
  scree_free(h->slot_of);
  scree_free(h->before);
  scree_free(h->sum);
  scree_free(h);
}

// ---- messages ---------------------------------------------------------------

/// Velocity and spin of a body; in two dimensions those that are not always zero.
static void read_motion(const scree_motion *m, int fields, double *to) {
  if (fields == 3) {
    to[0] = m->velocity.x;
    to[1] = m->velocity.y;
    to[2] = m->spin.z;
    return;
  }
  memcpy(to, &m->velocity, sizeof m->velocity);
  memcpy(to + 3, &m->spin, sizeof m->spin);
}

static void write_motion(scree_motion *m, int fields, const double *from) {
  if (fields == 3) {
    m->velocity.x = from[0];
    m->velocity.y = from[1];
    m->spin.z = from[2];
    return;
  }
  memcpy(&m->velocity, from, sizeof m->velocity);
  memcpy(&m->spin, from + 3, sizeof m->spin);
}

/// Inside the sweeps the clock runs for the halo while it works or waits.
static void clock_to(scree_halo *h, scree_phase phase) {
  if (h->timer) scree_timer_switch(h->timer, phase);
}

void scree_halo_expect(scree_halo *h, int phase) {
  scree_halo_list *l = &h->receive[phase];
  if (!uses(h, phase) || l->messages == 0) return;
  clock_to(h, SCREE_PHASE_HALO);
  SCREE_MPI(MPI_Startall(l->messages, l->request));
  clock_to(h, SCREE_PHASE_SWEEPS);
}

void scree_halo_send(scree_halo *h, int phase) {
  scree_halo_list *l = &h->send[phase];
  if (!uses(h, phase) || l->messages == 0) return;
  clock_to(h, SCREE_PHASE_HALO);
  const int fields = scree_halo_fields(h->bodies);
  // The messages of the sweep before have long arrived; MPI wants to be asked.
  SCREE_MPI(MPI_Waitall(l->messages, l->request, MPI_STATUSES_IGNORE));
  const int64_t count = l->start[l->messages];
  for (int64_t k = 0; k < count; k++)
    read_motion(&h->bodies->motion[l->line[k]], fields, l->buffer + k * fields);
  SCREE_MPI(MPI_Startall(l->messages, l->request));
  h->counts.messages += l->messages;
  h->counts.bytes += count * fields * (int64_t)sizeof *l->buffer;
  clock_to(h, SCREE_PHASE_SWEEPS);
}

void scree_halo_finish(scree_halo *h, int phase) {
  scree_halo_list *l = &h->receive[phase];
  if (!uses(h, phase) || l->messages == 0) return;
  clock_to(h, SCREE_PHASE_HALO);
  const int fields = scree_halo_fields(h->bodies);
  SCREE_MPI(MPI_Waitall(l->messages, l->request, MPI_STATUSES_IGNORE));
  for (int64_t k = 0; phase != SCREE_HALO_SWEEP && k < l->start[l->messages]; k++)
    write_motion(&h->bodies->motion[l->line[k]], fields, l->buffer + k * fields);
  clock_to(h, SCREE_PHASE_SWEEPS);
}

// ---- exchange `lagged` ------------------------------------------------------

void scree_halo_sweep_begin(scree_halo *h) {
  if (!uses(h, SCREE_HALO_SWEEP)) return;
  const int fields = scree_halo_fields(h->bodies);
  for (int32_t s = 0; s < h->slots; s++)
    read_motion(&h->bodies->motion[h->line[s]], fields, h->before + s * fields);
}

/// Add what one rank has changed of the body in `slot`.
static void add_change(scree_halo *h, int32_t slot, int fields, const double *now) {
  const double *before = h->before + slot * fields;
  double *sum = h->sum + slot * fields;
  for (int f = 0; f < fields; f++) sum[f] += now[f] - before[f];
}

/// Changes of the ranks from `first` on below `end`.
static void add_received(scree_halo *h, int first, int end, int fields) {
  const scree_halo_list *l = &h->receive[SCREE_HALO_SWEEP];
  const double *at = l->buffer;
  for (int32_t k = 0; k < h->shares; k++) {
    const scree_share *s = &h->share[k];
    if (!travels(s, SCREE_HALO_SWEEP, false)) continue;
    if (s->rank >= first && s->rank < end) add_change(h, s->slot, fields, at);
    at += fields;
  }
}

void scree_halo_sweep_end(scree_halo *h) {
  if (!uses(h, SCREE_HALO_SWEEP)) return;
  const int fields = scree_halo_fields(h->bodies);
  scree_halo_expect(h, SCREE_HALO_SWEEP);
  scree_halo_send(h, SCREE_HALO_SWEEP);
  scree_halo_finish(h, SCREE_HALO_SWEEP);
  // In the order of ranks, own changes included, so that all holders end with the same bits.
  memcpy(h->sum, h->before, (size_t)(h->slots * fields) * sizeof *h->sum);
  add_received(h, 0, h->ranks->rank, fields);
  for (int32_t s = 0; s < h->slots; s++) {
    double now[6];
    read_motion(&h->bodies->motion[h->line[s]], fields, now);
    add_change(h, s, fields, now);
  }
  add_received(h, h->ranks->rank + 1, h->ranks->size, fields);
  for (int32_t s = 0; s < h->slots; s++)
    write_motion(&h->bodies->motion[h->line[s]], fields, h->sum + s * fields);
}

// ---- validity ---------------------------------------------------------------

/// What an owner tells the holders of a body.
typedef struct statement {
  scree_global id;
  scree_motion motion;
  scree_vec position, listed;
} statement;

static int64_t wrong_copies(const scree_halo *h) {
  const scree_bodies *b = h->bodies;
  statement *out = scree_alloc((size_t)h->shares, sizeof *out);
  int *to = scree_alloc((size_t)h->shares, sizeof *to);
  int64_t count = 0, wrong = 0;
  for (int32_t k = 0; k < h->shares; k++) {
    const scree_share *s = &h->share[k];
    if (!s->owns) continue;
    to[count] = s->rank;
    out[count++] = (statement){s->id, b->motion[s->line], b->position[s->line], b->listed[s->line]};
  }
  scree_mail mail = scree_ranks_route(h->ranks, out, to, count, sizeof *out);
  // Mail comes by rank, each rank's by id: the order of the shares.
  int64_t next = 0;
  for (int32_t k = 0; k < h->shares; k++) {
    const scree_share *s = &h->share[k];
    if (!s->owned) continue;
    const statement here = {s->id, b->motion[s->line], b->position[s->line], b->listed[s->line]};
    wrong += next >= mail.count ||
             memcmp(&here, &((const statement *)mail.item)[next], sizeof here) != 0;
    next++;
  }
  wrong += next != mail.count;
  scree_mail_free(&mail);
  scree_free(out);
  scree_free(to);
  return wrong;
}

bool scree_halo_is_valid(const scree_halo *h, const scree_contacts *contacts,
                         const scree_ghosts *ghosts) {
  if (h->ranks->size == 1) return true;
  const scree_bodies *b = h->bodies;
  int64_t wrong = wrong_copies(h);
  uint8_t *written = scree_alloc((size_t)h->slots, sizeof *written);
  for (int32_t k = 0; k < h->shares; k++) {
    wrong += (h->share[k].mine & h->share[k].their) != 0;
    wrong += (written[h->share[k].slot] & h->share[k].their) != 0;
    written[h->share[k].slot] |= h->share[k].their;
  }
  for (int32_t k = 0; k < contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &contacts->batch[k];
      if (!scree_batch_has(batch, l)) continue;
      const scree_local j = batch->j[l];
      wrong += batch->i[l] >= b->count;
      wrong += j >= b->count && j < b->held && h->slot_of[j] < 0;
    }
  for (scree_local g = 0; g < ghosts->count; g++)
    wrong += ghosts->owner[g] == h->ranks->rank ||
             (g > 0 && b->id[b->count + g] <= b->id[b->count + g - 1]);
  scree_free(written);
  scree_ranks_sum(h->ranks, &wrong, 1);
  return wrong == 0;
}
