/// \file
/// The scene: see scree/scene.h. Each refusal names the key to mend.
#include "scree/scene.h"

#include "scree/exact_sum.h"
#include "scree/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char axis_name[3] = {'x', 'y', 'z'};

// ---- sizes ------------------------------------------------------------------

static void measure_bodies(const scree_packing *p, scree_scene *s) {
  scree_exact sum = {0};
  for (uint64_t k = 0; k < p->count; k++) {
    const double diameter = 2 * scree_packing_get(p, k).radius;
    scree_exact_add(&sum, diameter);
    s->largest_diameter = fmax(s->largest_diameter, diameter);
  }
  s->mean_diameter = scree_exact_value(&sum) / (double)p->count;
  s->skin = p->deck->solver.skin * s->mean_diameter;
}

// ---- domain -----------------------------------------------------------------

static bool create_domain(const scree_packing *p, scree_scene *s, scree_error *error) {
  const scree_deck_domain *from = &p->deck->domain;
  if (!from->low && !from->high && !p->has_box &&
      (from->periodic[0] || from->periodic[1] || from->periodic[2]))
    return scree_error_set(
        error, SCREE_EXIT_INPUT,
        "domain.periodic: this packing has no box of its own; give domain.low and domain.high");
  double low[3] = {0, 0, 0}, size[3] = {0, 0, 0};
  for (int axis = 0; axis < 3; axis++) {
    if (!from->periodic[axis]) continue;
    const double copies = (double)p->deck->packing.replicate[axis];
    low[axis] = scree_vec_along(from->low ? *from->low : p->low, axis);
    const double packed = scree_vec_along(p->high, axis) - scree_vec_along(p->low, axis);
    size[axis] = from->high ? scree_vec_along(*from->high, axis) - low[axis] : copies * packed;
    s->domain.periodic[axis] = true;
    const double least = 2 * (s->largest_diameter + s->skin);
    if (!(size[axis] >= least))
      return scree_error_set(error, SCREE_EXIT_INPUT,
                             "domain: the period along %c is %g; it must be at least twice the "
                             "largest diameter and skin, %g",
                             axis_name[axis], size[axis], least);
  }
  s->domain.low = (scree_vec){low[0], low[1], low[2]};
  s->domain.size = (scree_vec){size[0], size[1], size[2]};
  return true;
}

// ---- walls ------------------------------------------------------------------

/// Where a plane with this normal just touches the packing.
static double touching_position(const scree_packing *p, scree_vec normal) {
  double position = HUGE_VAL;
  for (uint64_t k = 0; k < p->count; k++) {
    const scree_packing_body b = scree_packing_get(p, k);
    position = fmin(position, scree_vec_dot(normal, b.position) - b.radius);
  }
  return position;
}

/// Not a negative zero: walls share lines, and 0 times an impulse must not change their sign (see
/// shock.h).
static scree_vec without_negative_zero(scree_vec v) {
  return (scree_vec){v.x + 0.0, v.y + 0.0, v.z + 0.0};
}

static scree_wall make_wall(const scree_deck *deck, const scree_deck_wall *from) {
  return (scree_wall){.name = from->name,
                      .velocity = without_negative_zero(from->velocity),
                      .friction = from->friction ? *from->friction : deck->material.friction,
                      .mass = from->mass ? *from->mass : 0,
                      .force = from->force ? &from->force[0][0] : NULL,
                      .force_count = (int)from->force_count,
                      .ramps = from->force_shape == 1};
}

static void add_plane(const scree_packing *p, const scree_deck_wall *from, scree_scene *s) {
  scree_wall wall = make_wall(p->deck, from);
  const scree_vec n = from->plane->normal;
  wall.normal = scree_vec_scale(1 / sqrt(scree_vec_dot(n, n)), n);
  wall.position = from->plane->point ? scree_vec_dot(wall.normal, *from->plane->point)
                                     : touching_position(p, wall.normal);
  s->walls.wall[s->walls.count++] = wall;
}

