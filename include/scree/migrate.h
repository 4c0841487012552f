/// \file
/// Bodies and their impulses move to the ranks that own them.
#pragma once
#include "scree/bodies.h"
#include "scree/kept.h"
#include "scree/ranks.h"

/// Body k goes to rank owner[k], with all its state and the contacts that `kept` knows of it. Those
/// that stay keep their order, the others come behind them; ghosts are dropped. Returns how many
/// bodies changed the rank, of all. Collective.
int64_t scree_migrate(scree_bodies *bodies, scree_kept_list *kept, const int *owner,
                      const scree_ranks *ranks);
