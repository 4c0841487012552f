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

void scree_balance_distribute(scree_balance *balance, scree_ownership *table,
                              const scree_ranks *ranks, const scree_tiles *tiles,
                              const scree_bodies *bodies, const scree_contacts *contacts,
                              bool from_scratch) {
  scree_tile_graph g = scree_tile_graph_make(table, ranks, tiles, bodies, contacts);
  int32_t *along_curve = scree_alloc((size_t)g.count, sizeof *along_curve);
  scree_ownership_cut(g.count, g.work, ranks->size, along_curve);
  const scree_quality curve = scree_tile_graph_quality(&g, ranks, along_curve);
  balance->by_parmetis = balance->settings.partitioner == SCREE_PARTITIONER_PARMETIS &&
                         scree_partition(&g, ranks, !from_scratch, table->owner);
  if (balance->by_parmetis) balance->quality = scree_tile_graph_quality(&g, ranks, table->owner);
  if (!balance->by_parmetis || (balance->quality.imbalance > balance->settings.imbalance &&
                                balance->quality.imbalance > curve.imbalance)) {
    memcpy(table->owner, along_curve, (size_t)g.count * sizeof *table->owner);
    balance->by_parmetis = false;
    balance->quality = curve;
  }
  balance->reached = balance->quality.imbalance;
  balance->distributions++;
  scree_free(along_curve);
  scree_tile_graph_free(&g);
}
