/// \file
/// scree check DECK: the deck with all its defaults, and what a run of it would take. The output is
/// itself a deck: what is not a key stands in comments.
#include "cli.h"
#include "forecast.h"
#include "scree/memory.h"
#include "scree/simulation.h"

#include <stdio.h>

static error_t parse_check(int key, char *value, struct argp_state *state) {
  (void)value;
  switch (key) {
  case 'h': return SCREE_ARGP_HELP;
  case ARGP_KEY_INIT: state->child_inputs[0] = state->input; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option check_options[] = {SCREE_ARGP_HELP_OPTION, {0}};
static const struct argp_child check_children[] = {{&scree_deck_argp, 0, NULL, 0}, {0}};

static const struct argp check_argp = {.options = check_options,
                                       .parser = parse_check,
                                       .args_doc = "DECK",
                                       .doc =
                                           "Validate a deck and print it with all defaults.\v"
                                           "In comments follow the number of bodies, memory, and "
                                           "the time a run would take, measured by a few steps "
                                           "of a part of it. Nothing is written.",
                                       .children = check_children};

/// Seconds per step, from some of them. 0 if the deck cannot be built, which is then in `error`.
static double measure_step(const scree_deck *deck, scree_error *error) {
  scree_simulation *s = scree_simulation_create(deck, error);
  if (!s) return 0;
  const double start = MPI_Wtime();
  double elapsed;
  do {
    scree_simulation_step(s);
    elapsed = MPI_Wtime() - start;
  } while (elapsed < 0.1 && s->step < deck->run.steps);
  const double seconds = elapsed / (double)s->step;
  scree_simulation_destroy(s);
  return seconds;
}

static bool forecast(const scree_deck *deck, scree_forecast *f, double *step, scree_error *error) {
  if (!scree_forecast_fits(deck, error)) return false;
  *f = scree_forecast_make(deck);
  *step = measure_step(deck, error);
  return *step > 0;
}

static void print_forecast(const scree_deck *deck, const scree_forecast *f, double seconds) {
  const double steps = (double)deck->run.steps;
  printf("# bodies   %llu %s\n", (unsigned long long)f->bodies,
         deck->packing.dimension == 2 ? "discs" : "spheres");
  printf("# steps    %.0f of %g, to time %g\n", steps, deck->solver.time_step,
         steps * deck->solver.time_step);
  printf("# memory   about %.3g MB\n", 1e-6 * f->bytes);
  printf("# time     about %.2g s on this machine\n", steps * seconds);
}

/// The resolved deck and its forecast, or why it cannot be built.
static int show(const scree_cli *cli, const char *path, const char *resolved) {
  scree_deck *deck = scree_deck_load(resolved);
  scree_forecast f;
  double seconds;
  scree_error reason, error;
  const bool ok = forecast(deck, &f, &seconds, &reason);
  if (ok) {
    fputs(resolved, stdout);
    print_forecast(deck, &f, seconds);
  } else {
    scree_error_set(&error, reason.exit_code, "%s: %s", path, reason.text);
  }
  scree_deck_destroy(deck);
  return ok ? SCREE_EXIT_OK : scree_cli_fail(cli, &error);
}

int scree_cli_check(const scree_cli *cli, int argc, char **argv) {
  scree_deck_arguments a = {0};
  const scree_parse_result parsed = scree_cli_parse(cli, &check_argp, argc, argv, 0, &a);
  int exit_code = scree_cli_parse_exit(parsed);
  if (parsed == SCREE_PARSED) {
    scree_error error;
    char *resolved;
    if (!scree_deck_read_all(a.path, a.set, a.set_count, cli->comm, &resolved, &error)) {
      exit_code = scree_cli_fail(cli, &error);
    } else {
      exit_code = cli->rank == 0 ? show(cli, a.path, resolved) : SCREE_EXIT_OK;
      scree_free(resolved);
    }
  }
  scree_deck_arguments_free(&a);
  return exit_code;
}
