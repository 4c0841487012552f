/// \file
/// series.csv: see scree/series.h.
#include "scree/series.h"

#include "scree/memory.h"
#include "scree/table.h"

#include <stdio.h>
#include <stdlib.h>

struct scree_series {
  const scree_simulation *simulation; ///< borrowed
  scree_table *table;                 ///< owned
  scree_global *tracked;              ///< owned, ids of the bodies whose motion is recorded
  scree_vec *track;                   ///< [2 * tracked] owned, their positions and velocities
};

// ---- columns ----------------------------------------------------------------

/// The header, owned by the caller; also finds the ids of the tracked bodies.
static char *make_header(scree_series *s) {
  const scree_deck_series *wanted = &s->simulation->deck->output.series;
  const scree_walls *walls = &s->simulation->scene.walls;
  char *text;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  SCREE_CHECK(to, "out of memory");
  fputs("step,time,kinetic_translation,kinetic_rotation,momentum_x,momentum_y,momentum_z,"
        "contacts,coordination,overlap_mean,overlap_max,force_mean,sliding,"
        "stress_xx,stress_yy,stress_zz,stress_xy,stress_xz,stress_yz,sweeps,residual",
        to);
  for (int w = 0; w < walls->count; w++)
    fprintf(to, ",%s.position,%s.velocity,%s.force", walls->wall[w].name, walls->wall[w].name,
            walls->wall[w].name);
  scree_name_index names = scree_name_index_create(s->simulation->deck);
  for (uint32_t i = 0; i < wanted->track_count; i++) {
    s->tracked[i] = scree_name_index_find(&names, wanted->track[i])->id;
    for (int k = 0; k < 6; k++)
      fprintf(to, ",%s.%s", wanted->track[i],
              (const char *const[]){"x", "y", "z", "vx", "vy", "vz"}[k]);
  }
  scree_name_index_destroy(&names);
  SCREE_CHECK(fclose(to) == 0, "out of memory");
  return text;
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

scree_series *scree_series_create(const char *path, const scree_simulation *simulation,
                                  bool go_on) {
  const size_t count = simulation->deck->output.series.track_count;
  scree_series *s = scree_alloc(1, sizeof *s);
  s->simulation = simulation;
  s->tracked = scree_alloc(count, sizeof *s->tracked);
  s->track = scree_alloc(2 * count, sizeof *s->track);
  char *header = make_header(s);
  // A run that ended between two rows has written its last state all the same; that row goes.
  const int64_t every = simulation->deck->output.series.every;
  s->table =
      scree_table_create(path, header, simulation->ranks->rank == 0,
                         go_on ? simulation->step - simulation->step % every : SCREE_TABLE_NEW);
  free(header);
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
