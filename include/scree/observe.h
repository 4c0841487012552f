/// \file
/// Observables: numbers that describe the state as a whole. Physics only; io/series.c writes them.
#pragma once
#include "scree/bodies.h"

typedef struct scree_observables {
  double kinetic_translation; ///< sum of m v^2 / 2
  double kinetic_rotation;    ///< sum of I w^2 / 2
  scree_vec momentum;         ///< sum of m v
} scree_observables;

scree_observables scree_observe(const scree_bodies *bodies);
