/// \file
/// series.csv: see scree/series.h. Numbers are written with all their digits, so equal files mean equal bits. A row is written
/// and flushed as a whole: whatever ends a run, the file ends with a whole row.
#include "scree/series.h"

#include "scree/check.h"
#include "scree/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct scree_series {
  const scree_simulation *simulation; ///< borrowed
  char *path;                         ///< owned
  int file;                           ///< descriptor
  off_t written;                      ///< bytes of whole rows
  char *row;                          ///< owned, the row being put together
  size_t used, room;
  scree_global *tracked; ///< owned, ids of the bodies whose motion is recorded
  int64_t last_step;     ///< last row on disk, for messages
};

// ---- rows -------------------------------------------------------------------

static void put(scree_series *s, const char *format, ...) SCREE_PRINTF(2, 3);
static void put(scree_series *s, const char *format, ...) {
  enum { longest = 256 }; // names are at most 64 characters, numbers 24
  if (s->room - s->used < longest) s->row = scree_realloc(s->row, s->room += s->room + longest, 1);
  va_list args;
  va_start(args, format);
  s->used += (size_t)vsnprintf(s->row + s->used, s->room - s->used, format, args);
  va_end(args);
}

/// Write the row in one piece; if that fails, take back what part of it was written.
static void end_row(scree_series *s) {
  put(s, "\n");
  for (size_t done = 0; done < s->used;) {
    const ssize_t got = write(s->file, s->row + done, s->used - done);
    if (got < 0 && errno == EINTR) continue;
    if (got >= 0) {
      done += (size_t)got;
      continue;
    }
    const int reason = errno;
    const bool cut = ftruncate(s->file, s->written) == 0;
    SCREE_FAIL("%s cannot be written: %s; its rows up to step %lld are kept%s", s->path,
               strerror(reason), (long long)s->last_step, cut ? "" : ", and a part of the next");
  }
  s->written += (off_t)s->used;
  s->used = 0;
}

static void put_number(scree_series *s, double x) {
  put(s, ",%.17g", x);
}

static void put_vec(scree_series *s, scree_vec v) {
  put_number(s, v.x);
  put_number(s, v.y);
  put_number(s, v.z);
}

// ---- columns ----------------------------------------------------------------

static void write_header(scree_series *s) {
  const scree_deck_series *wanted = &s->simulation->deck->output.series;
  put(s, "step,time,kinetic_translation,kinetic_rotation,momentum_x,momentum_y,momentum_z,"
         "contacts,coordination,overlap_mean,overlap_max,force_mean,sliding");
  put(s, ",stress_xx,stress_yy,stress_zz,stress_xy,stress_xz,stress_yz,sweeps,residual");
  for (int w = 0; w < s->simulation->scene.walls.count; w++)
    for (int k = 0; k < 3; k++)
      put(s, ",%s.%s", s->simulation->scene.walls.wall[w].name,
          (const char *const[]){"position", "velocity", "force"}[k]);
  scree_name_index names = scree_name_index_create(s->simulation->deck);
  for (uint32_t i = 0; i < wanted->track_count; i++) {
    s->tracked[i] = scree_name_index_find(&names, wanted->track[i])->id;
    for (int k = 0; k < 6; k++)
      put(s, ",%s.%s", wanted->track[i], (const char *const[]){"x", "y", "z", "vx", "vy", "vz"}[k]);
  }
  scree_name_index_destroy(&names);
  end_row(s);
}

static void put_general(scree_series *s, const scree_observables *o) {
  const scree_sweep_result *solved = &s->simulation->solved;
  put(s, "%lld", (long long)s->simulation->step);
  put_number(s, scree_simulation_time(s->simulation));
  put_number(s, o->kinetic_translation);
  put_number(s, o->kinetic_rotation);
  put_vec(s, o->momentum);
  put(s, ",%lld", (long long)o->contacts);
  put_number(s, o->coordination);
  put_number(s, o->overlap_mean);
  put_number(s, o->overlap_max);
  put_number(s, o->force_mean);
  put_number(s, o->sliding);
  for (int k = 0; k < 6; k++) put_number(s, o->stress[k]);
  put(s, ",%lld", (long long)solved->sweeps);
  const double change = solved->largest_change / s->simulation->deck->solver.time_step;
  put_number(s, o->force_mean > 0 ? change / o->force_mean : 0);
}

// ---- the file ---------------------------------------------------------------

scree_series *scree_series_create(const char *path, const scree_simulation *simulation) {
  scree_series *s = scree_alloc(1, sizeof *s);
  s->simulation = simulation;
  s->path = scree_strdup(path);
  s->tracked = scree_alloc(simulation->deck->output.series.track_count, sizeof *s->tracked);
  s->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  SCREE_CHECK(s->file >= 0, "%s cannot be written: %s", path, strerror(errno));
  write_header(s);
  return s;
}

void scree_series_write(scree_series *s, const scree_observables *o) {
  put_general(s, o);
  for (int w = 0; w < s->simulation->scene.walls.count; w++) {
    const scree_wall *wall = &s->simulation->scene.walls.wall[w];
    put_number(s, wall->position);
    put_number(s, scree_vec_dot(wall->velocity, wall->normal));
    put_number(s, wall->contact_force);
  }
  for (uint32_t i = 0; i < s->simulation->deck->output.series.track_count; i++) {
    const scree_local line = scree_lookup_line(s->simulation->named, s->tracked[i]);
    put_vec(s, s->simulation->bodies->position[line]);
    put_vec(s, s->simulation->bodies->motion[line].velocity);
  }
  end_row(s);
  s->last_step = s->simulation->step;
}

void scree_series_destroy(scree_series *s) {
  if (!s) return;
  SCREE_CHECK(close(s->file) == 0, "%s cannot be written: %s", s->path, strerror(errno));
  scree_free(s->row);
  scree_free(s->tracked);
  scree_free(s->path);
  scree_free(s);
}
