/// \file
/// The space the bodies live in: see scree/domain.h.
#include "scree/domain.h"

#include <math.h>

scree_vec scree_domain_wrap(const scree_domain *d, scree_vec x) {
  double *component[3] = {&x.x, &x.y, &x.z};
  const double low[3] = {d->low.x, d->low.y, d->low.z}, size[3] = {d->size.x, d->size.y, d->size.z};
  for (int axis = 0; axis < 3; axis++) {
    if (!d->periodic[axis]) continue;
    double *c = component[axis];
    const double turns = floor((*c - low[axis]) / size[axis]);
    if (turns != 0) *c -= turns * size[axis];
    // Rounding may leave it on the wrong side of the seam.
    if (*c < low[axis]) *c = low[axis];
    if (*c >= low[axis] + size[axis]) *c = low[axis];
  }
  return x;
}
