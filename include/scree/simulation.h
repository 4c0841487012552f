/// \file
/// A simulation: who owns what, and the step.
#pragma once
#include "scree/observe.h"
#include "scree/scene.h"
#include "scree/timer.h"

/// A constant force on one body.
typedef struct scree_force {
  scree_global body;
  scree_vec force;
} scree_force;

/// What happened so far, for the end of the run.
typedef struct scree_counts {
  int64_t rebuilds;
  int64_t missed;      ///< pairs that overlapped before they were in the list
  int64_t sweeps;      ///< of all steps
  int64_t updates;     ///< contacts updated, of all sweeps
  int64_t unconverged; ///< steps that used all sweeps without meeting the rule
} scree_counts;

typedef struct scree_simulation {
  const scree_deck *deck; ///< borrowed
  scree_scene scene;      ///< owned, as all that follows
  scree_bodies *bodies;
  scree_lookup *named; ///< lines of the bodies that have a name
  scree_force *force;  ///< [force_count]
  int force_count;
  scree_tiles *tiles;
  scree_contacts *contacts;
  scree_hubs *hubs;
  scree_sweeper *sweeper;
  scree_vec *listed_at;      ///< [bodies] where they were when the list was made
  double list_skin;          ///< how near pairs had to be
  double wall_travel;        ///< how far the fastest moving wall has gone since
  int64_t step;              ///< steps done
  scree_sweep_result solved; ///< of the last step
  double fastest;            ///< largest |v| dt / r of a body at the start of the last step
  scree_counts counts;
  scree_timer timer;
} scree_simulation;

/// All bodies of the deck's packing at time zero, with their first list of contacts. Borrows
/// `deck`. On failure returns NULL with `error`: something in the deck cannot be built. Owned by
/// the caller.
scree_simulation *scree_simulation_create(const scree_deck *deck, scree_error *error);
void scree_simulation_destroy(scree_simulation *simulation);

/// One time step.
void scree_simulation_step(scree_simulation *simulation);
/// Time reached: steps times step length, so that it does not drift.
double scree_simulation_time(const scree_simulation *simulation);
/// Observables of the current state.
scree_observables scree_simulation_observe(scree_simulation *simulation);
/// Make the list of contacts anew, with pairs nearer than `skin`.
void scree_simulation_rebuild(scree_simulation *simulation, double skin);