/// Planes of a box in the directions that have walls.
static void add_box(const scree_packing *p, const scree_deck_wall *from, scree_scene *s,
                    char **name) {
  for (int axis = 0; axis < (int)p->deck->packing.dimension; axis++) {
    if (s->domain.periodic[axis]) continue;
    for (int side = 0; side < 2; side++) {
      const double sign = side == 0 ? 1 : -1;
      scree_wall wall = make_wall(p->deck, from);
      wall.normal = (scree_vec){axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
      wall.position = sign * scree_vec_along(side == 0 ? from->box->low : from->box->high, axis);
      wall.name = *name;
      *name += sprintf(*name, "%s.%c%c", from->name, axis_name[axis], side == 0 ? '-' : '+') + 1;
      s->walls.wall[s->walls.count++] = wall;
    }
  }
}

/// Two planes that face each other need room between them.
static bool check_room(const scree_scene *s, scree_error *error) {
  for (int a = 0; a < s->walls.count; a++)
    for (int b = 0; b < a; b++) {
      const scree_wall *one = &s->walls.wall[a], *other = &s->walls.wall[b];
      if (scree_vec_dot(one->normal, other->normal) > -1 + 1e-12) continue;
      const double room = -one->position - other->position;
      if (room < s->largest_diameter * (1 - 1e-9))
        return scree_error_set(error, SCREE_EXIT_INPUT,
                               "walls: '%s' and '%s' face each other with %g between them, less "
                               "than the largest diameter %g",
                               other->name, one->name, room, s->largest_diameter);
    }
  return true;
}

/// No body may start behind a wall, or deeper in it than the deck allows.
static bool check_bodies(const scree_packing *p, const scree_scene *s, scree_error *error) {
  for (uint64_t k = 0; k < p->count; k++) {
    const scree_packing_body b = scree_packing_get(p, k);
    for (int w = 0; w < s->walls.count; w++) {
      const double gap = scree_wall_gap(&s->walls.wall[w], b.position, b.radius);
      if (gap < -p->deck->packing.overlap * b.radius)
        return scree_error_set(error, SCREE_EXIT_INPUT,
                               "body %llu at (%g, %g, %g) is %g %s wall '%s'",
                               (unsigned long long)b.id, b.position.x, b.position.y, b.position.z,
                               -gap, gap < -b.radius ? "behind" : "deep in", s->walls.wall[w].name);
    }
  }
  return true;
}

static bool create_walls(const scree_packing *p, scree_scene *s, scree_error *error) {
  const scree_deck *deck = p->deck;
  size_t names = 1;
  for (uint32_t k = 0; k < deck->walls_count; k++) names += 6 * (strlen(deck->walls[k].name) + 4);
  s->walls.wall = scree_alloc(6 * (size_t)deck->walls_count, sizeof *s->walls.wall);
  s->wall_names = scree_alloc(names, 1);
  char *name = s->wall_names;
  for (uint32_t k = 0; k < deck->walls_count; k++) {
    if (deck->walls[k].plane)
      add_plane(p, &deck->walls[k], s);
    else
      add_box(p, &deck->walls[k], s, &name);
  }
  return check_room(s, error) && check_bodies(p, s, error);
}

// ---- all of it --------------------------------------------------------------

static scree_sweep_settings sweep_settings(const scree_deck *deck) {
  const scree_deck_solver *from = &deck->solver;
  scree_sweep_settings to = {.order = (scree_order)from->order,
                             .kernel = (scree_kernel)from->kernel,
                             .seed = (uint64_t)from->seed,
                             .time_step = from->time_step,
                             .dimension = (int)deck->packing.dimension};
  if (from->sweeps.fixed)
    to.stop = (scree_stop){.rule = SCREE_STOP_FIXED, .most = *from->sweeps.fixed};
  else if (from->sweeps.local)
    to.stop = (scree_stop){SCREE_STOP_LOCAL, from->sweeps.local->most, from->sweeps.local->epsilon,
                           from->sweeps.local->cutoff};
  else
    to.stop =
        (scree_stop){SCREE_STOP_GLOBAL, from->sweeps.global->most, from->sweeps.global->epsilon, 0};
  return to;
}

bool scree_scene_create(const scree_packing *packing, scree_scene *scene, scree_error *error) {
  *scene = (scree_scene){.sweeps = sweep_settings(packing->deck)};
  measure_bodies(packing, scene);
  if (create_domain(packing, scene, error) && create_walls(packing, scene, error)) return true;
  scree_scene_destroy(scene);
  return false;
}

void scree_scene_destroy(scree_scene *s) {
  scree_free(s->walls.wall);
  scree_free(s->wall_names);
  s->walls.wall = NULL;
  s->wall_names = NULL;
}
