/// \file
/// Fields: see scree/fields.h.
#include "scree/fields.h"

#include "scree/adios.h"
#include "scree/memory.h"
#include "scree/output_dir.h"
#include "scree/provenance.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char schema[] = "scree fields 1";

/// Where fields go.
typedef enum { TO_FILE, TO_STREAM, TARGETS } target;

struct scree_fields {
  const scree_simulation *simulation; ///< borrowed
  const scree_deck_fields *wanted;    ///< borrowed
  scree_adios *out[TARGETS];          ///< owned; NULL: not wanted
  char *path;                         ///< owned, of the file
  bool failed;                        ///< and the deck says that the run goes on
  // Arrays that are not in memory as they are written, owned; they live until the step ends.
  void *buffer[16];
  int buffers;
};

// ---- arrays -----------------------------------------------------------------

static void *keep(scree_fields *f, void *buffer) {
  SCREE_ASSERT(f->buffers < 16);
  f->buffer[f->buffers++] = buffer;
  return buffer;
}

static bool wants(const scree_fields *f, const char *name) {
  for (uint32_t k = 0; k < f->wanted->variables_count; k++)
    if (strcmp(f->wanted->variables[k], name) == 0) return true;
  return false;
}

/// `count` doubles as the deck wants them: as they are, or as floats.
static const void *convert(scree_fields *f, const double *from, size_t count,
                           scree_adios_type *type) {
  *type = f->wanted->precision == 0 ? SCREE_ADIOS_DOUBLE : SCREE_ADIOS_FLOAT;
  if (*type == SCREE_ADIOS_DOUBLE) return from;
  float *to = keep(f, scree_alloc(count, sizeof *to));
  for (size_t k = 0; k < count; k++) to[k] = (float)from[k];
  return to;
}

static void put(scree_fields *f, const char *name, scree_adios_type type, scree_slab slab,
                const void *data) {
  for (int t = 0; t < TARGETS; t++)
    if (f->out[t]) scree_adios_put(f->out[t], name, type, slab, data);
}

static void put_real(scree_fields *f, const char *name, scree_slab slab, const double *data) {
  scree_adios_type type;
  const size_t columns = slab.columns > 0 ? slab.columns : 1;
  const void *converted = convert(f, data, (size_t)slab.rows * columns, &type);
  put(f, name, type, slab, converted);
}

static void put_bodies(scree_fields *f) {
  const scree_bodies *b = f->simulation->bodies;
  const size_t n = (size_t)b->count;
  const scree_slab one = scree_slab_of(f->simulation->ranks, n, 0);
  const scree_slab three = {one.all, one.first, one.rows, 3};
  put(f, "id", SCREE_ADIOS_UINT64, one, b->id);
  if (wants(f, "points")) put_real(f, "points", three, &b->position[0].x);
  if (wants(f, "radius")) put_real(f, "radius", one, b->radius);
  if (wants(f, "v")) {
    scree_vec *v = keep(f, scree_alloc(n, sizeof *v));
    for (size_t i = 0; i < n; i++) v[i] = b->motion[i].velocity;
    put_real(f, "v", three, &v[0].x);
  }
  if (wants(f, "omega")) {
    scree_vec *w = keep(f, scree_alloc(n, sizeof *w));
    for (size_t i = 0; i < n; i++) w[i] = scree_vec_scale(1 / b->radius[i], b->motion[i].spin);
    put_real(f, "omega", three, &w[0].x);
  }
  if (wants(f, "mass")) {
    double *m = keep(f, scree_alloc(n, sizeof *m));
    for (size_t i = 0; i < n; i++) m[i] = 1 / b->motion[i].inverse_mass;
    put_real(f, "mass", one, m);
  }
  if (wants(f, "type") || wants(f, "rank")) {
    int32_t *kind = keep(f, scree_alloc(n, sizeof *kind)),
            *rank = keep(f, scree_alloc(n, sizeof *rank));
    for (size_t i = 0; i < n; i++) {
      kind[i] = 1;
      rank[i] = f->simulation->ranks->rank;
    }
    if (wants(f, "type")) put(f, "type", SCREE_ADIOS_INT32, one, kind);
    if (wants(f, "rank")) put(f, "rank", SCREE_ADIOS_INT32, one, rank);
  }
}

