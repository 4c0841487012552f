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
/// "directory/name", owned by the caller.
char *scree_output_path(const char *directory, const char *name);
