/// \file
/// When and how tiles change their owners: see scree/balance.h.
#include "scree/balance.h"

#include "scree/memory.h"
#include "scree/partition.h"

#include <string.h>

bool scree_balance_due(const scree_balance *b, int64_t step) {
  return b->settings.every > 0 && step > 0 && step % b->settings.every == 0;
}

bool scree_balance_wanted(const scree_balance *b, double imbalance) {
  // Few tiles cannot be divided well, and trying again and again would not change that.
  return imbalance > b->settings.imbalance && imbalance > 1.05 * b->reached;
}

/// A distribution, its quality, and who made it.
typedef struct proposal {
  int32_t *owner; ///< [tiles] owned
  scree_quality quality;
  bool by_parmetis;
} proposal;

/// The better of the two partitioners, as the deck allows.
static proposal propose(const scree_balance *balance, const scree_tile_graph *g,
                        const scree_ranks *ranks, const int32_t *present, bool adapt) {
  const size_t bytes = (size_t)g->count * sizeof *present;
  proposal curve = {.owner = scree_alloc(bytes, 1)}, graph = {.owner = scree_alloc(bytes, 1)};
  scree_ownership_cut(g->count, g->work, ranks->size, curve.owner);
  curve.quality = scree_tile_graph_quality(g, ranks, curve.owner);
  memcpy(graph.owner, present, bytes);
  graph.by_parmetis = balance->settings.partitioner == SCREE_PARTITIONER_PARMETIS &&
                      scree_partition(g, ranks, adapt, graph.owner);
  if (graph.by_parmetis) {
    graph.quality = scree_tile_graph_quality(g, ranks, graph.owner);
    if (graph.quality.imbalance <= balance->settings.imbalance ||
        graph.quality.imbalance <= curve.quality.imbalance) {
      scree_free(curve.owner);
      return graph;
    }
  }
  scree_free(graph.owner);
  return curve;
}

void scree_balance_distribute(scree_balance *balance, scree_ownership *table,
                              const scree_ranks *ranks, const scree_tiles *tiles,
                              const scree_bodies *bodies, const scree_contacts *contacts,
                              scree_distribute_reason reason) {
  scree_tile_graph g = scree_tile_graph_make(table, ranks, tiles, bodies, contacts);
  proposal p = propose(balance, &g, ranks, table->owner, reason != SCREE_DISTRIBUTE_FIRST);
  const double present = scree_tile_graph_imbalance(&g, ranks->size, table->owner);
  if (reason == SCREE_DISTRIBUTE_DRIFTED && !(p.quality.imbalance < present)) {
    balance->reached = present; // no more tries until it gets worse
  } else {
    memcpy(table->owner, p.owner, (size_t)g.count * sizeof *table->owner);
    balance->by_parmetis = p.by_parmetis;
    balance->quality = p.quality;
    balance->reached = p.quality.imbalance;
    balance->distributions++;
  }
  scree_free(p.owner);
  scree_tile_graph_free(&g);
}
