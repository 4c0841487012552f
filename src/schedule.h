/// \file
/// Packs the candidates of a tile into batches of eight that share no particle.
#pragma once
#include "scree/contacts.h"

typedef struct scree_candidate {
  scree_local i, j;
  uint64_t order; ///< random; the order in which contacts are packed
  scree_vec impulse;
} scree_candidate;

/// Scratch memory of the packing.
typedef struct scree_scheduler scree_scheduler;

/// For these bodies and walls and at most `most` candidates in a tile. Borrows `bodies`; owned by
/// the caller.
scree_scheduler *scree_scheduler_create(const scree_bodies *bodies, int walls, int32_t most);
void scree_scheduler_destroy(scree_scheduler *scheduler);

/// Append batches with `list[0..count)` to `contacts`. Contacts may share walls, not bodies.
void scree_scheduler_pack(scree_scheduler *scheduler, const scree_candidate *list, int32_t count,
                          scree_contacts *contacts);
