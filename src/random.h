/// \file
/// Random numbers as a pure function of what they are for: no state, no order, the same on every
/// rank (Philox of Random123).
#pragma once
#include <Random123/philox.h>
#include <stdint.h>

/// What a number is for; part of the key, so that uses never share numbers.
typedef enum {
  SCREE_RANDOM_CLASSES = 1, ///< order of the tile classes in a sweep: step, sweep
  SCREE_RANDOM_BATCHES,     ///< order of the batches of a tile in a sweep: step, sweep, tile
  SCREE_RANDOM_PACK, ///< order in which contacts are packed into batches: step of the rebuild, ids
  SCREE_RANDOM_PRIORITY, ///< priority of a contact in order `random`: step and sweep, ids
  SCREE_RANDOM_RADIUS,   ///< radius of a body: id
  SCREE_RANDOM_POSITION, ///< place of a body: id
} scree_random_use;

/// Four random words for counter (a, b, c, d).
static inline void scree_random(uint64_t seed, scree_random_use use, uint64_t a, uint64_t b,
                                uint64_t c, uint64_t d, uint64_t word[4]) {
  const philox4x64_ctr_t counter = {{a, b, c, d}};
  const philox4x64_key_t key = {{seed, (uint64_t)use}};
  const philox4x64_ctr_t r = philox4x64(counter, key);
  for (int i = 0; i < 4; i++) word[i] = r.v[i];
}

/// A double in [0, 1) from a random word.
static inline double scree_random_unit(uint64_t word) {
  return (double)(word >> 11) * 0x1p-53;
}

/// Put `order[0..count)` = 0, 1, ... into a random order for (a, b, c). 32 bits decide each swap.
static inline void scree_random_shuffle(uint64_t seed, scree_random_use use, uint64_t a, uint64_t b,
                                        uint64_t c, int32_t *order, int32_t count) {
  uint64_t word[4];
  for (int32_t i = 0; i < count; i++) order[i] = i;
  for (int32_t i = count - 1, used = 0; i > 0; i--, used++) {
    if (used % 8 == 0) scree_random(seed, use, a, b, c, (uint64_t)(used / 8), word);
    const uint64_t bits = word[used % 8 / 2] >> (used % 2 * 32) & 0xffffffff;
    const int32_t other = (int32_t)(bits * (uint64_t)(i + 1) >> 32);
    const int32_t kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}
