/// \file
/// Planes: fixed, moving with given velocity, or driven by a force (pistons, solved as hubs). A
/// body is in front of a plane, on the side its normal points to.
#pragma once
#include "scree/types.h"

typedef struct scree_wall {
  const char *name;   ///< borrowed from the deck
  scree_vec normal;   ///< unit, into the space of the bodies
  double position;    ///< normal · x of its points
  double listed;      ///< the position when the list of contacts was made
  scree_vec velocity; ///< of its surface
  double friction;
  double mass;          ///< 0: not driven by a force
  const double *force;  ///< borrowed; pairs of time and force along the normal
  int force_count;      ///< pairs
  double contact_force; ///< sum of the normal contact forces, when last observed
  bool ramps;           ///< between the times the force changes linearly, else it jumps at each
} scree_wall;

typedef struct scree_walls {
  int count;
  scree_wall *wall; ///< [count] owned
} scree_walls;

/// Ids of walls stand above those of bodies.
static const scree_global scree_wall_first_id = (scree_global)1 << 63;

/// Force along the normal at time `t`.
double scree_wall_force(const scree_wall *wall, double t);

/// Gap between the surface of a sphere and the plane.
static inline double scree_wall_gap(const scree_wall *w, scree_vec x, double radius) {
  return scree_vec_dot(w->normal, x) - w->position - radius;
}
