/// \file
/// Particle state of one rank. What a sweep touches is one 64-byte line per particle; the rest
/// stands apart.
#pragma once
#include "scree/domain.h"

/// What changes during a sweep and what is needed to change it: one cache line.
typedef struct scree_motion {
  scree_vec velocity;
  double inverse_mass;
  scree_vec spin;  ///< radius times angular velocity: the velocity of the surface
  double friction; ///< coefficient that counts when this body is the second of a contact
} scree_motion;

_Static_assert(sizeof(scree_motion) == 64, "a particle's sweep state is one cache line");

/// Unit quaternion w + xi + yj + zk in three dimensions; in two `w` is the angle and the rest is 0.
typedef struct scree_turn {
  double w, x, y, z;
} scree_turn;

/// The first `count` lines are the rank's own particles; behind them stand copies of other ranks'
/// particles ("ghosts"), which take part in its contacts.
typedef struct scree_bodies {
  int dimension;           ///< 2: discs, 3: spheres
  scree_local count;       ///< particles of this rank
  scree_local held;        ///< with the ghosts
  scree_local room;        ///< lines there is memory for
  int extra;               ///< lines of motion behind all others: walls and a dummy
  scree_global *id;        ///< [held]
  scree_motion *motion;    ///< [held + extra]
  scree_vec *position;     ///< [held] centres
  scree_vec *listed;       ///< [held] where they were when the list of contacts was made
  scree_turn *orientation; ///< [count]
  double *radius;          ///< [held]
} scree_bodies;

/// `count` bodies with everything zero, and `extra` lines of motion behind them. Owned by the
/// caller.
scree_bodies *scree_bodies_create(int dimension, scree_local count, int extra);
void scree_bodies_destroy(scree_bodies *bodies);
/// Make room for `held` lines, of which `count` are the rank's own. Lines below both the old and the
/// new number keep what they hold, but the extra lines do not.
void scree_bodies_resize(scree_bodies *bodies, scree_local count, scree_local held);
/// Bytes that one body takes in all these arrays.
size_t scree_bodies_bytes_each(void);

/// Mass of a sphere or disc of the given radius and density.
double scree_body_mass(int dimension, double radius, double density);
/// I/(m r^2): 2/5 for spheres, 1/2 for discs.
double scree_body_inertia_factor(int dimension);

/// Implicit Euler (theory §1): positions and orientations advance by `time_step` with the
/// velocities of its end. Ghosts move too: the same numbers as where they are owned.
void scree_bodies_move(scree_bodies *bodies, double time_step);

/// The rank's own bodies are brought into the box, and their places noted as those of a new list.
void scree_bodies_list(scree_bodies *bodies, const scree_domain *domain);

/// Line of the first body whose position, velocity, spin or orientation is not a finite number, or -1.
scree_local scree_bodies_not_finite(const scree_bodies *bodies);

/// Where a few bodies are, whose lines change with every rebuild.
typedef struct scree_lookup {
  int count;
  scree_global *id;  ///< [count] owned, ascending
  scree_local *line; ///< [count] owned; -1: not held by this rank
} scree_lookup;

/// For `count` ids in any order, also repeated. Owned by the caller.
scree_lookup *scree_lookup_create(const scree_global *id, int count);
void scree_lookup_destroy(scree_lookup *lookup);
/// Find them all in `bodies`.
void scree_lookup_update(scree_lookup *lookup, const scree_bodies *bodies);
/// Line of the body `id`, which must be one of them.
scree_local scree_lookup_line(const scree_lookup *lookup, scree_global id);