/// Contacts that push: the two ids (a wall's is 2^63 and more) and the force on the second.
static void put_contacts(scree_fields *f) {
  if (!wants(f, "contacts")) return;
  const scree_simulation *s = f->simulation;
  scree_kept_list kept = scree_kept_create(s->contacts, s->hubs, s->bodies);
  const size_t most = (size_t)kept.start[kept.lines];
  uint64_t *low = keep(f, scree_alloc(most, sizeof *low)),
           *high = keep(f, scree_alloc(most, sizeof *high));
  scree_vec *force = keep(f, scree_alloc(most, sizeof *force));
  uint64_t count = 0;
  for (scree_local i = 0; i < kept.lines; i++)
    for (int64_t k = kept.start[i]; k < kept.start[i + 1]; k++) {
      const scree_vec p = kept.kept[k].impulse;
      if (scree_vec_dot(p, p) == 0) continue;
      low[count] = s->bodies->id[i];
      high[count] = kept.kept[k].partner;
      force[count++] = scree_vec_scale(1 / s->deck->solver.time_step, p);
    }
  scree_kept_destroy(&kept);
  const scree_slab one = scree_slab_of(s->ranks, count, 0);
  put(f, "contact/id1", SCREE_ADIOS_UINT64, one, low);
  put(f, "contact/id2", SCREE_ADIOS_UINT64, one, high);
  put_real(f, "contact/force", (scree_slab){one.all, one.first, one.rows, 3}, &force[0].x);
}

/// Position and velocity along the normal, and contact force, of each wall; rank 0 writes them.
static void put_walls(scree_fields *f) {
  const scree_walls *walls = &f->simulation->scene.walls;
  if (walls->count == 0) return;
  const size_t rows = f->simulation->ranks->rank == 0 ? (size_t)walls->count : 0;
  double *row = keep(f, scree_alloc(3 * (size_t)walls->count, sizeof *row));
  for (int w = 0; w < walls->count; w++) {
    row[3 * w] = walls->wall[w].position;
    row[3 * w + 1] = scree_vec_dot(walls->wall[w].velocity, walls->wall[w].normal);
    row[3 * w + 2] = walls->wall[w].contact_force;
  }
  put(f, "wall/position_velocity_force", SCREE_ADIOS_DOUBLE,
      scree_slab_of(f->simulation->ranks, rows, 3), row);
}

static void put_numbers(scree_fields *f, const scree_observables *o) {
  const double time = scree_simulation_time(f->simulation);
  const struct {
    const char *name;
    scree_adios_type type;
    const void *number;
  } list[] = {{"step", SCREE_ADIOS_INT64, &f->simulation->step},
              {"time", SCREE_ADIOS_DOUBLE, &time},
              {"kinetic_translation", SCREE_ADIOS_DOUBLE, &o->kinetic_translation},
              {"kinetic_rotation", SCREE_ADIOS_DOUBLE, &o->kinetic_rotation},
              {"contacts", SCREE_ADIOS_INT64, &o->contacts},
              {"coordination", SCREE_ADIOS_DOUBLE, &o->coordination},
              {"overlap_mean", SCREE_ADIOS_DOUBLE, &o->overlap_mean},
              {"overlap_max", SCREE_ADIOS_DOUBLE, &o->overlap_max}};
  for (int t = 0; t < TARGETS; t++)
    for (size_t k = 0; f->out[t] && k < sizeof list / sizeof *list; k++)
      scree_adios_put_number(f->out[t], list[k].name, list[k].type, list[k].number);
}

// ---- opening ----------------------------------------------------------------

static void put_attributes(const scree_fields *f, scree_adios *out, const char *deck) {
  static const char *const units[][2] = {
      {"points/units", "length"},      {"radius/units", "length"},
      {"v/units", "length/time"},      {"omega/units", "1/time"},
      {"mass/units", "mass"},          {"contact/force/units", "mass*length/time^2"},
      {"time/units", "time"},          {"kinetic_translation/units", "mass*length^2/time^2"},
      {"overlap_max/units", "length"},
  };
  char provenance[2048], names[4096] = "";
  scree_provenance_text(provenance, sizeof provenance);
  scree_adios_put_text(out, "schema", schema);
  scree_adios_put_text(out, "deck", deck);
  scree_adios_put_text(out, "provenance", provenance);
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    scree_adios_put_text(out, units[k][0], units[k][1]);
  for (int w = 0; w < f->simulation->scene.walls.count; w++) {
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", w ? "," : "",
             f->simulation->scene.walls.wall[w].name);
  }
  if (names[0]) scree_adios_put_text(out, "wall/names", names);
}

/// How many steps of the file stay: those up to the present one. 0: there is no file.
static int64_t steps_to_keep(const scree_fields *f) {
  int64_t kept = 0;
  if (f->simulation->ranks->rank == 0 && access(f->path, F_OK) == 0) {
    scree_error error;
    int64_t step;
    scree_adios *in = scree_adios_open(&scree_alone, f->path, &error);
    for (bool more = in != NULL; more; more = scree_adios_next_step(in)) {
      if (!scree_adios_get_number(in, "step", SCREE_ADIOS_INT64, &step) ||
          step > f->simulation->step)
        break;
      kept++;
    }
    scree_adios_close(in);
  }
  scree_ranks_sum(f->simulation->ranks, &kept, 1);
  return kept;
}

