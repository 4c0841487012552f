/// \file
/// The graph of tiles that is partitioned: a vertex is a tile, in the order of the table of ownership; an
/// edge joins tiles with contacts between them.
#pragma once
#include "scree/contacts.h"
#include "scree/ownership.h"

typedef struct scree_tile_graph {
  int32_t count;        ///< vertices of all ranks
  int64_t *work;        ///< [count] owned, on all ranks: weight of a tile
  int64_t *bodies;      ///< [count] owned, on all ranks: what it costs to move it
  int parts;            ///< ranks that hold a piece of the edges: no more than there are vertices
  int32_t first, end;   ///< vertices of this rank's piece
  int32_t *start;       ///< [end - first + 1] owned
  int32_t *neighbour;   ///< owned
  int32_t *edge_weight; ///< owned: contacts between two tiles
} scree_tile_graph;

/// From the present list. Free with scree_tile_graph_free. Collective.
scree_tile_graph scree_tile_graph_make(const scree_ownership *ownership, const scree_ranks *ranks,
                                       const scree_tiles *tiles, const scree_bodies *bodies,
                                       const scree_contacts *contacts);
void scree_tile_graph_free(scree_tile_graph *graph);
/// First vertex of piece `part`.
int32_t scree_tile_graph_piece(const scree_tile_graph *graph, int part);

/// What so many contacts and bodies cost in a step of a few dozen sweeps: a contact about four times a
/// body.
static inline int64_t scree_tile_work(int64_t contacts, int64_t bodies) {
  return 4 * contacts + bodies;
}

/// How good a partition is.
typedef struct scree_quality {
  int64_t edge_cut; ///< contacts between tiles of two ranks
  double imbalance; ///< most work of a rank over the mean
} scree_quality;

/// Of `owner` ([count]) over `ranks`. Collective.
scree_quality scree_tile_graph_quality(const scree_tile_graph *graph, const scree_ranks *ranks,
                                       const int32_t *owner);
/// Most work of a rank over the mean.
double scree_tile_graph_imbalance(const scree_tile_graph *graph, int ranks, const int32_t *owner);
