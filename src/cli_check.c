/// \file
/// scree check DECK: the deck with all its defaults, and what a run of it would take. The output is
/// itself a deck: what is not a key stands in comments.
#include "cli.h"
#include "scree/memory.h"
#include "scree/simulation.h"

#include <stdio.h>

static error_t parse_check(int key, char *value, struct argp_state *state) {
  (void)value;
  switch (key) {
  case 'h':
    return SCREE_ARGP_HELP;
  case ARGP_KEY_INIT:
    state->child_inputs[0] = state->input;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
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

/// Seconds per body and step, from steps of at most a few thousand bodies for some milliseconds.
static double measure_step(const scree_deck *deck) {
  const uint64_t count = scree_deck_body_count(deck);
  const scree_local sample = count < 4096 ? (scree_local)count : 4096;
  scree_simulation *s = scree_simulation_create(deck, sample);
  const double start = MPI_Wtime();
  double elapsed;
  do {
    scree_simulation_step(s);
    elapsed = MPI_Wtime() - start;
  } while (elapsed < 0.02);
  const double seconds = elapsed / (double)s->step / sample;
  scree_simulation_destroy(s);
  return seconds;
}

static void print_forecast(const scree_deck *deck) {
  const double count = (double)scree_deck_body_count(deck);
  const double steps = (double)deck->run.steps;
  printf("# bodies   %.0f %s\n", count, deck->packing.dimension == 2 ? "discs" : "spheres");
  printf("# regime   free flight: bodies move under external forces and do not meet\n");
  printf("# steps    %.0f of %g, to time %g\n", steps, deck->solver.time_step,
         steps * deck->solver.time_step);
  printf("# memory   about %.3g MB\n", 1e-6 * count * (double)scree_bodies_bytes_each());
  printf("# time     about %.2g s on one core of this machine\n",
         count * steps * measure_step(deck));
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
      if (cli->rank == 0) {
        scree_deck *deck = scree_deck_load(resolved);
        fputs(resolved, stdout);
        print_forecast(deck);
        scree_deck_destroy(deck);
      }
      scree_free(resolved);
      exit_code = SCREE_EXIT_OK;
    }
  }
  scree_deck_arguments_free(&a);
  return exit_code;
}
