/// \file
/// The scene: what the bodies live in and how they are solved, from the deck and its packing.
#pragma once
#include "scree/packing.h"
#include "scree/saved.h"
#include "scree/sweep.h"

typedef struct scree_scene {
  scree_domain domain;
  scree_walls walls;
  char *wall_names; ///< owned; names of the planes of boxes
  scree_sweep_settings sweeps;
  double mean_diameter, largest_diameter; ///< of all bodies
  double smallest_mass;
  double skin; ///< as a length
} scree_scene;

/// On failure returns false with `error`: what in the deck cannot be built. Borrows the deck; free
/// with scree_scene_destroy.
bool scree_scene_create(const scree_packing *packing, scree_scene *scene, scree_error *error);
/// The scene of a saved state, without its packing.
void scree_scene_restore(const scree_deck *deck, const scree_saved *saved, scree_scene *scene);
void scree_scene_destroy(scree_scene *scene);
