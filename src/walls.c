/// \file
/// Walls: see scree/walls.h.
#include "scree/walls.h"

double scree_wall_force(const scree_wall *w, double t) {
  int k = 0; // the last point that is not in the future
  while (k + 1 < w->force_count && w->force[2 * (k + 1)] <= t) k++;
  const double *now = &w->force[2 * k], *next = now + 2;
  if (!w->ramps || k + 1 == w->force_count || t <= now[0]) return now[1];
  return now[1] + (next[1] - now[1]) * ((t - now[0]) / (next[0] - now[0]));
}
