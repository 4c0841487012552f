/// \file
/// Which rank owns which tile: a table of all tiles that hold a body, the same on every rank.
#pragma once
#include "scree/ranks.h"
#include "scree/tiles.h"

typedef struct scree_ownership {
  scree_lattice lattice;
  int32_t count;  ///< tiles
  uint64_t *key;  ///< [count] owned, ascending: along the Morton curve
  int32_t *owner; ///< [count] owned, ranks
} scree_ownership;

/// An empty table is `(scree_ownership){0}`.
void scree_ownership_free(scree_ownership *table);
/// Place of a tile in the table, or -1.
int32_t scree_ownership_find(const scree_ownership *table, uint64_t key);
/// Rank that owns a tile; -1 if no body is in it.
int scree_ownership_owner(const scree_ownership *table, uint64_t key);
/// The table for where the bodies are listed now. Tiles stay with their owner, and a new one goes to the
/// rank that has most of its bodies. An empty table, or one of another lattice, is filled by cutting the Morton curve.
/// Returns the owner of each of the rank's bodies ([count], owned by the caller). Collective.
int *scree_ownership_update(scree_ownership *table, const scree_ranks *ranks,
                            const scree_lattice *lattice, const scree_bodies *bodies);
/// Cut the Morton curve into `parts` pieces of equal weight, as far as tiles allow.
void scree_ownership_cut(int32_t count, const int64_t *weight, int parts, int32_t *owner);
/// Whether all ranks have one and the same table, and `tiles` are those this rank owns. Collective.
bool scree_ownership_is_valid(const scree_ownership *table, const scree_ranks *ranks,
                              const scree_tiles *tiles);
