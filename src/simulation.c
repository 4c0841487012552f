/// \file
/// Builds a simulation from a deck and takes it apart; the rebuild of its lists. The step itself is
/// in step.c.
#include "scree/simulation.h"

#include "scree/memory.h"

#include <math.h>

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
static void set_wall_lines(scree_simulation *s) {
  for (int w = 0; w < s->scene.walls.count; w++)
    s->bodies->motion[s->bodies->held + w] = (scree_motion){
        .velocity = s->scene.walls.wall[w].velocity, .friction = s->scene.walls.wall[w].friction};
  s->bodies->motion[s->bodies->held + s->scene.walls.count] = (scree_motion){0};
}

static void drop_lists(scree_simulation *s) {
  scree_sweeper_destroy(s->sweeper);
  if (s->halo) {
    s->counts.halo.messages += s->halo->counts.messages;
    s->counts.halo.bytes += s->halo->counts.bytes;
  }
  scree_halo_destroy(s->halo);
  scree_contacts_destroy(s->contacts);
  scree_ghosts_free(&s->ghosts);
  scree_tiles_destroy(s->tiles);
  s->sweeper = NULL;
  s->halo = NULL;
  s->contacts = NULL;
  s->tiles = NULL;
}

/// Parts of a rebuild are timed, those of the set-up are not.
static void clock_to(scree_simulation *s, scree_phase phase) {
  if (s->timer.running != SCREE_PHASE_SETUP) scree_timer_switch(&s->timer, phase);
}

/// Bring every body, with what is kept of its contacts, to the rank that owns its tile.
static void migrate(scree_simulation *s, const scree_lattice *lattice, scree_kept_list *kept) {
  if (s->ranks->size == 1) return;
  clock_to(s, SCREE_PHASE_MIGRATE);
  int *owner = scree_ownership_update(&s->ownership, s->ranks, lattice, s->bodies);
  s->counts.migrated += scree_migrate(s->bodies, kept, owner, s->ranks);
  scree_free(owner);
  clock_to(s, SCREE_PHASE_REBUILD);
}

/// Debug builds look at everything that ranks must agree on.
static void check_lists(const scree_simulation *s) {
#ifdef SCREE_DEBUG
  SCREE_CHECK(s->ranks->size == 1 || scree_ownership_is_valid(&s->ownership, s->ranks, s->tiles),
              "ranks disagree about who owns which tile");
  SCREE_CHECK(scree_tiles_is_valid(s->tiles, s->bodies), "a body is not in its tile");
  SCREE_CHECK(scree_halo_is_valid(s->halo, s->contacts, &s->ghosts), "the halo is not valid");
#else
  (void)s;
#endif
}

/// The lattice of tiles for a list with pairs nearer than `skin`.
static scree_lattice lattice_for(const scree_simulation *s, double skin) {
  const scree_scene *scene = &s->scene;
  return scree_lattice_make(
      &scene->domain,
      scree_tiles_edge(s->bodies->dimension, scene->largest_diameter + skin, scene->mean_diameter));
}

/// Everything that follows from where the bodies are listed, at the list's step and skin, and from who
/// owns which tile. Impulses are carried over by `kept`, which is used up. Returns the pairs that overlap and
/// are not in it.
static int64_t make_lists(scree_simulation *s, scree_kept_list kept) {
  scree_bodies *b = s->bodies;
  const scree_scene *scene = &s->scene;
  const double reach = scene->largest_diameter + s->list_skin;
  const scree_lattice lattice = lattice_for(s, s->list_skin);
  drop_lists(s);
  migrate(s, &lattice, &kept);
  scree_local *moved = scree_alloc((size_t)b->count, sizeof *moved);
  s->tiles = scree_tiles_create(b, &lattice, moved);
  s->ghosts = scree_ghosts_add(b, s->tiles, &s->ownership, s->ranks, reach);
  set_wall_lines(s);
  int64_t missed = 0;
  s->contacts =
      scree_contacts_create(b, &scene->domain, &scene->walls, s->tiles, s->list_skin, &kept, moved,
                            scene->sweeps.seed, (uint64_t)s->list_step, &missed);
  scree_hubs_restore(s->hubs, &kept, moved);
  s->halo = scree_halo_create(s->ranks, b, s->tiles, s->contacts, &s->ghosts,
                              scene->sweeps.exchange, &s->timer);
  s->sweeper = scree_sweeper_create(&scene->sweeps, b, s->tiles, s->contacts, s->hubs, s->halo);
  scree_lookup_update(s->named, b);
  scree_kept_destroy(&kept);
  scree_free(moved);
  check_lists(s);
  return missed;
}

