/// \file
/// The space the bodies live in: directions may be periodic.
#pragma once
#include "scree/types.h"

typedef struct scree_domain {
  bool periodic[3];
  scree_vec low;  ///< of the periodic directions; the others have no bounds
  scree_vec size; ///< period; 0 where not periodic
} scree_domain;

static inline double scree_image(double d, double period) {
  return d > 0.5 * period ? d - period : d < -0.5 * period ? d + period : d;
}

/// From `a` to the nearest image of `b`. Always taken from the lower id to the higher, so that its
/// bits are one thing.
static inline scree_vec scree_domain_between(const scree_domain *d, scree_vec a, scree_vec b) {
  scree_vec v = {b.x - a.x, b.y - a.y, b.z - a.z};
  if (d->periodic[0]) v.x = scree_image(v.x, d->size.x);
  if (d->periodic[1]) v.y = scree_image(v.y, d->size.y);
  if (d->periodic[2]) v.z = scree_image(v.z, d->size.z);
  return v;
}

/// `x` brought into [low, low + size) in the periodic directions.
scree_vec scree_domain_wrap(const scree_domain *d, scree_vec x);
