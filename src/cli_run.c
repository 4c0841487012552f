/// \file
/// scree run DECK: the way of a run from deck to state.
#include "cli.h"
#include "forecast.h"
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

/// How the ranks share the work, at the start.
static void log_ranks(scree_log *log, const scree_simulation *s) {
  if (s->ranks->size == 1) return;
  const scree_balance *b = &s->balance;
  scree_log_line(log, "partition  by %s: %lld contacts cross a border, imbalance %.3f",
                 b->by_parmetis ? "ParMETIS" : "the Morton curve", (long long)b->quality.edge_cut,
                 b->quality.imbalance);
  int64_t idle = s->tiles->count == 0;
  scree_ranks_sum(s->ranks, &idle, 1);
  if (idle > 0)
    scree_log_line(log, "           %lld of %d ranks have nothing to do: there are only %d tiles",
                   (long long)idle, s->ranks->size, (int)s->ownership.count);
}

static void log_start(scree_log *log, const run_arguments *a, const scree_simulation *s) {
  int64_t all[4] = {s->bodies->count, s->contacts->count, s->tiles->count,
                    s->contacts->batch_count};
  scree_ranks_sum(s->ranks, all, 4);
  scree_log_line(log, "deck       %s", a->deck.path);
  scree_log_line(log, "bodies     %lld %s, %lld steps of %g", (long long)all[0],
                 s->bodies->dimension == 2 ? "discs" : "spheres", (long long)s->deck->run.steps,
                 s->deck->solver.time_step);
  const double lanes = (double)SCREE_LANES * (double)all[3];
  scree_log_line(log, "contacts   %lld candidates in %lld tiles, batches %.1f %% full",
                 (long long)all[1], (long long)all[2],
                 lanes > 0 ? 100 * (double)all[1] / lanes : 100.0);
  log_ranks(log, s);
}

/// One row of the table of load: least, mean and most of all ranks.
static void log_load_row(scree_log *log, const scree_ranks *ranks, const char *name, double mine) {
  double bounds[2] = {-mine, mine};
  scree_exact sum = {0};
  scree_exact_add(&sum, mine);
  scree_ranks_max(ranks, bounds, 2);
  scree_ranks_exact(ranks, &sum, 1);
  const double mean = scree_exact_value(&sum) / ranks->size;
  scree_log_line(log, "%-15s %12.0f %12.1f %12.0f %8.3f", name, -bounds[0], mean, bounds[1],
                 mean > 0 ? bounds[1] / mean : 1.0);
}

/// What each rank has at the end, and what it has sent.
static void log_load(scree_log *log, const scree_simulation *s) {
  if (s->ranks->size == 1) return;
  const scree_load load = scree_simulation_load(s);
  const double sweeps = s->counts.sweeps > 0 ? (double)s->counts.sweeps : 1;
  const struct {
    const char *name;
    double mine;
  } row[] = {{"tiles", (double)load.tiles},
             {"bodies", (double)load.bodies},
             {"ghosts", (double)load.ghosts},
             {"contacts", (double)load.contacts},
             {"neighbours", (double)load.neighbours},
             {"messages/sweep", (double)load.halo.messages / sweeps},
             {"bytes/sweep", (double)load.halo.bytes / sweeps},
             {"memory, MB", 1e-6 * (double)scree_memory_now().peak}};
  scree_log_line(log, "%-15s %12s %12s %12s %8s", "load of ranks", "min", "avg", "max", "max/avg");
  for (size_t k = 0; k < sizeof row / sizeof *row; k++)
    log_load_row(log, s->ranks, row[k].name, row[k].mine);
  const double imbalance = scree_simulation_imbalance(s);
  scree_log_line(log,
                 "balance    tiles distributed %lld times, %lld bodies changed their rank, "
                 "imbalance %.3f at the end",
                 (long long)s->balance.distributions, (long long)s->counts.migrated, imbalance);
}

static void log_end(scree_log *log, const scree_simulation *s) {
  const scree_counts *c = &s->counts;
  int64_t updates = c->updates;
  double seconds = s->timer.seconds[SCREE_PHASE_SWEEPS] + s->timer.seconds[SCREE_PHASE_HALO];
  scree_ranks_sum(s->ranks, &updates, 1);
  scree_ranks_max(s->ranks, &seconds, 1);
  scree_timer_report(&s->timer, log, s->ranks);
  log_load(log, s);
  scree_log_line(log, "sweeps     %lld, %.2f ns per contact update%s", (long long)c->sweeps,
                 updates > 0 ? 1e9 * seconds / (double)updates : 0.0,
                 s->ranks->size > 1 ? ", all ranks together" : "");
  if (s->scene.sweeps.order == SCREE_ORDER_RANDOM && s->ranks->size > 1)
    scree_log_line(log, "           %.1f rounds per sweep, %lld at most",
                   c->sweeps > 0 ? (double)c->rounds / (double)c->sweeps : 0.0,
                   (long long)c->most_rounds);
  if (c->unconverged > 0)
    scree_log_line(log,
                   "           %lld steps used all their sweeps without meeting the stopping rule",
                   (long long)c->unconverged);
  scree_log_line(log, "lists      %lld made, %lld contacts missed", (long long)c->rebuilds,
                 (long long)c->missed);
  int64_t memory = scree_memory_now().peak;
  scree_ranks_sum(s->ranks, &memory, 1);
  scree_log_line(log, "memory     %.1f MB at most", 1e-6 * (double)memory);
}

/// The run itself; the directory is ready.
static void run(const scree_cli *cli, const run_arguments *a, const char *directory,
                scree_simulation *s) {
  char *log_path = scree_output_path(directory, "log.txt");
  char *series_path = scree_output_path(directory, "series.csv");
  scree_log *log = scree_log_create(cli->rank, log_path, a->progress);
  scree_provenance_banner(log, cli->comm);
  log_start(log, a, s);
  scree_series *series = scree_series_create(series_path, s);
  scree_partition_table *partition = scree_partition_table_create(directory, s);
  advance(s, series, partition, log);
  scree_partition_table_write(partition, true);
  scree_partition_table_destroy(partition);
  scree_series_destroy(series);
  log_end(log, s);
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
