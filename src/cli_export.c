/// \file
/// scree export FILE: states of a field file for ParaView and OVITO: VTP with a PVD that lists them, or a
/// LAMMPS dump.
#include "cli.h"
#include "scree/adios.h"
#include "scree/memory.h"
#include "scree/vtp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct export_arguments {
  const char *path, *out;
  bool lammps;
} export_arguments;

static error_t parse_export(int key, char *value, struct argp_state *state) {
  export_arguments *a = state->input;
  switch (key) {
  case 'h': return SCREE_ARGP_HELP;
  case 'o': a->out = value; return 0;
  case 'f':
    a->lammps = strcmp(value, "lammps") == 0;
    if (a->lammps || strcmp(value, "vtp") == 0) return 0;
    argp_error(state, "--format: expected vtp or lammps, got '%s'", value);
    return EINVAL;
  case ARGP_KEY_ARG:
    if (a->path) {
      argp_error(state, "one file at a time; '%s' is one too many", value);
      return EINVAL;
    }
    a->path = value;
    return 0;
  case ARGP_KEY_END:
    if (a->path && a->out) return 0;
    argp_error(state, a->path ? "--out is missing" : "which FILE? A fields.bp is expected");
    return EINVAL;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option export_options[] = {
    {"out", 'o', "PATH", 0,
     "Directory for VTP files, or name of the LAMMPS dump. It must not be there yet.", 0},
    {"format", 'f', "FORMAT", 0, "vtp (default) or lammps.", 0},
    SCREE_ARGP_HELP_OPTION,
    {0}};

static const struct argp export_argp = {
    .options = export_options,
    .parser = parse_export,
    .args_doc = "FILE",
    .doc = "Export a field file.\v"
           "vtp: PATH/bodies.pvd and PATH/contacts.pvd for ParaView, with one VTP file per state: "
           "spheres as points "
           "with their radius, contacts as lines with their force. lammps: one dump of all states, "
           "for OVITO."};

// ---- one state --------------------------------------------------------------

/// The arrays of one state; those that the file does not have are NULL. All owned.
typedef struct state {
  int64_t step;
  double time;
  uint64_t bodies, contacts;
  uint64_t *id, *low, *high;
  double *points, *v, *omega, *radius, *mass, *force;
} state;

static double *read_real(scree_adios *f, const char *name, uint64_t rows, uint64_t columns) {
  double *data = scree_alloc(rows * (columns ? columns : 1), sizeof *data);
  if (scree_adios_get_real(f, name, (scree_slab){rows, 0, rows, columns}, data)) return data;
  scree_free(data);
  return NULL;
}

static uint64_t *read_ids(scree_adios *f, const char *name, uint64_t rows) {
  uint64_t *data = scree_alloc(rows, sizeof *data);
  if (scree_adios_get(f, name, SCREE_ADIOS_UINT64, (scree_slab){rows, 0, rows, 0}, data))
    return data;
  scree_free(data);
  return NULL;
}

static bool read_state(scree_adios *f, state *s) {
  *s = (state){0};
  if (!scree_adios_get_number(f, "step", SCREE_ADIOS_INT64, &s->step) ||
      !scree_adios_rows(f, "id", &s->bodies))
    return false;
  if (!scree_adios_get_number(f, "time", SCREE_ADIOS_DOUBLE, &s->time)) s->time = (double)s->step;
  s->id = read_ids(f, "id", s->bodies);
  s->points = read_real(f, "points", s->bodies, 3);
  s->v = read_real(f, "v", s->bodies, 3);
  s->omega = read_real(f, "omega", s->bodies, 3);
  s->radius = read_real(f, "radius", s->bodies, 0);
  s->mass = read_real(f, "mass", s->bodies, 0);
  if (scree_adios_rows(f, "contact/id1", &s->contacts)) {
    s->low = read_ids(f, "contact/id1", s->contacts);
    s->high = read_ids(f, "contact/id2", s->contacts);
    s->force = read_real(f, "contact/force", s->contacts, 3);
  }
  return s->id && s->points;
}

static void free_state(state *s) {
  scree_free(s->id);
  scree_free(s->low);
  scree_free(s->high);
  scree_free(s->points);
  scree_free(s->v);
  scree_free(s->omega);
  scree_free(s->radius);
  scree_free(s->mass);
  scree_free(s->force);
}

// ---- formats ----------------------------------------------------------------

static void write_dump(FILE *to, const state *s) {
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (uint64_t i = 0; i < s->bodies; i++)
    for (int axis = 0; axis < 3; axis++) {
      const double r = s->radius ? s->radius[i] : 0, x = s->points[3 * i + (uint64_t)axis];
      low[axis] = fmin(low[axis], x - r);
      high[axis] = fmax(high[axis], x + r);
    }
  fprintf(to, "ITEM: TIMESTEP\n%lld\nITEM: NUMBER OF ATOMS\n%llu\nITEM: BOX BOUNDS ff ff ff\n",
          (long long)s->step, (unsigned long long)s->bodies);
  for (int axis = 0; axis < 3; axis++) fprintf(to, "%.17g %.17g\n", low[axis], high[axis]);
  fprintf(to, "ITEM: ATOMS id type x y z%s%s%s%s\n", s->v ? " vx vy vz" : "",
          s->omega ? " omegax omegay omegaz" : "", s->radius ? " radius" : "",
          s->mass ? " mass" : "");
  for (uint64_t i = 0; i < s->bodies; i++) {
    fprintf(to, "%llu 1", (unsigned long long)s->id[i] + 1); // LAMMPS counts from 1
    const double *const three[] = {s->points, s->v, s->omega};
    for (int k = 0; k < 3; k++)
      if (three[k])
        fprintf(to, " %.17g %.17g %.17g", three[k][3 * i], three[k][3 * i + 1],
                three[k][3 * i + 2]);
    if (s->radius) fprintf(to, " %.17g", s->radius[i]);
    if (s->mass) fprintf(to, " %.17g", s->mass[i]);
    fputc('\n', to);
  }
}

static bool write_vtp(const char *directory, const state *s, FILE *bodies, FILE *contacts) {
  const scree_vtp_cloud cloud = {.count = s->bodies,
                                 .id = s->id,
                                 .points = s->points,
                                 .v = s->v,
                                 .omega = s->omega,
                                 .radius = s->radius,
                                 .mass = s->mass};
  char name[64], path[1024];
  snprintf(name, sizeof name, "bodies-%09lld.vtp", (long long)s->step);
  snprintf(path, sizeof path, "%s/%s", directory, name);
  if (!scree_vtp_bodies(path, &cloud)) return false;
  fprintf(bodies, "    <DataSet timestep=\"%.17g\" file=\"%s\"/>\n", s->time, name);
  if (!s->force || !s->low || !s->high) return true;
  snprintf(name, sizeof name, "contacts-%09lld.vtp", (long long)s->step);
  snprintf(path, sizeof path, "%s/%s", directory, name);
  if (!scree_vtp_contacts(path, &cloud, s->contacts, s->low, s->high, s->force)) return false;
  fprintf(contacts, "    <DataSet timestep=\"%.17g\" file=\"%s\"/>\n", s->time, name);
  return true;
}

// ---- all states -------------------------------------------------------------

static FILE *start_pvd(const char *directory, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "w");
  if (file)
    fputs(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n",
        file);
  return file;
}

static bool close_file(FILE *file) {
  const bool ok = !ferror(file);
  return fclose(file) == 0 && ok;
}

static bool end_pvd(FILE *file) {
  fputs("  </Collection>\n</VTKFile>\n", file);
  return close_file(file);
}

static bool cannot_write(const char *path, scree_error *error) {
  return scree_error_set(error, errno == EEXIST ? SCREE_EXIT_INPUT : SCREE_EXIT_FAILURE,
                         "%.800s cannot be written: %s", path, strerror(errno));
}

/// Every state through `write`; false with `error` if one cannot be read or written.
static bool each_state(scree_adios *f, const export_arguments *a, FILE *first, FILE *second,
                       scree_error *error) {
  int64_t count = 0;
  do {
    state s;
    bool ok = read_state(f, &s);
    if (!ok) {
      free_state(&s);
      return scree_error_set(error, SCREE_EXIT_INPUT, "%.800s has a state without id and points",
                             a->path);
    }
    if (a->lammps)
      write_dump(first, &s);
    else
      ok = write_vtp(a->out, &s, first, second);
    free_state(&s);
    if (!ok) return cannot_write(a->out, error);
    count++;
  } while (scree_adios_next_step(f));
  printf("%lld states written to %s\n", (long long)count, a->out);
  return true;
}

static bool export_file(const export_arguments *a, scree_error *error) {
  scree_adios *f = scree_adios_open(&scree_alone, a->path, error);
  if (!f) return false;
  FILE *first = NULL, *second = NULL;
  bool ok = a->lammps || mkdir(a->out, 0777) == 0;
  if (ok && a->lammps) {
    first = fopen(a->out, "wx");
  } else if (ok) {
    first = start_pvd(a->out, "bodies.pvd");
    second = start_pvd(a->out, "contacts.pvd");
  }
  ok = ok && first && (a->lammps || second);
  if (!ok) cannot_write(a->out, error);
  ok = ok && each_state(f, a, first, second, error);
  bool closed = true;
  if (first) closed = a->lammps ? close_file(first) : end_pvd(first);
  if (second) closed = end_pvd(second) && closed;
  if (ok && !closed) ok = cannot_write(a->out, error);
  scree_adios_close(f);
  return ok;
}

int scree_cli_export(const scree_cli *cli, int argc, char **argv) {
  export_arguments a = {0};
  const scree_parse_result parsed = scree_cli_parse(cli, &export_argp, argc, argv, 0, &a);
  if (parsed != SCREE_PARSED) return scree_cli_parse_exit(parsed);
  scree_error error;
  bool ok = cli->rank != 0 || export_file(&a, &error);
  ok = scree_error_agree(ok, &error, cli->comm);
  return ok ? SCREE_EXIT_OK : scree_cli_fail(cli, &error);
}