/// The same list again, made by whoever owns its tiles now.
static int64_t remake_lists(scree_simulation *s) {
  return make_lists(s, scree_kept_create(s->contacts, s->hubs, s->bodies));
}

static void distribute(scree_simulation *s, scree_distribute_reason reason) {
  clock_to(s, SCREE_PHASE_PARTITION);
  scree_balance_distribute(&s->balance, &s->ownership, s->ranks, s->tiles, s->bodies, s->contacts,
                           reason);
  clock_to(s, SCREE_PHASE_REBUILD);
}

void scree_simulation_rebuild(scree_simulation *s, double skin) {
  if (s->ranks->size > 1 && s->contacts) {
    // The load of the list that ends here tells whether its tiles are well distributed; unless there will be others.
    const scree_lattice next = lattice_for(s, skin);
    if (!scree_lattice_same(&next, &s->tiles->lattice))
      s->balance.reached = 0;
    else if (scree_balance_due(&s->balance, s->step))
      distribute(s, SCREE_DISTRIBUTE_DUE);
    else if (scree_balance_wanted(&s->balance, scree_simulation_imbalance(s)))
      distribute(s, SCREE_DISTRIBUTE_DRIFTED);
  }
  scree_bodies_list(s->bodies, &s->scene.domain);
  for (int w = 0; w < s->scene.walls.count; w++)
    s->scene.walls.wall[w].listed = s->scene.walls.wall[w].position;
  s->list_step = s->step;
  s->list_skin = skin;
  s->wall_travel = 0;
  int64_t missed = remake_lists(s);
  scree_ranks_sum(s->ranks, &missed, 1);
  if (s->counts.rebuilds++ > 0) s->counts.missed += missed; // the first list has none before it
}

void scree_simulation_rebalance(scree_simulation *s) {
  if (s->ranks->size == 1) return;
  distribute(s, SCREE_DISTRIBUTE_DUE);
  remake_lists(s);
}

