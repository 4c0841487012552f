/// \file
/// Tiles: the cubic lattice that orders everything. A tile is the unit of ownership, of cache
/// blocking and of order in a sweep. Tiles of one class (parity of the lattice coordinates) never
/// touch the same particle, because a tile is at least twice as wide as a contact reaches.
#pragma once
#include "scree/bodies.h"
#include "scree/domain.h"

enum { SCREE_CLASSES = 8 };

typedef struct scree_tiles {
  scree_vec edge;   ///< of a tile
  int64_t along[3]; ///< tiles along a periodic direction; 0: not periodic
  int32_t count;    ///< tiles that hold a particle
  uint64_t *key; ///< [count] owned; lattice coordinates, packed: names the tile for the whole run
  scree_local *start; ///< [count + 1] owned; its particles are start[t] .. start[t + 1]
  int32_t class_start[SCREE_CLASSES + 1]; ///< into `in_class`
  int32_t *in_class;                      ///< [count] owned; tiles by class, ascending
} scree_tiles;

/// Edge that tiles must at least have when contacts reach `reach`, and the one that suits
/// `diameter` best.
double scree_tiles_edge(int dimension, double reach, double diameter);

/// Put the bodies into tiles of at least `edge`: positions are wrapped, and all arrays of `bodies`
/// are sorted by tile, then id. `moved[k]` (length count) tells where body k was before. Owned by
/// the caller.
scree_tiles *scree_tiles_create(scree_bodies *bodies, const scree_domain *domain, double edge,
                                scree_local *moved);
void scree_tiles_destroy(scree_tiles *tiles);
