/// \file
/// scree check DECK: the deck with all its defaults, and what a run of it would take. The output is
/// itself a deck: what is not a key stands in comments.
#include "cli.h"
#include "forecast.h"
#include "scree/memory.h"
#include "scree/simulation.h"

#include <math.h>
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

/// A step that sweeps until forces have settled may take very long; for the forecast a part of it will do.
static void limit_sweeps(scree_deck *deck) {
  const scree_deck_sweeps *sweeps = &deck->solver.sweeps;
  int64_t *most = sweeps->local    ? &sweeps->local->most
                  : sweeps->global ? &sweeps->global->most
                                   : NULL;
  if (most && *most > 100) *most = 100;
}

/// Seconds per step, from some of them.
static double measure_step(scree_simulation *s) {
  const double start = MPI_Wtime();
  double elapsed;
  do {
    scree_simulation_step(s);
    elapsed = MPI_Wtime() - start;
  } while (elapsed < 0.1 && s->step < s->deck->run.steps);
  return elapsed / (double)s->step;
}

/// What the number of sweeps makes of the packing (theory §4), with the q of a random sweep in a chain.
static void print_regime(const scree_simulation *s) {
  const scree_deck_sweeps *sweeps = &s->deck->solver.sweeps;
  if (!sweeps->fixed) {
    printf("# regime   rigid: sweeps until forces have settled; a step costs more the larger the "
           "packing\n");
    return;
  }
  const double q = 0.5 * (4 * sqrt(exp(1)) - 5), reach = sqrt(q * (double)*sweeps->fixed);
  printf("# regime   like a damped elastic solid: sound goes %.3g diameters per step, forces "
         "diffuse over %.3g; rigid only "
         "if it is much smaller\n",
         reach, 2 * reach);
}

static void print_forecast(scree_simulation *s) {
  const scree_forecast f = scree_forecast_make(s->deck);
  const double steps = (double)s->deck->run.steps, time_step = s->deck->solver.time_step;
  printf("# bodies   %llu %s, %lld candidate contacts\n", (unsigned long long)f.bodies,
         s->bodies->dimension == 2 ? "discs" : "spheres", (long long)s->contacts->count);
  print_regime(s);
  printf("# steps    %.0f of %g, to time %g\n", steps, time_step, steps * time_step);
  printf("# memory   about %.3g MB\n", 1e-6 * f.bytes);
  const double seconds = steps * measure_step(s);
  printf("# time     %s %.2g s on this machine, if it stays as it starts\n",
         s->counts.unconverged > 0 ? "more than" : "about", seconds);
}

/// The resolved deck and its forecast, or why it cannot be built.
static int show(const scree_cli *cli, const char *path, const char *resolved) {
  scree_deck *deck = scree_deck_load(resolved);
  limit_sweeps(deck);
  scree_error reason, error;
  scree_simulation *s = scree_forecast_fits(deck, &reason)
                            ? scree_simulation_create(deck, &scree_alone, &reason)
                            : NULL;
  const bool ok = s != NULL;
  if (ok) {
    fputs(resolved, stdout);
    print_forecast(s);
  } else {
    scree_error_set(&error, reason.exit_code, "%.800s: %s", path, reason.text);
  }
  scree_simulation_destroy(s);
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
