/// \file
/// Checkpoints: the saved state of a run as a sealed BP5 file, from which any number of ranks goes on bit for
/// bit.
#pragma once
#include "scree/simulation.h"

/// Write DIRECTORY/checkpoint.bp under a temporary name, seal it, give it its name; the one before becomes
/// checkpoint.previous.bp. `deck` is the resolved text. Returns false with `error`; the checkpoints that were
/// there are then untouched. Collective.
bool scree_checkpoint_write(const scree_simulation *simulation, const char *directory,
                            const char *deck, scree_error *error);

/// Check the seal of `path` and read the deck it was written with. Owned by the caller; on failure NULL with
/// `error`, the same on all ranks. Collective.
char *scree_checkpoint_deck(const char *path, const scree_ranks *ranks, scree_error *error);
/// The state in `path`, whose seal has been checked; its parameters come from `deck`. On failure returns
/// false with `error`. Collective.
bool scree_checkpoint_read(const char *path, const scree_ranks *ranks, const scree_deck *deck,
                           scree_saved *saved, scree_error *error);
