/// \file
/// Observables: see scree/observe.h. Sums run in the order of the ids.
#include "scree/observe.h"

scree_observables scree_observe(const scree_bodies *b) {
  const double inertia_factor = scree_body_inertia_factor(b->dimension);
  scree_observables o = {0};
  for (scree_local i = 0; i < b->count; i++) {
    const scree_motion *m = &b->motion[i];
    const double mass = 1 / m->inverse_mass;
    o.kinetic_translation += 0.5 * mass * scree_vec_dot(m->velocity, m->velocity);
    o.kinetic_rotation += 0.5 * inertia_factor * mass * scree_vec_dot(m->spin, m->spin);
    o.momentum = scree_vec_add(o.momentum, scree_vec_scale(mass, m->velocity));
  }
  return o;
}
