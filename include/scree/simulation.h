/// \file
/// A simulation: who owns what, and the step.
#pragma once
#include "scree/balance.h"
#include "scree/migrate.h"
#include "scree/observe.h"
#include "scree/saved.h"
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
  int64_t missed;              ///< pairs that overlapped before they were in the list
  int64_t sweeps;              ///< of all steps
  int64_t updates;             ///< contacts updated by this rank, of all sweeps
  int64_t rounds, most_rounds; ///< of all sweeps, and of one
  int64_t migrated;            ///< bodies that changed their rank
  scree_halo_counts halo;      ///< sent by this rank, in lists before the present one
  int64_t unconverged;         ///< steps that used all sweeps without meeting the rule
} scree_counts;

typedef struct scree_simulation {
  const scree_deck *deck;   ///< borrowed
  const scree_ranks *ranks; ///< borrowed
  scree_scene scene;        ///< owned, as all that follows
  scree_bodies *bodies;
  scree_lookup *named; ///< lines of the bodies that have a name
  scree_force *force;  ///< [force_count]
  int force_count;
  scree_ownership ownership;
  scree_balance balance;
  scree_tiles *tiles;
  scree_ghosts ghosts;
  scree_contacts *contacts;
  scree_hubs *hubs;
  scree_halo *halo;
  scree_sweeper *sweeper;
  int64_t list_step;         ///< step before which the list was made
  double list_skin;          ///< how near pairs had to be
  double wall_travel;        ///< how far the fastest moving wall has gone since
  int64_t step;              ///< steps done
  scree_sweep_result solved; ///< of the last step
  double fastest;            ///< largest |v| dt / r of a body at the start of the last step
  scree_counts counts;
  scree_timer timer;
} scree_simulation;

/// All bodies of the deck's packing at time zero, with their first list of contacts. Borrows
/// `deck` and `ranks`. On failure returns NULL with `error`, the same on all ranks: something in the
/// deck cannot be built. Owned by the caller. Collective, as all that follows.
scree_simulation *scree_simulation_create(const scree_deck *deck, const scree_ranks *ranks,
                                          scree_error *error);
/// The simulation that `saved` was taken from, with a deck that may differ in steps, output, forces and
/// decomposition. Takes over the bodies and contacts of `saved` and frees the rest.
scree_simulation *scree_simulation_restore(const scree_deck *deck, const scree_ranks *ranks,
                                           scree_saved *saved);
void scree_simulation_destroy(scree_simulation *simulation);
/// The present state. Bodies are borrowed, the rest is owned: free it with scree_saved_free. Not collective.
scree_saved scree_simulation_save(const scree_simulation *simulation);
void scree_saved_free(scree_saved *saved);

/// One time step.
void scree_simulation_step(scree_simulation *simulation);
/// Time reached: steps times step length, so that it does not drift.
double scree_simulation_time(const scree_simulation *simulation);
/// Observables of the current state.
scree_observables scree_simulation_observe(scree_simulation *simulation);
/// Make the list of contacts anew, with pairs nearer than `skin`.
void scree_simulation_rebuild(scree_simulation *simulation, double skin);
/// Distribute the tiles anew. The list of contacts stays what it is, wherever its parts are now.
void scree_simulation_rebalance(scree_simulation *simulation);

/// What one rank has and sends, for the tables.
typedef struct scree_load {
  int64_t tiles, bodies, ghosts, contacts, neighbours, shared;
  scree_halo_counts halo; ///< since the start
} scree_load;

/// Of this rank.
scree_load scree_simulation_load(const scree_simulation *simulation);
/// Work of the most loaded rank over the mean.
double scree_simulation_imbalance(const scree_simulation *simulation);
