/// \file
/// The state hash: see scree/hash.h.
#include "scree/hash.h"

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

uint64_t scree_hash_state(const scree_bodies *b, const scree_ranks *ranks) {
  // A sum does not depend on who adds when; 128 bits of it, so that bodies cannot make up for each other.
  uint64_t sum[3] = {(uint64_t)b->count, 0, 0};
  for (scree_local i = 0; i < b->count; i++) {
    const record r = {b->id[i],          b->radius[i],          b->position[i],
                      b->orientation[i], b->motion[i].velocity, b->motion[i].spin};
    const XXH128_hash_t h = XXH3_128bits(&r, sizeof r);
    sum[1] += h.low64;
    sum[2] += h.high64;
  }
  scree_ranks_sum(ranks, (int64_t *)sum, 3);
  return XXH3_64bits(sum, sizeof sum);
}
