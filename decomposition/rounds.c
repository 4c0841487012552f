/// \file
/// Order `random` on ranks: see scree/rounds.h.
#include "scree/rounds.h"

#include "scree/memory.h"
#include "sort.h"
#include "tags.h"

#include <string.h>

// ---- the entries ------------------------------------------------------------

typedef struct pair {
  scree_global low, high;
} pair;

/// First share of each slot, in a list of shares by slot. Both owned by the caller.
static int32_t *shares_by_slot(const scree_halo *h, int32_t **list) {
  int32_t *start = scree_alloc((size_t)h->slots + 1, sizeof *start);
  int32_t *next = scree_alloc((size_t)h->slots + 1, sizeof *next);
  *list = scree_alloc((size_t)h->shares, sizeof **list);
  for (int32_t k = 0; k < h->shares; k++) start[h->share[k].slot + 1]++;
  for (int32_t s = 0; s < h->slots; s++) start[s + 1] += start[s];
  memcpy(next, start, (size_t)h->slots * sizeof *next);
  for (int32_t k = 0; k < h->shares; k++) (*list)[next[h->share[k].slot]++] = k;
  scree_free(next);
  return start;
}

static int32_t slot_of(const scree_halo *h, scree_local line) {
  return h->slot_of && line >= 0 ? h->slot_of[line] : -1;
}

/// The rank's own contacts; `more` entries of room stay behind them.
static void list_own(scree_rounds *r, const scree_contacts *c) {
  const scree_bodies *b = r->halo->bodies;
  for (int32_t k = 0; k < c->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &c->batch[k];
      if (!scree_batch_has(batch, l)) continue;
      const scree_local j = batch->j[l];
      r->entry[r->count++] = (scree_entry){.low = b->id[batch->i[l]],
                                           .high = scree_line_id(b, j),
                                           .i = batch->i[l],
                                           .j = j < b->held ? j : -1,
                                           .slot = SCREE_LANES * k + l};
    }
}

/// Own contacts at shared bodies go to everybody who holds one of these bodies, once.
static scree_mail tell_others(const scree_rounds *r) {
  const scree_halo *h = r->halo;
  int32_t *list, *start = shares_by_slot(h, &list);
  int64_t count = 0;
  pair *out = NULL;
  int *to = NULL;
  for (int writing = 0; writing < 2; writing++) {
    if (writing) {
      out = scree_alloc((size_t)count, sizeof *out);
      to = scree_alloc((size_t)count, sizeof *to);
    }
    count = 0;
    for (int32_t e = 0; e < r->count; e++) {
      const int32_t slot[2] = {slot_of(h, r->entry[e].i), slot_of(h, r->entry[e].j)};
      for (int side = 0; side < 2; side++) {
        if (slot[side] < 0) continue;
        for (int32_t k = start[slot[side]]; k < start[slot[side] + 1]; k++) {
          const int rank = h->share[list[k]].rank;
          bool twice = false;
          if (side == 1 && slot[0] >= 0)
            for (int32_t m = start[slot[0]]; m < start[slot[0] + 1]; m++)
              twice |= h->share[list[m]].rank == rank;
          if (twice) continue;
          if (writing) {
            to[count] = rank;
            out[count] = (pair){r->entry[e].low, r->entry[e].high};
          }
          count++;
        }
      }
    }
  }
  scree_mail mail = scree_ranks_route(h->ranks, out, to, count, sizeof *out);
  scree_free(out);
  scree_free(to);
  scree_free(list);
  scree_free(start);
  return mail;
}

