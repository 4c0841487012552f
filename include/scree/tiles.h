/// \file
/// Tiles: the cubic lattice that orders everything. A tile is the unit of ownership, of cache
/// blocking and of order in a sweep. Tiles of one class (parity of the lattice coordinates) never
/// touch the same particle, because a tile is at least twice as wide as a contact reaches.
#pragma once
#include "scree/bodies.h"
#include "scree/domain.h"

enum { SCREE_CLASSES = 8 };

/// Where the tiles are: the same on every rank.
typedef struct scree_lattice {
  scree_vec low;    ///< corner of tile (0, 0, 0)
  scree_vec edge;   ///< of a tile
  int64_t along[3]; ///< tiles along a periodic direction; 0: not periodic
} scree_lattice;

/// The tiles of one rank.
typedef struct scree_tiles {
  scree_lattice lattice;
  int32_t count; ///< tiles of this rank that hold a particle
  uint64_t *key; ///< [count] owned; lattice coordinates, packed: names the tile for the whole run
  scree_local *start; ///< [count + 1] owned; its particles are start[t] .. start[t + 1]
  int32_t class_start[SCREE_CLASSES + 1]; ///< into `in_class`
  int32_t *in_class;                 ///< [count] owned; tiles by class, those at the border first
  int32_t border_end[SCREE_CLASSES]; ///< end of the border tiles of each class, in `in_class`
} scree_tiles;

/// Edge that tiles must at least have when contacts reach `reach`, and the one that suits
/// `diameter` best.
double scree_tiles_edge(int dimension, double reach, double diameter);

/// The lattice of tiles of at least `edge`. Periodic directions get an even number of equal tiles, or one
/// where there is no room for two.
scree_lattice scree_lattice_make(const scree_domain *domain, double edge);
/// Whether tiles of one name are one and the same.
bool scree_lattice_same(const scree_lattice *a, const scree_lattice *b);
/// Name of the tile of `x`: its Morton code, so that near in space is near in order; the lowest three
/// bits are the class.
uint64_t scree_lattice_key(const scree_lattice *lattice, scree_vec x);
/// Name of the tile `by` steps away, each -1, 0 or 1.
uint64_t scree_lattice_neighbour(const scree_lattice *lattice, uint64_t key, const int by[3]);
/// For each axis the side of its tile (-1 or 1) to which `x` is nearer than `reach`, or 0. A tile is so
/// wide that it is never both.
void scree_lattice_sides(const scree_lattice *lattice, uint64_t key, scree_vec x, double reach,
                         int side[3]);
/// Lattice coordinates of a tile.
void scree_lattice_coordinates(const scree_lattice *lattice, uint64_t key, int64_t at[3]);

/// Put the rank's own bodies into tiles, by where they are listed: all arrays of `bodies` are sorted by
/// tile, then id; ghosts are dropped. `moved[k]` (length count) tells where body k was before. Owned by
/// the caller.
scree_tiles *scree_tiles_create(scree_bodies *bodies, const scree_lattice *lattice,
                                scree_local *moved);
void scree_tiles_destroy(scree_tiles *tiles);
/// Whether each body is in its tile, bodies and tiles are in order, and each tile is in its class once.
bool scree_tiles_is_valid(const scree_tiles *tiles, const scree_bodies *bodies);
/// In each class the tiles marked in `border` ([count]) come first from now on.
void scree_tiles_border_first(scree_tiles *tiles, const bool *border);
