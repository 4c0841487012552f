/// \file
/// Greedy packing: see schedule.h. Contacts in a random order go each into the first open batch
/// that holds neither of its particles. Up to 64 batches are open at once, so that "which batches
/// hold this particle" is one word.
#include "schedule.h"

#include "scree/check.h"
#include "scree/memory.h"
#include "sort.h"

#include <string.h>

enum { window = 64 };

struct scree_scheduler {
  const scree_bodies *bodies;      ///< borrowed
  scree_local dummy;               ///< line of nobody
  scree_sort_item *item, *scratch; ///< owned, [most]
  uint64_t *holds;                 ///< owned, [bodies]: bit b: the batch in slot b holds this body
  int32_t capacity;                ///< batches there is room for in the contacts
  int lanes;                       ///< how many a batch of this tile may take
  uint64_t open;                   ///< bit b: slot b has a batch with room
  int32_t batch[window];           ///< batch in each slot
  int filled[window];              ///< its lanes
};

scree_scheduler *scree_scheduler_create(const scree_bodies *bodies, int walls, int32_t most) {
  scree_scheduler *s = scree_alloc(1, sizeof *s);
  s->bodies = bodies;
  s->dummy = bodies->held + walls;
  s->item = scree_alloc((size_t)most, sizeof *s->item);
  s->scratch = scree_alloc((size_t)most, sizeof *s->scratch);
  s->holds = scree_alloc((size_t)bodies->held, sizeof *s->holds);
  return s;
}

void scree_scheduler_destroy(scree_scheduler *s) {
  scree_free(s->item);
  scree_free(s->scratch);
  scree_free(s->holds);
  scree_free(s);
}

/// A new, empty batch at the end of the contacts, in slot `slot`.
static void open_slot(scree_scheduler *s, scree_contacts *c, int slot) {
  if (c->batch_count == s->capacity) {
    s->capacity = s->capacity ? s->capacity + s->capacity / 2 : 64;
    scree_batch *grown = scree_alloc_lines((size_t)s->capacity, sizeof *grown);
    if (c->batch) memcpy(grown, c->batch, (size_t)c->batch_count * sizeof *grown);
    scree_free(c->batch);
    c->batch = grown;
  }
  scree_batch *batch = &c->batch[c->batch_count];
  *batch = (scree_batch){0};
  for (int l = 0; l < SCREE_LANES; l++) batch->i[l] = batch->j[l] = s->dummy;
  s->batch[slot] = c->batch_count++;
  s->filled[slot] = 0;
  s->open |= UINT64_C(1) << slot;
}

static void forget(scree_scheduler *s, scree_local line, int slot) {
  if (line < s->bodies->held) s->holds[line] &= ~(UINT64_C(1) << slot);
}

/// The batch in `slot` takes no more contacts.
static void close_slot(scree_scheduler *s, const scree_contacts *c, int slot) {
  const scree_batch *batch = &c->batch[s->batch[slot]];
  for (int l = 0; l < s->filled[slot]; l++) {
    forget(s, batch->i[l], slot);
    forget(s, batch->j[l], slot);
  }
  s->open &= ~(UINT64_C(1) << slot);
}

/// The first slot whose batch holds neither body; a new batch if there is none.
static int find_slot(scree_scheduler *s, scree_contacts *c, scree_local i, scree_local j) {
  const uint64_t held = s->holds[i] | (j < s->bodies->held ? s->holds[j] : 0);
  const uint64_t free_of_both = s->open & ~held;
  if (free_of_both) return __builtin_ctzll(free_of_both);
  // A large body may sit in all open batches: the first is then left as it is.
  if (~s->open == 0) close_slot(s, c, 0);
  const int slot = __builtin_ctzll(~s->open);
  open_slot(s, c, slot);
  return slot;
}

static void put(scree_scheduler *s, scree_contacts *c, int slot, const scree_candidate *from) {
  scree_batch *batch = &c->batch[s->batch[slot]];
  const int l = s->filled[slot]++;
  const scree_motion *motion = s->bodies->motion;
  batch->i[l] = from->i;
  batch->j[l] = from->j;
  batch->px[l] = from->impulse.x;
  batch->py[l] = from->impulse.y;
  batch->pz[l] = from->impulse.z;
  batch->mass[l] = 1 / (motion[from->i].inverse_mass + motion[from->j].inverse_mass);
  s->holds[from->i] |= UINT64_C(1) << slot;
  if (from->j < s->bodies->held) s->holds[from->j] |= UINT64_C(1) << slot;
}

void scree_scheduler_pack(scree_scheduler *s, const scree_candidate *list, int32_t count,
                          scree_contacts *c) {
  for (int32_t k = 0; k < count; k++) s->item[k] = (scree_sort_item){list[k].order, k};
  scree_sort(s->item, s->scratch, count);
  // The contacts of a batch go together, so an order of few batches is not random: two batches are red and black, with another q
  // (0.77 in a chain). A tile has sixteen batches or more, as long as it has the contacts.
  s->lanes = count / 16 < 1 ? 1 : count / 16 > SCREE_LANES ? SCREE_LANES : count / 16;
  for (int32_t k = 0; k < count; k++) {
    const scree_candidate *from = &list[s->item[k].value];
    const int slot = find_slot(s, c, from->i, from->j);
    put(s, c, slot, from);
    if (s->filled[slot] == s->lanes) close_slot(s, c, slot);
  }
  while (s->open) close_slot(s, c, __builtin_ctzll(s->open));
}
