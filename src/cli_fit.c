/// \file
/// scree fit CSV: a damped sine through one column of a series.
#include "cli.h"
#include "nearest.h"
#include "scree/fit.h"
#include "scree/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fit_arguments {
  const char *path, *column;
  double from, to; ///< window of time
} fit_arguments;

static error_t parse_time(const char *value, double *time, struct argp_state *state) {
  char *end;
  *time = strtod(value, &end);
  if (end != value && !*end && isfinite(*time)) return 0;
  argp_error(state, "expected a time, got '%s'", value);
  return EINVAL;
}

static error_t parse_fit(int key, char *value, struct argp_state *state) {
  fit_arguments *a = state->input;
  switch (key) {
  case 'h': return SCREE_ARGP_HELP;
  case 'c': a->column = value; return 0;
  case 'f': return parse_time(value, &a->from, state);
  case 't': return parse_time(value, &a->to, state);
  case ARGP_KEY_ARG:
    if (a->path) {
      argp_error(state, "two files given, '%s' and '%s'; expected one", a->path, value);
      return EINVAL;
    }
    a->path = value;
    return 0;
  case ARGP_KEY_END:
    if (a->path && a->column) return 0;
    argp_error(state, a->path ? "no column given; expected --column NAME"
                              : "no file given; expected a series.csv");
    return EINVAL;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option fit_options[] = {
    {"column", 'c', "NAME", 0, "Column to fit, such as tip.x.", 0},
    {"from", 'f', "TIME", 0, "Leave out what comes before.", 0},
    {"to", 't', "TIME", 0, "Leave out what comes after.", 0},
    SCREE_ARGP_HELP_OPTION,
    {0}};

static const struct argp fit_argp = {.options = fit_options,
                                     .parser = parse_fit,
                                     .args_doc = "CSV",
                                     .doc =
                                         "Fit a damped sine to a column of a series.\v"
                                         "x(t) = offset + amplitude exp(-t/tau) sin(omega t + "
                                         "phase), with t from the first point that is used. Prints "
                                         "omega, tau, offset, amplitude, phase, and the residual: "
                                         "what the curve misses, relative to the data."};

// ---- the file ---------------------------------------------------------------

typedef struct table {
  double *t, *x; ///< owned
  int count, capacity;
} table;

static void add_point(table *d, double t, double x) {
  if (d->count == d->capacity) {
    d->capacity = d->capacity ? 2 * d->capacity : 1024;
    d->t = scree_realloc(d->t, (size_t)d->capacity, sizeof *d->t);
    d->x = scree_realloc(d->x, (size_t)d->capacity, sizeof *d->x);
  }
  d->t[d->count] = t;
  d->x[d->count++] = x;
}

/// Number of the column called `name` in the header, which is cut up; -1 with `error` if there is none.
static int find_column(char *header, const char *name, const char *path, scree_error *error) {
  enum { most = 512 };
  const char *known[most + 1];
  int count = 0;
  for (char *word; count < most && (word = strsep(&header, ",")) != NULL;) known[count++] = word;
  known[count] = NULL;
  for (int k = 0; k < count; k++)
    if (strcmp(known[k], name) == 0) return k;
  const char *nearest = scree_nearest(name, known);
  scree_error_set(error, SCREE_EXIT_INPUT, "%.800s:1: no column '%.100s'%s%s%s", path, name,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  return -1;
}

/// Field number `column` of a line as a number; false if it is none.
static bool field(const char *line, int column, double *value) {
  for (; column > 0; column--) {
    line = strchr(line, ',');
    if (!line++) return false;
  }
  char *end;
  *value = strtod(line, &end);
  return end != line && (*end == ',' || *end == '\0');
}

static bool read_rows(FILE *file, const fit_arguments *a, table *d, scree_error *error) {
  char *line = NULL;
  size_t room = 0;
  bool ok = true;
  int time = -1, column = -1;
  for (long number = 1; ok && getline(&line, &room, file) >= 0; number++) {
    line[strcspn(line, "\r\n")] = '\0';
    if (number == 1) {
      char *copy = scree_strdup(line);
      time = find_column(copy, "time", a->path, error);
      scree_free(copy);
      if (time >= 0) column = find_column(line, a->column, a->path, error);
      ok = column >= 0;
      continue;
    }
    double t, x;
    if (!field(line, time, &t) || !field(line, column, &x))
      ok = scree_error_set(error, SCREE_EXIT_INPUT,
                           "%.800s:%ld: a field is missing or not a number", a->path, number);
    else if (t >= a->from && t <= a->to)
      add_point(d, t, x);
  }
  free(line);
  return ok;
}

static bool fit_file(const fit_arguments *a, scree_damped_sine *fit, table *d, scree_error *error) {
  FILE *file = fopen(a->path, "r");
  if (!file)
    return scree_error_set(error, SCREE_EXIT_INPUT, "%.800s: cannot be opened: %s", a->path,
                           strerror(errno));
  bool ok = read_rows(file, a, d, error);
  fclose(file);
  scree_error reason;
  if (ok && !scree_fit_damped_sine(d->t, d->x, d->count, fit, &reason))
    ok = scree_error_set(error, reason.exit_code, "%.800s: column %.100s: %s", a->path, a->column,
                         reason.text);
  return ok;
}

int scree_cli_fit(const scree_cli *cli, int argc, char **argv) {
  fit_arguments a = {.from = -HUGE_VAL, .to = HUGE_VAL};
  const scree_parse_result parsed = scree_cli_parse(cli, &fit_argp, argc, argv, 0, &a);
  if (parsed != SCREE_PARSED) return scree_cli_parse_exit(parsed);
  if (cli->rank != 0) return SCREE_EXIT_OK;
  scree_error error;
  scree_damped_sine fit;
  table d = {0};
  const bool ok = fit_file(&a, &fit, &d, &error);
  if (ok) {
    printf("omega     %.10g\ntau       %.10g\noffset    %.10g\namplitude %.10g\nphase     %.10g\n",
           fit.frequency, fit.decay, fit.offset, fit.amplitude, fit.phase);
    printf("residual  %.3g\npoints    %d, from %g to %g\n", fit.residual, d.count, d.t[0],
           d.t[d.count - 1]);
  }
  scree_free(d.t);
  scree_free(d.x);
  return ok ? SCREE_EXIT_OK : scree_cli_fail(cli, &error);
}
