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
  double smallest = HUGE_VAL;
  for (uint64_t k = 0; k < p->count; k++) {
    const double diameter = 2 * scree_packing_get(p, k).radius;
    scree_exact_add(&sum, diameter);
    s->largest_diameter = fmax(s->largest_diameter, diameter);
    smallest = fmin(smallest, diameter);
  }
  s->smallest_mass =
      scree_body_mass((int)p->deck->packing.dimension, 0.5 * smallest, p->deck->material.density);
  s->mean_diameter = scree_exact_value(&sum) / (double)p->count;
  s->skin = p->deck->solver.skin * s->mean_diameter;
}

// ---- domain -----------------------------------------------------------------

/// Period along `axis`: the domain's, or that of the packing and its copies.
static double period(const scree_packing *p, int axis) {
  const scree_deck_domain *from = &p->deck->domain;
  const double copies = (double)p->deck->packing.replicate[axis];
  const double packed = scree_vec_along(p->high, axis) - scree_vec_along(p->low, axis);
  // A list that is replicated has borrowed the domain's box for one copy.
  if (!from->high || (p->row && p->count > p->base_count)) return copies * packed;
  return scree_vec_along(*from->high, axis) - scree_vec_along(*from->low, axis);
}

static bool check_period(const scree_packing *p, const scree_scene *s, int axis, double size,
                         scree_error *error) {
  const double least = 2 * (s->largest_diameter + s->skin), most = 1e6 * s->mean_diameter;
  if (!(size >= least && size <= most))
    return scree_error_set(error, SCREE_EXIT_INPUT,
                           "domain: the period along %c is %g; it must be from %g (twice the "
                           "largest diameter and skin) "
                           "to %g (a million mean diameters)",
                           axis_name[axis], size, least, most);
  const scree_deck_lattice *l = p->deck->packing.lattice;
  if (l && l->kind == SCREE_LATTICE_HEXAGONAL && axis == 1 && l->cells[1] % 2 == 1)
    return scree_error_set(error, SCREE_EXIT_INPUT,
                           "packing.lattice.cells: a hexagonal lattice that is periodic along y "
                           "needs an even number of rows");
  return true;
}

