/// \file
/// Observables: numbers that describe the state as a whole. Physics only; io/series.c writes them.
/// All sums are exact, so they do not depend on the order of bodies or contacts.
#pragma once
#include "scree/hub.h"

typedef struct scree_observables {
  double kinetic_translation; ///< sum of m v^2 / 2
  double kinetic_rotation;    ///< sum of I w^2 / 2
  scree_vec momentum;         ///< sum of m v
  int64_t contacts;           ///< that push
  double coordination;        ///< pushing contacts per body; one between two bodies counts for both
  double overlap_mean;        ///< of the pushing contacts
  double overlap_max;         ///< of any pair in the list
  double force_mean;          ///< normal force of the pushing contacts
  double sliding;             ///< share of the pushing contacts that slide
  double stress[6];           ///< xx, yy, zz, xy, xz, yz; pressure is positive
} scree_observables;

/// Of all ranks together. Also sets the contact forces of the walls. Collective.
scree_observables scree_observe(const scree_bodies *bodies, const scree_domain *domain,
                                scree_walls *walls, const scree_contacts *contacts,
                                const scree_hubs *hubs, const scree_ranks *ranks, double time_step);
