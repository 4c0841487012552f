/// \file
/// A simulation: who owns what, and the step.
#pragma once
#include "scree/bodies.h"
#include "scree/deck.h"
#include "scree/observe.h"
#include "scree/timer.h"

/// A constant force on one body of this rank.
typedef struct scree_force {
  scree_local body;
  scree_vec force;
} scree_force;

typedef struct scree_simulation {
  const scree_deck *deck; ///< borrowed
  scree_bodies *bodies;   ///< owned
  scree_force *force;     ///< owned, [force_count]
  int force_count;
  int64_t step; ///< steps done
  scree_timer timer;
} scree_simulation;

/// Bodies with ids [0, count) of the deck's packing, at rest in time zero. Borrows `deck`; owned by
/// the caller.
scree_simulation *scree_simulation_create(const scree_deck *deck, scree_local count);
void scree_simulation_destroy(scree_simulation *simulation);

/// One time step.
void scree_simulation_step(scree_simulation *simulation);
/// Time reached: steps times step length, so that it does not drift.
double scree_simulation_time(const scree_simulation *simulation);
/// Observables of the current state.
scree_observables scree_simulation_observe(scree_simulation *simulation);
