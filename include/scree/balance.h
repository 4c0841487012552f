/// \file
/// When and how tiles change their owners.
#pragma once
#include "scree/tile_graph.h"

typedef enum { SCREE_PARTITIONER_PARMETIS, SCREE_PARTITIONER_MORTON } scree_partitioner;

/// What the deck says.
typedef struct scree_balance_settings {
  scree_partitioner partitioner;
  double imbalance; ///< of the work, from which tiles are distributed anew
  int64_t every;    ///< steps after which this is done in any case; 0: never
} scree_balance_settings;

typedef struct scree_balance {
  scree_balance_settings settings;
  double reached;        ///< imbalance after the last distribution
  scree_quality quality; ///< of the last distribution
  bool by_parmetis;      ///< it is ParMETIS's; else the Morton curve's
  int64_t distributions;
} scree_balance;

/// Whether the deck wants tiles distributed at this step in any case.
bool scree_balance_due(const scree_balance *balance, int64_t step);
/// Whether the load has drifted so far from what was reached that distributing anew promises something.
bool scree_balance_wanted(const scree_balance *balance, double imbalance);
/// Why tiles are distributed.
typedef enum {
  SCREE_DISTRIBUTE_FIRST,   ///< from scratch: the present owners do not matter
  SCREE_DISTRIBUTE_DRIFTED, ///< the load has drifted; if nothing better is found, all stays as it is
  SCREE_DISTRIBUTE_DUE      ///< the deck wants it
} scree_distribute_reason;

/// New owners for all tiles of `ownership`, by the work in the present list. Where ParMETIS leaves more
/// imbalance than allowed and than the Morton curve, the curve it is. Collective.
void scree_balance_distribute(scree_balance *balance, scree_ownership *ownership,
                              const scree_ranks *ranks, const scree_tiles *tiles,
                              const scree_bodies *bodies, const scree_contacts *contacts,
                              scree_distribute_reason reason);
