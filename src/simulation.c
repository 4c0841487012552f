/// \file
/// Builds a simulation from a deck and takes it apart; the rebuild of its lists. The step itself is
/// in step.c.
#include "scree/simulation.h"

#include "scree/memory.h"

#include <math.h>
#include <string.h>

/// Forces with ids instead of names, and the lookup for all names.
static void create_names(scree_simulation *s) {
  const scree_deck_forces *forces = &s->deck->forces;
  scree_name_index names = scree_name_index_create(s->deck);
  scree_global *id = scree_alloc(names.count, sizeof *id);
  for (size_t k = 0; k < names.count; k++) id[k] = names.entry[k].id;
  s->named = scree_lookup_create(id, (int)names.count);
  scree_free(id);
  s->force = scree_alloc(forces->constant_count, sizeof *s->force);
  for (uint32_t i = 0; i < forces->constant_count; i++)
    s->force[s->force_count++] = (scree_force){
        scree_name_index_find(&names, forces->constant[i].body)->id, forces->constant[i].force};
  scree_name_index_destroy(&names);
}

/// Lines of motion behind the bodies: one per wall, and a dummy for empty lanes.
static void create_wall_lines(scree_simulation *s) {
  for (int w = 0; w < s->scene.walls.count; w++)
    s->bodies->motion[s->bodies->count + w] = (scree_motion){
        .velocity = s->scene.walls.wall[w].velocity, .friction = s->scene.walls.wall[w].friction};
}

static void drop_lists(scree_simulation *s) {
  scree_tiles_destroy(s->tiles);
  scree_contacts_destroy(s->contacts);
  scree_sweeper_destroy(s->sweeper);
}

void scree_simulation_rebuild(scree_simulation *s, double skin) {
  scree_bodies *b = s->bodies;
  const scree_scene *scene = &s->scene;
  const double reach = scene->largest_diameter + skin;
  scree_local *moved = scree_alloc((size_t)b->count, sizeof *moved);
  scree_kept_list kept = scree_contacts_keep(s->contacts, b);
  drop_lists(s);
  s->tiles = scree_tiles_create(b, &scene->domain,
                                scree_tiles_edge(b->dimension, reach, scene->mean_diameter), moved);
  int64_t missed = 0;
  s->contacts = scree_contacts_create(b, &scene->domain, &scene->walls, s->tiles, skin, &kept,
                                      moved, scene->sweeps.seed, (uint64_t)s->step, &missed);
  if (s->counts.rebuilds++ > 0) s->counts.missed += missed; // the first list has none before it
  scree_hubs_renumber(s->hubs, moved, b->count);
  s->sweeper = scree_sweeper_create(&scene->sweeps, b, s->tiles, s->contacts, s->hubs);
  scree_lookup_update(s->named, b);
  memcpy(s->listed_at, b->position, (size_t)b->count * sizeof *s->listed_at);
  s->list_skin = skin;
  s->wall_travel = 0;
  scree_kept_list_destroy(&kept);
  scree_free(moved);
}

/// No two bodies may start deeper in each other than the deck allows.
static bool check_overlaps(const scree_simulation *s, scree_error *error) {
  const scree_bodies *b = s->bodies;
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &s->contacts->batch[k];
      const scree_local i = batch->i[l], j = batch->j[l];
      if (!scree_batch_has(batch, l) || j >= b->count) continue;
      scree_vec normal;
      const double gap =
          scree_contacts_gap(batch, l, b, &s->scene.domain, &s->scene.walls, &normal);
      const double allowed = s->deck->packing.overlap * fmin(b->radius[i], b->radius[j]);
      if (gap < -allowed)
        return scree_error_set(
            error, SCREE_EXIT_INPUT,
            "bodies %llu and %llu overlap by %g at the start, more than the %g that "
            "packing.overlap allows",
            (unsigned long long)b->id[i], (unsigned long long)b->id[j], -gap, allowed);
    }
  return true;
}

scree_simulation *scree_simulation_create(const scree_deck *deck, scree_error *error) {
  scree_packing packing;
  scree_simulation *s = scree_alloc(1, sizeof *s);
  s->deck = deck;
  scree_timer_init(&s->timer);
  scree_timer_begin(&s->timer, SCREE_PHASE_SETUP);
  bool ok = scree_packing_create(deck, &packing, error);
  if (ok) {
    ok = scree_scene_create(&packing, &s->scene, error);
    if (ok)
      s->bodies =
          scree_packing_bodies(&packing, 0, (scree_local)packing.count, s->scene.walls.count + 1);
    scree_packing_destroy(&packing);
  }
  if (ok) {
    create_wall_lines(s);
    create_names(s);
    s->hubs = scree_hubs_create(&s->scene.walls);
    s->listed_at = scree_alloc((size_t)s->bodies->count, sizeof *s->listed_at);
    scree_simulation_rebuild(s, s->scene.skin);
    ok = check_overlaps(s, error);
  }
  scree_timer_end(&s->timer, SCREE_PHASE_SETUP);
  if (ok) return s;
  scree_simulation_destroy(s);
  return NULL;
}

void scree_simulation_destroy(scree_simulation *s) {
  if (!s) return;
  drop_lists(s);
  scree_hubs_destroy(s->hubs);
  scree_lookup_destroy(s->named);
  scree_bodies_destroy(s->bodies);
  scree_scene_destroy(&s->scene);
  scree_free(s->listed_at);
  scree_free(s->force);
  scree_free(s);
}

double scree_simulation_time(const scree_simulation *s) {
  return (double)s->step * s->deck->solver.time_step;
}

scree_observables scree_simulation_observe(scree_simulation *s) {
  scree_timer_begin(&s->timer, SCREE_PHASE_OBSERVE);
  const scree_observables o = scree_observe(s->bodies, &s->scene.domain, &s->scene.walls,
                                            s->contacts, s->hubs, s->deck->solver.time_step);
  scree_timer_end(&s->timer, SCREE_PHASE_OBSERVE);
  return o;
}
