/// \file
/// Ghosts: copies of other ranks' bodies that a rank's own bodies might touch.
#pragma once
#include "scree/ownership.h"

/// Where the ghosts come from. Ghost g is on line bodies->count + g.
typedef struct scree_ghosts {
  scree_local count;
  int *owner;        ///< [count] owned
  scree_local *line; ///< [count] owned, line at their owner
} scree_ghosts;

/// Put behind the rank's own bodies a copy of every foreign one that is listed nearer than `reach` to
/// one of its tiles, by id. The extra lines of motion are lost. Free with scree_ghosts_free.
/// Collective.
scree_ghosts scree_ghosts_add(scree_bodies *bodies, const scree_tiles *tiles,
                              const scree_ownership *ownership, const scree_ranks *ranks,
                              double reach);
void scree_ghosts_free(scree_ghosts *ghosts);
