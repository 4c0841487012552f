/// \file
/// Near pairs of bodies, by a counting-sort grid.
#pragma once
#include "scree/bodies.h"
#include "scree/domain.h"

/// Partners of each body, in CSR form; a pair stands with its lower id.
typedef struct scree_pairs {
  int64_t *start;       ///< [bodies + 1] owned
  scree_local *partner; ///< owned
} scree_pairs;

/// All pairs whose surfaces, where they are listed, are nearer than `skin`, and whose lower id is the
/// rank's own; the other may be a ghost. Partners come in the order of their lines. Free
/// with scree_pairs_destroy.
scree_pairs scree_grid_pairs(const scree_bodies *bodies, const scree_domain *domain, double skin);
void scree_pairs_destroy(scree_pairs *pairs);
