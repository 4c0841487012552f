/// \file
/// The state hash: one number for the whole state, the same for the same bits. What `run` prints
/// last.
#pragma once
#include "scree/bodies.h"

/// xxHash (XXH3, 64 bits) over the bodies in the order of their ids: id, radius, position,
/// orientation, velocity, spin.
uint64_t scree_hash_state(const scree_bodies *bodies);
