/// \file
/// When a step has been swept enough (theory §2), and what the rule needs to know of a sweep.
#pragma once
#include "scree/types.h"

#include <math.h>

typedef enum { SCREE_STOP_FIXED, SCREE_STOP_LOCAL, SCREE_STOP_GLOBAL } scree_stop_rule;

/// Fixed (U37), local (U35) or global (U36).
typedef struct scree_stop {
  scree_stop_rule rule;
  int64_t most;   ///< sweeps; with the fixed rule exactly so many
  double epsilon; ///< relative change allowed
  double cutoff;  ///< small force (local)
} scree_stop;

/// What a sweep tells the rule.
typedef struct scree_tally {
  bool wanted;
  double epsilon, cutoff; ///< local rule, the cutoff as an impulse
  double largest;         ///< squared change of an impulse
  int64_t violations;     ///< contacts that changed by more than the local rule allows
} scree_tally;

static inline void scree_tally_count(scree_tally *t, double change_square, double impulse_square) {
  if (change_square > t->largest) t->largest = change_square;
  const double allowed = t->epsilon * sqrt(impulse_square) + t->cutoff;
  t->violations += change_square > allowed * allowed;
}
