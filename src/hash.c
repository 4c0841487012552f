/// \file
/// The state hash: see scree/hash.h.
#include "scree/hash.h"

#include "scree/check.h"
#include "scree/memory.h"
#include "sort.h"

#include <xxhash.h>

/// The bits of one body that count, without padding.
typedef struct record {
  scree_global id;
  double radius;
  scree_vec position;
  scree_turn orientation;
  scree_vec velocity, spin;
} record;

_Static_assert(sizeof(record) == 15 * 8, "padding would be hashed");

uint64_t scree_hash_state(const scree_bodies *b) {
  scree_sort_item *item = scree_alloc((size_t)b->count, sizeof *item);
  scree_sort_item *scratch = scree_alloc((size_t)b->count, sizeof *scratch);
  for (scree_local i = 0; i < b->count; i++) item[i] = (scree_sort_item){b->id[i], i};
  scree_sort(item, scratch, b->count);
  XXH3_state_t *state = XXH3_createState();
  SCREE_CHECK(state && XXH3_64bits_reset(state) == XXH_OK, "xxHash cannot start");
  for (scree_local k = 0; k < b->count; k++) {
    const scree_local i = item[k].value;
    const record r = {b->id[i],          b->radius[i],          b->position[i],
                      b->orientation[i], b->motion[i].velocity, b->motion[i].spin};
    XXH3_64bits_update(state, &r, sizeof r);
  }
  const uint64_t hash = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  scree_free(scratch);
  scree_free(item);
  return hash;
}
