/// \file
/// The state hash: see scree/hash.h.
#include "scree/hash.h"

#include "scree/check.h"

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
  XXH3_state_t *state = XXH3_createState();
  SCREE_CHECK(state && XXH3_64bits_reset(state) == XXH_OK, "xxHash cannot start");
  for (scree_local i = 0; i < b->count; i++) {
    SCREE_ASSERT(i == 0 || b->id[i - 1] < b->id[i]);
    const record r = {b->id[i],          b->radius[i],          b->position[i],
                      b->orientation[i], b->motion[i].velocity, b->motion[i].spin};
    XXH3_64bits_update(state, &r, sizeof r);
  }
  const uint64_t hash = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return hash;
}
