/// \file
/// Packings: where the bodies are at the start, as a function of their global id alone, so that any
/// rank can make any of them.
#pragma once
#include "scree/bodies.h"
#include "scree/deck.h"

/// Make the bodies with ids [first, first + count) of the deck's packing. Owned by the caller.
scree_bodies *scree_packing_create(const scree_deck *deck, scree_global first, scree_local count);