/// No two bodies may start deeper in each other than the deck allows.
static bool check_overlaps(const scree_simulation *s, scree_error *error) {
  const scree_bodies *b = s->bodies;
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &s->contacts->batch[k];
      const scree_local i = batch->i[l], j = batch->j[l];
      if (!scree_batch_has(batch, l) || j >= b->held) continue;
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

/// This rank's share of the packing, for a start: by number.
static scree_bodies *make_bodies(const scree_packing *packing, const scree_ranks *ranks,
                                 int extra) {
  const uint64_t first = scree_ranks_share_of(ranks, packing->count, ranks->rank);
  const uint64_t end = scree_ranks_share_of(ranks, packing->count, ranks->rank + 1);
  return scree_packing_bodies(packing, first, (scree_local)(end - first), extra);
}

/// The first list, along the Morton curve, tells how much work each tile is; then tiles are distributed.
static void distribute_first(scree_simulation *s) {
  if (s->ranks->size == 1) return;
  distribute(s, SCREE_DISTRIBUTE_FIRST);
  remake_lists(s);
  s->counts.migrated = 0; // what has to be done once is no drift
}

static scree_simulation *start(const scree_deck *deck, const scree_ranks *ranks) {
  scree_simulation *s = scree_alloc(1, sizeof *s);
  s->deck = deck;
  s->ranks = ranks;
  s->balance.settings =
      (scree_balance_settings){(scree_partitioner)deck->decomposition.partitioner,
                               deck->decomposition.imbalance, deck->decomposition.every};
  scree_timer_init(&s->timer);
  scree_timer_begin(&s->timer, SCREE_PHASE_SETUP);
  return s;
}

scree_simulation *scree_simulation_create(const scree_deck *deck, const scree_ranks *ranks,
                                          scree_error *error) {
  scree_packing packing;
  scree_simulation *s = start(deck, ranks);
  bool ok = scree_packing_create(deck, &packing, error);
  if (ok) {
    ok = scree_scene_create(&packing, &s->scene, error);
    if (ok) s->bodies = make_bodies(&packing, ranks, s->scene.walls.count + 1);
    scree_packing_destroy(&packing);
  }
  // A file may be there for one rank and not for another.
  ok = scree_ranks_agree(ranks, ok, error);
  if (ok) {
    create_names(s);
    s->hubs = scree_hubs_create(&s->scene.walls, ranks);
    scree_simulation_rebuild(s, s->scene.skin);
    distribute_first(s);
    ok = scree_ranks_agree(ranks, check_overlaps(s, error), error);
  }
  scree_timer_end(&s->timer, SCREE_PHASE_SETUP);
  if (ok) return s;
  scree_simulation_destroy(s);
  return NULL;
}

scree_simulation *scree_simulation_restore(const scree_deck *deck, const scree_ranks *ranks,
                                           scree_saved *saved) {
  scree_simulation *s = start(deck, ranks);
  scree_scene_restore(deck, saved, &s->scene);
  s->bodies = saved->bodies;
  s->hubs = scree_hubs_create(&s->scene.walls, ranks);
  for (int h = 0; h < s->hubs->count; h++)
    s->hubs->hub[h].velocity = saved->wall[s->hubs->hub[h].wall].hub_velocity;
  create_names(s);
  s->step = saved->step;
  s->list_step = saved->list_step;
  s->list_skin = saved->list_skin;
  s->wall_travel = saved->wall_travel;
  make_lists(s, saved->kept);
  distribute_first(s);
  s->counts.rebuilds = 1; // the next one has a list before it
  saved->bodies = NULL;
  saved->kept = (scree_kept_list){0};
  scree_saved_free(saved);
  scree_timer_end(&s->timer, SCREE_PHASE_SETUP);
  return s;
}

scree_saved scree_simulation_save(const scree_simulation *s) {
  scree_saved saved = {.step = s->step,
                       .list_step = s->list_step,
                       .list_skin = s->list_skin,
                       .wall_travel = s->wall_travel,
                       .mean_diameter = s->scene.mean_diameter,
                       .largest_diameter = s->scene.largest_diameter,
                       .smallest_mass = s->scene.smallest_mass,
                       .domain = s->scene.domain,
                       .wall_count = s->scene.walls.count,
                       .bodies = s->bodies,
                       .kept = scree_kept_create(s->contacts, s->hubs, s->bodies)};
  saved.wall = scree_alloc((size_t)saved.wall_count, sizeof *saved.wall);
  for (int w = 0; w < saved.wall_count; w++) {
    const scree_wall *from = &s->scene.walls.wall[w];
    saved.wall[w] = (scree_saved_wall){from->position, from->listed, from->velocity, 0};
  }
  for (int h = 0; h < s->hubs->count; h++)
    saved.wall[s->hubs->hub[h].wall].hub_velocity = s->hubs->hub[h].velocity;
  return saved;
}

void scree_saved_free(scree_saved *saved) {
  scree_free(saved->wall);
  scree_kept_destroy(&saved->kept);
  *saved = (scree_saved){0};
}

void scree_simulation_destroy(scree_simulation *s) {
  if (!s) return;
  drop_lists(s);
  scree_hubs_destroy(s->hubs);
  scree_lookup_destroy(s->named);
  scree_bodies_destroy(s->bodies);
  scree_scene_destroy(&s->scene);
  scree_ownership_free(&s->ownership);
  scree_free(s->force);
  scree_free(s);
}

double scree_simulation_time(const scree_simulation *s) {
  return (double)s->step * s->deck->solver.time_step;
}

scree_observables scree_simulation_observe(scree_simulation *s) {
  scree_timer_begin(&s->timer, SCREE_PHASE_OBSERVE);
  const scree_observables o =
      scree_observe(s->bodies, &s->scene.domain, &s->scene.walls, s->contacts, s->hubs, s->ranks,
                    s->deck->solver.time_step);
  scree_timer_end(&s->timer, SCREE_PHASE_OBSERVE);
  return o;
}

scree_load scree_simulation_load(const scree_simulation *s) {
  return (scree_load){.tiles = s->tiles->count,
                      .bodies = s->bodies->count,
                      .ghosts = s->bodies->held - s->bodies->count,
                      .contacts = s->contacts->count,
                      .neighbours = s->halo->neighbours,
                      .shared = s->halo->slots,
                      .halo = {s->counts.halo.messages + s->halo->counts.messages,
                               s->counts.halo.bytes + s->halo->counts.bytes}};
}

double scree_simulation_imbalance(const scree_simulation *s) {
  const int64_t work = scree_tile_work(s->contacts->count, s->bodies->count);
  double most = (double)work;
  int64_t total = work;
  scree_ranks_max(s->ranks, &most, 1);
  scree_ranks_sum(s->ranks, &total, 1);
  return total > 0 ? most * s->ranks->size / (double)total : 1;
}