static bool create_domain(const scree_packing *p, scree_scene *s, scree_error *error) {
  const scree_deck_domain *from = &p->deck->domain;
  if (!from->low && !p->has_box && (from->periodic[0] || from->periodic[1] || from->periodic[2]))
    return scree_error_set(
        error, SCREE_EXIT_INPUT,
        "domain.periodic: this packing has no box of its own; give domain.low and domain.high");
  double low[3] = {0, 0, 0}, size[3] = {0, 0, 0};
  for (int axis = 0; axis < 3; axis++) {
    if (!from->periodic[axis]) continue;
    s->domain.periodic[axis] = true;
    low[axis] = scree_vec_along(from->low ? *from->low : p->low, axis);
    size[axis] = period(p, axis);
    if (!check_period(p, s, axis, size[axis], error)) return false;
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
  wall.normal = scree_vec_unit(from->plane->normal);
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

static bool refuse_body(const scree_packing_body *b, scree_error *error, const char *reason) {
  return scree_error_set(error, SCREE_EXIT_INPUT, "body %llu at (%g, %g, %g) %s",
                         (unsigned long long)b->id, b->position.x, b->position.y, b->position.z,
                         reason);
}

/// No body may start behind a wall, or deeper in it than the deck allows.
static bool check_against_walls(const scree_packing *p, const scree_scene *s,
                                const scree_packing_body *b, scree_error *error) {
  for (int w = 0; w < s->walls.count; w++) {
    const double gap = scree_wall_gap(&s->walls.wall[w], b->position, b->radius);
    if (gap >= -p->deck->packing.overlap * b->radius) continue;
    char reason[200];
    snprintf(reason, sizeof reason, "is %g %s wall '%s'", -gap,
             gap < -b->radius ? "behind" : "deep in", s->walls.wall[w].name);
    return refuse_body(b, error, reason);
  }
  return true;
}

/// Bodies are in the box, not behind walls, not too fast, and not so far out that tiles run out of numbers.
static bool check_bodies(const scree_packing *p, const scree_scene *s, scree_error *error) {
  const double time_step = p->deck->solver.time_step, far = 1e6 * s->mean_diameter;
  for (uint64_t k = 0; k < p->count; k++) {
    const scree_packing_body b = scree_packing_get(p, k);
    if (!check_against_walls(p, s, &b, error)) return false;
    for (int axis = 0; axis < 3; axis++) {
      const double x = scree_vec_along(b.position, axis),
                   size = scree_vec_along(s->domain.size, axis);
      const double from_low = x - scree_vec_along(s->domain.low, axis);
      if (s->domain.periodic[axis] && (from_low < -1e-9 * size || from_low > size * (1 + 1e-9)))
        return refuse_body(&b, error, "is outside the periodic box");
      if (fabs(x) > far)
        return refuse_body(&b, error, "is more than a million diameters away from the origin");
    }
    const double step = time_step * sqrt(scree_vec_dot(b.velocity, b.velocity));
    if (step > 2 * b.radius)
      return refuse_body(&b, error,
                         "moves more than its diameter in one step; take a smaller time step");
  }
  return true;
}

/// A wall across a periodic direction would be met from behind, through the seam.
static bool check_seams(const scree_scene *s, scree_error *error) {
  for (int w = 0; w < s->walls.count; w++)
    for (int axis = 0; axis < 3; axis++)
      if (s->domain.periodic[axis] && scree_vec_along(s->walls.wall[w].normal, axis) != 0)
        return scree_error_set(error, SCREE_EXIT_INPUT,
                               "walls: '%s' stands across the periodic direction %c",
                               s->walls.wall[w].name, axis_name[axis]);
  return true;
}

/// Names of planes are columns of the series, those of boxes included.
static bool check_wall_names(const scree_scene *s, scree_error *error) {
  for (int a = 0; a < s->walls.count; a++)
    for (int b = 0; b < a; b++)
      if (strcmp(s->walls.wall[a].name, s->walls.wall[b].name) == 0)
        return scree_error_set(error, SCREE_EXIT_INPUT, "walls: two planes are called '%s'",
                               s->walls.wall[a].name);
  return true;
}

/// The planes of the deck, unchecked.
static void build_walls(const scree_packing *p, scree_scene *s) {
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
}

static bool create_walls(const scree_packing *p, scree_scene *s, scree_error *error) {
  build_walls(p, s);
  return check_wall_names(s, error) && check_seams(s, error) && check_room(s, error) &&
         check_bodies(p, s, error);
}

// ---- all of it --------------------------------------------------------------

static scree_sweep_settings sweep_settings(const scree_deck *deck) {
  const scree_deck_solver *from = &deck->solver;
  scree_sweep_settings to = {.order = (scree_order)from->order,
                             .kernel = (scree_kernel)from->kernel,
                             .exchange = (scree_exchange)from->exchange,
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

void scree_scene_restore(const scree_deck *deck, const scree_saved *saved, scree_scene *scene) {
  const scree_packing nobody = {.deck = deck};
  *scene = (scree_scene){.sweeps = sweep_settings(deck),
                         .domain = saved->domain,
                         .mean_diameter = saved->mean_diameter,
                         .largest_diameter = saved->largest_diameter,
                         .smallest_mass = saved->smallest_mass,
                         .skin = deck->solver.skin * saved->mean_diameter};
  build_walls(&nobody, scene);
  SCREE_CHECK(scene->walls.count == saved->wall_count, "the deck has %d planes, what was saved %d",
              scene->walls.count, saved->wall_count);
  for (int w = 0; w < scene->walls.count; w++) {
    scene->walls.wall[w].position = saved->wall[w].position;
    scene->walls.wall[w].listed = saved->wall[w].listed;
    scene->walls.wall[w].velocity = saved->wall[w].velocity;
  }
}

void scree_scene_destroy(scree_scene *s) {
  scree_free(s->walls.wall);
  scree_free(s->wall_names);
  s->walls.wall = NULL;
  s->wall_names = NULL;
}
