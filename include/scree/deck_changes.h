/// \file
/// What differs between the deck a state was saved with and the one it goes on with.
#pragma once
#include "scree/check.h"

/// Compare two resolved decks. Steps, output, forces (those of pistons included) and decomposition may
/// differ: then returns true, and `changes` has a line for each key that does, owned by the caller (empty: none). Else
/// returns false with `error`: the first key that must not change.
bool scree_deck_changes(const char *before, const char *now, char **changes, scree_error *error);
