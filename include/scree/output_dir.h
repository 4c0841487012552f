/// \file
/// The directory a run writes into. Results of an earlier run are never overwritten unless the user
/// says so.
#pragma once
#include "scree/check.h"

/// Make `directory` ready and write the resolved deck into it as deck.resolved.yaml; with `force`
/// results of an earlier run are removed. On failure returns false with `error` filled, and nothing
/// has been changed. Rank 0 only.
bool scree_output_dir_prepare(const char *directory, bool force, const char *resolved_deck,
                              scree_error *error);
/// The same for a run that goes on from a checkpoint: results in `directory` stay if their deck is that of
/// this run, apart from what may change on restart.
bool scree_output_dir_continue(const char *directory, bool force, const char *resolved_deck,
                               scree_error *error);
/// Remove a file, or a directory with all that is in it, if it is there.
bool scree_output_remove(const char *path);
/// "directory/name", owned by the caller.
char *scree_output_path(const char *directory, const char *name);