/// Line of a shared body by its id, or -1: `item` are the shared bodies by id.
static scree_local find_shared(const scree_sort_item *item, int32_t count, scree_global id) {
  int32_t low = 0, high = count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (item[middle].key < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && item[low].key == id ? item[low].value : -1;
}

static void add_others(scree_rounds *r, const scree_mail *mail) {
  const scree_halo *h = r->halo;
  scree_sort_item *item = scree_alloc((size_t)h->slots, sizeof *item);
  scree_sort_item *scratch = scree_alloc((size_t)h->slots, sizeof *scratch);
  for (int32_t s = 0; s < h->slots; s++)
    item[s] = (scree_sort_item){h->bodies->id[h->line[s]], h->line[s]};
  scree_sort(item, scratch, h->slots);
  for (int64_t k = 0; k < mail->count; k++) {
    const pair *p = &((const pair *)mail->item)[k];
    r->entry[r->count++] = (scree_entry){.low = p->low,
                                         .high = p->high,
                                         .i = find_shared(item, h->slots, p->low),
                                         .j = find_shared(item, h->slots, p->high),
                                         .slot = -1};
  }
  scree_free(item);
  scree_free(scratch);
}

/// The base on which priorities are sorted: should two ever be equal, ids decide.
static void sort_entries(scree_rounds *r) {
  scree_sort_item *item = scree_alloc((size_t)r->count, sizeof *item);
  scree_sort_item *scratch = scree_alloc((size_t)r->count, sizeof *scratch);
  scree_entry *sorted = scree_alloc((size_t)r->count, sizeof *sorted);
  for (int32_t k = 0; k < r->count; k++) item[k] = (scree_sort_item){r->entry[k].high, k};
  scree_sort(item, scratch, r->count);
  for (int32_t k = 0; k < r->count; k++) item[k].key = r->entry[item[k].value].low;
  scree_sort(item, scratch, r->count);
  for (int32_t k = 0; k < r->count; k++) sorted[k] = r->entry[item[k].value];
  scree_free(r->entry);
  r->entry = sorted;
  scree_free(item);
  scree_free(scratch);
}

/// One body handed on: its place among the shares of the two ranks, its place in line, its motion.
typedef struct hand_over {
  int32_t share, done;
  scree_vec velocity, spin;
} hand_over;

scree_rounds *scree_rounds_create(scree_halo *halo, const scree_contacts *contacts) {
  scree_rounds *r = scree_alloc(1, sizeof *r);
  r->halo = halo;
  r->entry = scree_alloc((size_t)contacts->count, sizeof *r->entry);
  list_own(r, contacts);
  if (halo->ranks->size > 1 && halo->exchange == SCREE_EXCHANGE_EXACT) {
    scree_mail mail = tell_others(r);
    SCREE_CHECK(r->count + mail.count < INT32_MAX, "more than 2^31 contacts on one rank");
    r->entry = scree_realloc(r->entry, (size_t)(r->count + mail.count), sizeof *r->entry);
    add_others(r, &mail);
    scree_mail_free(&mail);
  }
  sort_entries(r);
  r->done = scree_alloc((size_t)halo->slots, sizeof *r->done);
  r->known = scree_alloc((size_t)halo->slots, sizeof *r->known);
  r->dirty = scree_alloc((size_t)halo->slots, sizeof *r->dirty);
  r->buffer = scree_alloc(2 * (size_t)halo->shares, sizeof(hand_over));
  r->request = scree_alloc(2 * (size_t)halo->neighbours, sizeof(MPI_Request));
  return r;
}

void scree_rounds_destroy(scree_rounds *r) {
  if (!r) return;
  scree_free(r->entry);
  scree_free(r->done);
  scree_free(r->known);
  scree_free(r->dirty);
  scree_free(r->buffer);
  scree_free(r->request);
  scree_free(r);
}

// ---- a sweep ----------------------------------------------------------------

static bool in_line(const scree_rounds *r) {
  return r->halo->slots > 0 && r->halo->exchange == SCREE_EXCHANGE_EXACT;
}

void scree_rounds_begin(scree_rounds *r) {
  memset(r->done, 0, (size_t)r->halo->slots * sizeof *r->done);
  memset(r->known, 0, (size_t)r->halo->slots * sizeof *r->known);
}

bool scree_rounds_ready(const scree_rounds *r, const scree_entry *e) {
  if (e->slot >= 0) return true;
  const int32_t a = slot_of(r->halo, e->i), b = slot_of(r->halo, e->j);
  return (a < 0 || r->known[a] > r->done[a]) && (b < 0 || r->known[b] > r->done[b]);
}

static void pass_body(scree_rounds *r, int32_t slot, bool own) {
  if (slot < 0) return;
  r->done[slot]++;
  if (own) {
    r->known[slot] = r->done[slot];
    r->dirty[slot] = true;
  }
}

void scree_rounds_pass(scree_rounds *r, const scree_entry *e) {
  if (!in_line(r)) return;
  pass_body(r, slot_of(r->halo, e->i), e->slot >= 0);
  pass_body(r, slot_of(r->halo, e->j), e->slot >= 0);
}

/// Bodies that come from one neighbour.
static void take_over(scree_rounds *r, int32_t first_share, const hand_over *from, int count) {
  for (int k = 0; k < count; k++) {
    const scree_share *s = &r->halo->share[first_share + from[k].share];
    r->known[s->slot] = from[k].done;
    r->halo->bodies->motion[s->line].velocity = from[k].velocity;
    r->halo->bodies->motion[s->line].spin = from[k].spin;
  }
}

bool scree_rounds_exchange(scree_rounds *r, int64_t left) {
  scree_halo *h = r->halo;
  if (h->ranks->size == 1 || h->exchange == SCREE_EXCHANGE_LAGGED) return left > 0;
  if (h->timer) scree_timer_switch(h->timer, SCREE_PHASE_HALO);
  hand_over *out = (hand_over *)r->buffer, *in = out + h->shares;
  int n = 0;
  // Each neighbour gets one message per round, if only to learn that there is nothing.
  for (int32_t k = 0; k < h->shares; n++) {
    const int32_t first = k;
    int count = 0;
    for (; k < h->shares && h->share[k].rank == h->share[first].rank; k++) {
      const scree_share *s = &h->share[k];
      const scree_motion *m = &h->bodies->motion[s->line];
      if (r->dirty[s->slot])
        out[first + count++] = (hand_over){k - first, r->done[s->slot], m->velocity, m->spin};
    }
    SCREE_MPI(MPI_Irecv(&in[first], (k - first) * (int)sizeof *in, MPI_BYTE, h->share[first].rank,
                        SCREE_TAG_ROUND, h->ranks->comm, &r->request[2 * n]));
    SCREE_MPI(MPI_Isend(&out[first], count * (int)sizeof *out, MPI_BYTE, h->share[first].rank,
                        SCREE_TAG_ROUND, h->ranks->comm, &r->request[2 * n + 1]));
    h->counts.messages++;
    h->counts.bytes += count * (int64_t)sizeof *out;
  }
  int32_t first = 0;
  for (int m = 0; m < n; m++) {
    MPI_Status status;
    int bytes;
    SCREE_MPI(MPI_Wait(&r->request[2 * m], &status));
    SCREE_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
    take_over(r, first, &in[first], bytes / (int)sizeof *in);
    while (first < h->shares && h->share[first].rank == h->neighbour[m]) first++;
    SCREE_MPI(MPI_Wait(&r->request[2 * m + 1], MPI_STATUS_IGNORE));
  }
  memset(r->dirty, 0, (size_t)h->slots * sizeof *r->dirty);
  scree_ranks_sum(h->ranks, &left, 1);
  if (h->timer) scree_timer_switch(h->timer, SCREE_PHASE_SWEEPS);
  return left > 0;
}