static bool open_file(scree_fields *f, const char *directory, bool go_on, scree_error *error) {
  char parameters[600];
  f->path = scree_output_path(directory, "fields.bp");
  const int64_t kept = go_on ? steps_to_keep(f) : 0;
  snprintf(parameters, sizeof parameters, "%.500s%s", f->wanted->parameters,
           f->wanted->parameters[0] && kept > 0 ? "," : "");
  if (kept > 0) {
    const size_t used = strlen(parameters);
    snprintf(parameters + used, sizeof parameters - used, "AppendAfterSteps=%lld", (long long)kept);
  }
  const scree_adios_target to = {.path = f->path,
                                 .io = "fields",
                                 .engine = f->wanted->engine,
                                 .parameters = parameters[0] ? parameters : NULL,
                                 .append = kept > 0};
  f->out[TO_FILE] = scree_adios_create(f->simulation->ranks, &to, error);
  return scree_ranks_agree(f->simulation->ranks, f->out[TO_FILE] != NULL, error);
}

/// A stream never holds up the run: nobody has to read, and who is slow misses steps.
static bool open_stream(scree_fields *f, const char *name, scree_error *error) {
  static const char never_wait[] =
      "RendezvousReaderCount=0,QueueLimit=2,QueueFullPolicy=Discard,DataTransport=WAN";
  char contact[600];
  snprintf(contact, sizeof contact, "%.500s.sst", name);
  if (f->simulation->ranks->rank == 0) unlink(contact); // of a run that was killed
  const scree_adios_target to = {
      .path = name, .io = "stream", .engine = "SST", .parameters = never_wait};
  f->out[TO_STREAM] = scree_adios_create(f->simulation->ranks, &to, error);
  return scree_ranks_agree(f->simulation->ranks, f->out[TO_STREAM] != NULL, error);
}

scree_fields *scree_fields_create(const scree_simulation *s, const char *directory,
                                  const char *deck, bool go_on, scree_error *error) {
  const scree_deck_output *output = &s->deck->output;
  const bool file = output->fields.every > 0 && output->fields.file == 0,
             stream = output->fields.every > 0 && output->stream[0] != '\0';
  error->text[0] = '\0';
  if (!file && !stream) return NULL;
  scree_fields *f = scree_alloc(1, sizeof *f);
  f->simulation = s;
  f->wanted = &output->fields;
  if ((file && !open_file(f, directory, go_on, error)) ||
      (stream && !open_stream(f, output->stream, error))) {
    scree_fields_destroy(f);
    return NULL;
  }
  for (int t = 0; t < TARGETS; t++)
    if (f->out[t]) put_attributes(f, f->out[t], deck);
  return f;
}

// ---- writing ----------------------------------------------------------------

bool scree_fields_due(const scree_fields *f) {
  return f && !f->failed && f->simulation->step % f->wanted->every == 0;
}

/// The step has ended for the file; what if it could not be written.
static bool end_file(scree_fields *f) {
  const bool ok = scree_adios_end_step(f->out[TO_FILE]);
  const int reason = errno;
  // With one rank it may go on without. With more, others may wait for this one within ADIOS2.
  const bool may_go_on = f->wanted->on_failure == 1 && f->simulation->ranks->size == 1;
  SCREE_CHECK(ok || may_go_on,
              "at step %lld %s cannot be written: %s; the steps before it are kept",
              (long long)f->simulation->step, f->path, strerror(reason));
  return ok;
}

bool scree_fields_write(scree_fields *f, const scree_observables *o) {
  for (int t = 0; t < TARGETS; t++)
    if (f->out[t]) scree_adios_begin_step(f->out[t]);
  put_bodies(f);
  put_contacts(f);
  put_walls(f);
  put_numbers(f, o);
  if (f->out[TO_STREAM]) scree_adios_end_step(f->out[TO_STREAM]);
  if (f->out[TO_FILE] && !end_file(f)) f->failed = true;
  for (int k = 0; k < f->buffers; k++) scree_free(f->buffer[k]);
  f->buffers = 0;
  return !f->failed;
}

void scree_fields_destroy(scree_fields *f) {
  if (!f) return;
  const bool ok = scree_adios_close(f->out[TO_FILE]);
  scree_adios_close(f->out[TO_STREAM]);
  SCREE_CHECK(ok || f->failed, "%s cannot be written: %s; the steps before are kept", f->path,
              strerror(errno));
  scree_free(f->path);
  scree_free(f);
}
