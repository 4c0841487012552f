/// \file
/// What the log says of a simulation at its start and at its end. Collective.
#pragma once
#include "scree/simulation.h"

/// Bodies, contacts, how ranks share them. `deck` is the path of the deck.
void scree_report_start(scree_log *log, const char *deck, const scree_simulation *simulation);
/// Time per phase, load of ranks, counts, memory.
void scree_report_end(scree_log *log, const scree_simulation *simulation);
