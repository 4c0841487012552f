/// \file
/// The state hash: one number for the whole state, the same for the same bits. What `run` prints
/// last.
#pragma once
#include "scree/bodies.h"
#include "scree/ranks.h"

/// xxHash (XXH3) of each body: id, radius, position, orientation, velocity, spin; summed over all bodies
/// of all ranks, number of bodies included, and hashed again. Collective.
uint64_t scree_hash_state(const scree_bodies *bodies, const scree_ranks *ranks);
