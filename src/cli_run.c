/// \file
/// scree run DECK: the way of a run from deck to state.
#include "cli.h"
#include "forecast.h"
#include "report.h"
#include "scree/hash.h"
#include "scree/memory.h"
#include "scree/output_dir.h"
#include "scree/partition_table.h"
#include "scree/provenance.h"
#include "scree/series.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct run_arguments {
  scree_deck_arguments deck;
  const char *out; ///< NULL: named after the deck
  bool force;
  scree_progress_style progress;
} run_arguments;

static error_t parse_run(int key, char *value, struct argp_state *state) {
  static const char *const style[] = {"auto", "bar", "lines"};
  run_arguments *a = state->input;
  switch (key) {
  case 'h': return SCREE_ARGP_HELP;
  case 'f': a->force = true; return 0;
  case 'o':
    a->out = value;
    if (value[0]) return 0;
    argp_error(state, "--out needs the name of a directory");
    return EINVAL;
  case 'p':
    for (int i = 0; i < 3; i++) {
      a->progress = (scree_progress_style)i;
      if (strcmp(value, style[i]) == 0) return 0;
    }
    argp_error(state, "--progress: expected auto, bar or lines, got '%s'", value);
    return EINVAL;
  case ARGP_KEY_INIT: state->child_inputs[0] = &a->deck; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option run_options[] = {
    {"out", 'o', "DIR", 0,
     "Directory for the results (default: the deck's name with '.out', here).", 0},
    {"force", 'f', NULL, 0, "Overwrite results of an earlier run in that directory.", 0},
    {"progress", 'p', "STYLE", 0, "auto (default), bar, or lines.", 0},
    SCREE_ARGP_HELP_OPTION,
    {0}};

static const struct argp_child run_children[] = {{&scree_deck_argp, 0, NULL, 0}, {0}};

static const struct argp run_argp = {
    .options = run_options,
    .parser = parse_run,
    .args_doc = "DECK",
    .doc = "Run a deck.\v"
           "Writes log.txt, deck.resolved.yaml, series.csv and partition.csv into the directory. "
           "The last line "
           "printed is "
           "'state' and the hash of the final state, which depends on the deck alone.",
    .children = run_children};

/// "dir/chain.yaml" → "chain.out", owned by the caller.
static char *default_directory(const char *deck_path) {
  const char *slash = strrchr(deck_path, '/');
  const char *base = slash ? slash + 1 : deck_path;
  const char *dot = strrchr(base, '.');
  const int length = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
  char *name = scree_alloc((size_t)length + sizeof ".out", 1);
  snprintf(name, (size_t)length + sizeof ".out", "%.*s.out", length, base);
  return name;
}

static void record(scree_simulation *s, scree_series *series) {
  const scree_local lost = scree_bodies_not_finite(s->bodies);
  SCREE_CHECK(lost < 0,
              "at step %lld the state of body %llu is no longer a finite number: forces, "
              "velocities or the time step are far too large",
              (long long)s->step, (unsigned long long)s->bodies->id[lost < 0 ? 0 : lost]);
  const scree_observables o = scree_simulation_observe(s);
  scree_timer_begin(&s->timer, SCREE_PHASE_OUTPUT);
  scree_series_write(series, &o);
  scree_timer_end(&s->timer, SCREE_PHASE_OUTPUT);
}

/// Things a user should hear of once, when they first happen.
static void warn(const scree_simulation *s, scree_log *log, bool *fast, bool *missed) {
  if (s->fastest > 1 && !*fast) {
    scree_log_warning(
        log, "at step %lld a body moves %.2g of its radius in one step; take a smaller time step",
        (long long)s->step, s->fastest);
    *fast = true;
  }
  if (s->counts.missed > 0 && !*missed) {
    scree_log_warning(log,
                      "at step %lld bodies overlap that were too far apart to be watched; a larger "
                      "solver.skin or "
                      "a smaller time step helps",
                      (long long)s->step);
    *missed = true;
  }
}

static void advance(scree_simulation *s, scree_series *series, scree_partition_table *partition,
                    scree_log *log) {
  const int64_t steps = s->deck->run.steps, every = s->deck->output.series.every;
  bool fast = false, missed = false;
  record(s, series);
  while (s->step < steps) {
    scree_log_progress(log, s->step, steps);
    scree_simulation_step(s);
    warn(s, log, &fast, &missed);
    scree_partition_table_write(partition, false);
    if (s->step % every == 0 || s->step == steps) record(s, series);
  }
}

/// The run itself; the directory is ready.
static void run(const scree_cli *cli, const run_arguments *a, const char *directory,
                scree_simulation *s) {
  char *log_path = scree_output_path(directory, "log.txt");
  char *series_path = scree_output_path(directory, "series.csv");
  scree_log *log = scree_log_create(cli->rank, log_path, a->progress);
  scree_provenance_banner(log, cli->comm);
  scree_report_start(log, a->deck.path, s);
  scree_series *series = scree_series_create(series_path, s);
  scree_partition_table *partition = scree_partition_table_create(directory, s);
  advance(s, series, partition, log);
  scree_partition_table_write(partition, true);
  scree_partition_table_destroy(partition);
  scree_series_destroy(series);
  scree_report_end(log, s);
  scree_log_line(log, "results    %s", directory);
  scree_log_line(log, "state %016llx", (unsigned long long)scree_hash_state(s->bodies, s->ranks));
  scree_log_destroy(log);
  scree_free(series_path);
  scree_free(log_path);
}

/// Everything that can be wrong with a deck is known when this returns, and nothing has been
/// written yet.
static scree_simulation *prepare(const scree_ranks *ranks, const char *path, const scree_deck *deck,
                                 scree_error *error) {
  scree_error reason;
  if (!scree_ranks_agree(ranks, scree_forecast_fits(deck, error), error)) return NULL;
  scree_simulation *s = scree_simulation_create(deck, ranks, &reason);
  if (!s) scree_error_set(error, reason.exit_code, "%s: %s", path, reason.text);
  return s;
}

/// Check, claim the directory, run. The arguments have been parsed.
static int run_deck(const scree_cli *cli, const run_arguments *a) {
  scree_error error;
  char *resolved;
  if (!scree_deck_read_all(a->deck.path, a->deck.set, a->deck.set_count, cli->comm, &resolved,
                           &error))
    return scree_cli_fail(cli, &error);

  scree_deck *deck = scree_deck_load(resolved);
  char *directory = a->out ? scree_strdup(a->out) : default_directory(a->deck.path);
  const scree_ranks ranks = scree_ranks_of(cli->comm);
  scree_simulation *s = prepare(&ranks, a->deck.path, deck, &error);
  bool ok = s != NULL;
  if (ok && cli->rank == 0) ok = scree_output_dir_prepare(directory, a->force, resolved, &error);
  ok = scree_error_agree(ok, &error, cli->comm);
  if (ok) run(cli, a, directory, s);
  scree_simulation_destroy(s);
  scree_free(directory);
  scree_deck_destroy(deck);
  scree_free(resolved);
  return ok ? SCREE_EXIT_OK : scree_cli_fail(cli, &error);
}

int scree_cli_run(const scree_cli *cli, int argc, char **argv) {
  run_arguments a = {0};
  const scree_parse_result parsed = scree_cli_parse(cli, &run_argp, argc, argv, 0, &a);
  const int exit_code = parsed == SCREE_PARSED ? run_deck(cli, &a) : scree_cli_parse_exit(parsed);
  scree_deck_arguments_free(&a.deck);
  return exit_code;
}
