/// \file
/// series.csv: see scree/series.h. Numbers are written with all their digits, so equal files mean
/// equal bits.
#include "scree/series.h"

#include "scree/check.h"
#include "scree/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct scree_series {
  const scree_simulation *simulation; ///< borrowed
  char *path;                         ///< owned
  FILE *file;                         ///< owned
  scree_local *tracked;               ///< owned, bodies whose motion is recorded
  int64_t last_step;                  ///< last row, for messages
};

static void check_written(const scree_series *s, bool ok) {
  SCREE_CHECK(ok, "%s cannot be written: %s; its rows up to step %lld are kept", s->path,
              strerror(errno), (long long)s->last_step);
}

scree_series *scree_series_create(const char *path, const scree_simulation *simulation) {
  const scree_deck_series *wanted = &simulation->deck->output.series;
  scree_series *s = scree_alloc(1, sizeof *s);
  s->simulation = simulation;
  s->path = scree_strdup(path);
  s->file = fopen(path, "w");
  check_written(s, s->file);
  fprintf(s->file,
          "step,time,kinetic_translation,kinetic_rotation,momentum_x,momentum_y,momentum_z");

  s->tracked = scree_alloc(wanted->track_count, sizeof *s->tracked);
  scree_name_index names = scree_name_index_create(simulation->deck);
  for (uint32_t i = 0; i < wanted->track_count; i++) {
    const char *name = wanted->track[i];
    s->tracked[i] = scree_bodies_find(simulation->bodies, scree_name_index_find(&names, name)->id);
    fprintf(s->file, ",%s.x,%s.y,%s.z,%s.vx,%s.vy,%s.vz", name, name, name, name, name, name);
  }
  scree_name_index_destroy(&names);
  check_written(s, fprintf(s->file, "\n") > 0);
  return s;
}

static void write_vec(FILE *file, scree_vec v) {
  fprintf(file, ",%.17g,%.17g,%.17g", v.x, v.y, v.z);
}

void scree_series_write(scree_series *s, const scree_observables *o) {
  const int64_t step = s->simulation->step;
  SCREE_CHECK(
      isfinite(o->kinetic_translation) && isfinite(o->kinetic_rotation),
      "the kinetic energy is no longer a finite number at step %lld: forces or time step are far "
      "too large",
      (long long)step);
  fprintf(s->file, "%lld,%.17g,%.17g,%.17g", (long long)step, scree_simulation_time(s->simulation),
          o->kinetic_translation, o->kinetic_rotation);
  write_vec(s->file, o->momentum);
  for (uint32_t i = 0; i < s->simulation->deck->output.series.track_count; i++) {
    write_vec(s->file, s->simulation->bodies->position[s->tracked[i]]);
    write_vec(s->file, s->simulation->bodies->motion[s->tracked[i]].velocity);
  }
  check_written(s, fprintf(s->file, "\n") > 0);
  s->last_step = step;
}

void scree_series_destroy(scree_series *s) {
  if (!s) return;
  check_written(s, fclose(s->file) == 0);
  scree_free(s->tracked);
  scree_free(s->path);
  scree_free(s);
}
