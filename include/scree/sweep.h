/// \file
/// The iterative solver of one step: sweeps over all contacts until the stopping rule is content.
#pragma once
#include "scree/contacts.h"
#include "scree/hub.h"
#include "scree/rounds.h"

typedef enum { SCREE_ORDER_TILED, SCREE_ORDER_RANDOM } scree_order;
typedef enum { SCREE_KERNEL_LANES, SCREE_KERNEL_SCALAR } scree_kernel;

typedef struct scree_sweep_settings {
  scree_order order;
  scree_kernel kernel;
  scree_exchange exchange;
  scree_stop stop;
  uint64_t seed;
  double time_step;
  int dimension;
} scree_sweep_settings;

/// How the solving of a step went.
typedef struct scree_sweep_result {
  int64_t sweeps;
  int64_t rounds,
      most_rounds;       ///< of all sweeps, and of one: more than one with order `random` on ranks
  double largest_change; ///< of a contact's impulse, in the last sweep
  bool converged;        ///< the rule was met before the maximum (always with the fixed rule)
} scree_sweep_result;

/// Scratch memory of the solver and, for order `random`, the contacts by id. Made anew with each
/// list.
typedef struct scree_sweeper scree_sweeper;

/// For these contacts; borrows all of them. Owned by the caller.
scree_sweeper *scree_sweeper_create(const scree_sweep_settings *settings, scree_bodies *bodies,
                                    const scree_tiles *tiles, scree_contacts *contacts,
                                    scree_hubs *hubs, scree_halo *halo);
void scree_sweeper_destroy(scree_sweeper *sweeper);

/// Apply the impulses of the step before, then sweep. `step` keys the random order. Collective.
scree_sweep_result scree_sweeper_solve(scree_sweeper *sweeper, int64_t step);
