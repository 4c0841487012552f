/// \file
/// The state of a simulation apart from its lists: all that a run needs to go on bit for bit, on any number
/// of ranks. io/checkpoint.c writes and reads it.
#pragma once
#include "scree/bodies.h"
#include "scree/kept.h"
#include "scree/ranks.h"
#include "scree/walls.h"

/// What a wall has beyond the deck.
typedef struct scree_saved_wall {
  double position, listed;
  scree_vec velocity;
  double hub_velocity; ///< along the normal, of a piston
} scree_saved_wall;

typedef struct scree_saved {
  int64_t step;      ///< steps done
  int64_t list_step; ///< step before which the list of contacts was made
  double list_skin, wall_travel;
  double mean_diameter, largest_diameter, smallest_mass; ///< of all bodies
  scree_domain domain;
  int wall_count;
  scree_saved_wall *wall; ///< [wall_count] owned
  scree_bodies *bodies;   ///< this rank's, in any order
  scree_kept_list kept;   ///< contacts of these bodies, owned
} scree_saved;
