/// \file
/// series.csv: see scree/series.h.
#include "scree/series.h"

#include "scree/memory.h"
#include "scree/table.h"

struct scree_series {
  const scree_simulation *simulation; ///< borrowed
  scree_table *table;                 ///< owned
  scree_global *tracked;              ///< owned, ids of the bodies whose motion is recorded
  scree_vec *track;                   ///< [2 * tracked] owned, their positions and velocities
};

// ---- columns ----------------------------------------------------------------

static void write_header(scree_series *s) {
  const scree_deck_series *wanted = &s->simulation->deck->output.series;
  scree_table_put(s->table,
                  "step,time,kinetic_translation,kinetic_rotation,momentum_x,momentum_y,momentum_z,"
                  "contacts,coordination,overlap_mean,overlap_max,force_mean,sliding");
  scree_table_put(s->table,
                  ",stress_xx,stress_yy,stress_zz,stress_xy,stress_xz,stress_yz,sweeps,residual");
  for (int w = 0; w < s->simulation->scene.walls.count; w++)
    for (int k = 0; k < 3; k++)
      scree_table_put(s->table, ",%s.%s", s->simulation->scene.walls.wall[w].name,
                      (const char *const[]){"position", "velocity", "force"}[k]);
  scree_name_index names = scree_name_index_create(s->simulation->deck);
  for (uint32_t i = 0; i < wanted->track_count; i++) {
    s->tracked[i] = scree_name_index_find(&names, wanted->track[i])->id;
    for (int k = 0; k < 6; k++)
      scree_table_put(s->table, ",%s.%s", wanted->track[i],
                      (const char *const[]){"x", "y", "z", "vx", "vy", "vz"}[k]);
  }
  scree_name_index_destroy(&names);
  scree_table_end_row(s->table, 0);
}

static void put_general(scree_series *s, const scree_observables *o) {
  const scree_sweep_result *solved = &s->simulation->solved;
  scree_table_put(s->table, "%lld", (long long)s->simulation->step);
  scree_table_put_number(s->table, scree_simulation_time(s->simulation));
  scree_table_put_number(s->table, o->kinetic_translation);
  scree_table_put_number(s->table, o->kinetic_rotation);
  scree_table_put_vec(s->table, o->momentum);
  scree_table_put(s->table, ",%lld", (long long)o->contacts);
  scree_table_put_number(s->table, o->coordination);
  scree_table_put_number(s->table, o->overlap_mean);
  scree_table_put_number(s->table, o->overlap_max);
  scree_table_put_number(s->table, o->force_mean);
  scree_table_put_number(s->table, o->sliding);
  for (int k = 0; k < 6; k++) scree_table_put_number(s->table, o->stress[k]);
  scree_table_put(s->table, ",%lld", (long long)solved->sweeps);
  const double change = solved->largest_change / s->simulation->deck->solver.time_step;
  scree_table_put_number(s->table, o->force_mean > 0 ? change / o->force_mean : 0);
}

/// Positions and velocities of the tracked bodies, from the ranks that own them. Collective.
static void gather_tracked(scree_series *s) {
  const uint32_t count = s->simulation->deck->output.series.track_count;
  const scree_bodies *b = s->simulation->bodies;
  for (uint32_t i = 0; i < count; i++) {
    const scree_local line = scree_lookup_line(s->simulation->named, s->tracked[i]);
    const bool mine = line >= 0 && line < b->count;
    s->track[2 * i] = mine ? b->position[line] : (scree_vec){0, 0, 0};
    s->track[2 * i + 1] = mine ? b->motion[line].velocity : (scree_vec){0, 0, 0};
  }
  scree_ranks_share(s->simulation->ranks, &s->track[0].x, (int)(6 * count));
}

// ---- the file ---------------------------------------------------------------

scree_series *scree_series_create(const char *path, const scree_simulation *simulation) {
  const size_t count = simulation->deck->output.series.track_count;
  scree_series *s = scree_alloc(1, sizeof *s);
  s->simulation = simulation;
  s->tracked = scree_alloc(count, sizeof *s->tracked);
  s->track = scree_alloc(2 * count, sizeof *s->track);
  s->table = scree_table_create(path, simulation->ranks->rank == 0);
  write_header(s);
  return s;
}

void scree_series_write(scree_series *s, const scree_observables *o) {
  put_general(s, o);
  for (int w = 0; w < s->simulation->scene.walls.count; w++) {
    const scree_wall *wall = &s->simulation->scene.walls.wall[w];
    scree_table_put_number(s->table, wall->position);
    scree_table_put_number(s->table, scree_vec_dot(wall->velocity, wall->normal));
    scree_table_put_number(s->table, wall->contact_force);
  }
  gather_tracked(s);
  for (uint32_t i = 0; i < 2 * s->simulation->deck->output.series.track_count; i++)
    scree_table_put_vec(s->table, s->track[i]);
  scree_table_end_row(s->table, s->simulation->step);
}

void scree_series_destroy(scree_series *s) {
  if (!s) return;
  scree_table_destroy(s->table);
  scree_free(s->tracked);
  scree_free(s->track);
  scree_free(s);
}
