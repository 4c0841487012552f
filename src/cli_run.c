/// \file
/// scree run DECK: the way of a run from deck to state.
#include "cli.h"
#include "forecast.h"
#include "report.h"
#include "scree/checkpoint.h"
#include "scree/deck_changes.h"
#include "scree/fields.h"
#include "scree/hash.h"
#include "scree/memory.h"
#include "scree/output_dir.h"
#include "scree/partition_table.h"
#include "scree/provenance.h"
#include "scree/series.h"
#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct run_arguments {
  scree_deck_arguments deck;
  const char *out; ///< NULL: named after the deck
  bool force;
  const char *restart; ///< NULL: from the beginning
  double max_hours;    ///< 0: no limit
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
  case 'r': a->restart = value; return 0;
  case 'm': {
    char *end;
    a->max_hours = strtod(value, &end);
    if (end != value && *end == '\0' && a->max_hours > 0) return 0;
    argp_error(state, "--max-hours: expected a number > 0, got '%s'", value);
    return EINVAL;
  }
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
    {"restart", 'r', "CHECKPOINT", 0, "Go on from this checkpoint, on any number of ranks.", 0},
    {"max-hours", 'm', "H", 0, "Stop after H hours with a checkpoint, exit code 3.", 0},
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
           "'state' and the hash of the final state, which depends on the deck alone.\n\n"
           "SIGUSR1 asks for a checkpoint; SIGUSR2, SIGTERM or a file called 'stop' in the "
           "directory for a "
           "checkpoint and a stop, with exit code 3.",
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

static scree_observables observe(scree_simulation *s) {
  const scree_local lost = scree_bodies_not_finite(s->bodies);
  SCREE_CHECK(lost < 0,
              "at step %lld the state of body %llu is no longer a finite number: forces, "
              "velocities or the time step are far too large",
              (long long)s->step, (unsigned long long)s->bodies->id[lost < 0 ? 0 : lost]);
  return scree_simulation_observe(s);
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

/// Everything a run has to do with.
typedef struct job {
  const run_arguments *arguments;
  const char *directory;
  const char *resolved; ///< deck
  scree_simulation *simulation;
  scree_log *log;
  scree_series *series;
  scree_partition_table *partition;
  scree_fields *fields; ///< NULL: none wanted
  char *stop_file;      ///< owned
  double deadline;
} job;

/// A checkpoint that cannot be written ends the run: what was asked for is safety.
static void write_checkpoint(job *j) {
  scree_simulation *s = j->simulation;
  scree_error error;
  scree_timer_begin(&s->timer, SCREE_PHASE_OUTPUT);
  const bool ok = scree_checkpoint_write(s, j->directory, j->resolved, &error);
  scree_timer_end(&s->timer, SCREE_PHASE_OUTPUT);
  if (!ok && s->ranks->rank == 0)
    SCREE_FAIL("at step %lld: %s; the last good checkpoint is kept", (long long)s->step,
               error.text);
  if (!ok) scree_ranks_wait(s->ranks);
}

/// Whatever is to be written at this step.
static void record(job *j, bool series) {
  scree_simulation *s = j->simulation;
  const bool fields = scree_fields_due(j->fields);
  if (!series && !fields) return;
  const scree_observables o = observe(s);
  scree_timer_begin(&s->timer, SCREE_PHASE_OUTPUT);
  if (series) scree_series_write(j->series, &o);
  if (fields && !scree_fields_write(j->fields, &o))
    scree_log_warning(j->log,
                      "at step %lld fields.bp cannot be written; the run goes on without it",
                      (long long)s->step);
  scree_timer_end(&s->timer, SCREE_PHASE_OUTPUT);
}

/// Returns whether the run got to its end; else somebody wanted it to stop.
static bool advance(job *j) {
  scree_simulation *s = j->simulation;
  const int64_t steps = s->deck->run.steps, every = s->deck->output.series.every,
                save_every = s->deck->output.checkpoint.every;
  bool fast = false, missed = false;
  if (!j->arguments->restart) record(j, true);
  while (s->step < steps) {
    scree_log_progress(j->log, s->step, steps);
    scree_simulation_step(s);
    warn(s, j->log, &fast, &missed);
    scree_partition_table_write(j->partition, false);
    record(j, s->step % every == 0 || s->step == steps);
    const scree_wish wish = scree_signals_poll(s->ranks, j->stop_file, j->deadline);
    if (wish != SCREE_WISH_NOTHING || (save_every > 0 && s->step % save_every == 0))
      write_checkpoint(j);
    if (wish == SCREE_WISH_CHECKPOINT)
      scree_log_line(j->log, "checkpoint at step %lld, as asked", (long long)s->step);
    if (wish == SCREE_WISH_STOP && s->step < steps) return false;
  }
  return true;
}

static void log_stop(job *j) {
  scree_log_line(j->log, "stopped    at step %lld of %lld, as asked; go on with",
                 (long long)j->simulation->step, (long long)j->simulation->deck->run.steps);
  scree_log_line(j->log, "           scree run %s --out %s --restart %s/checkpoint.bp",
                 j->arguments->deck.path, j->directory, j->directory);
}

/// The run itself; the directory is ready. Returns the exit code.
static int run(const scree_cli *cli, const run_arguments *a, const char *directory,
               const char *resolved, const char *changes, scree_simulation *s) {
  const bool go_on = a->restart != NULL;
  char *log_path = scree_output_path(directory, "log.txt");
  char *series_path = scree_output_path(directory, "series.csv");
  job j = {.arguments = a,
           .directory = directory,
           .resolved = resolved,
           .simulation = s,
           .log = scree_log_create(cli->rank, log_path, go_on, a->progress),
           .stop_file = scree_output_path(directory, "stop"),
           .deadline = a->max_hours > 0 ? s->timer.created + 3600 * a->max_hours : HUGE_VAL};
  scree_provenance_banner(j.log, cli->comm);
  scree_report_start(j.log, a->deck.path, s);
  if (go_on) scree_log_line(j.log, "restart    %s, step %lld", a->restart, (long long)s->step);
  if (go_on && changes[0]) scree_log_line(j.log, "changed    %s", changes);
  j.series = scree_series_create(series_path, s, go_on);
  j.partition = scree_partition_table_create(directory, s, go_on);
  scree_error error;
  j.fields = scree_fields_create(s, directory, resolved, go_on, &error);
  SCREE_CHECK(j.fields || !error.text[0], "%s", error.text);
  scree_signals_listen();
  const bool done = advance(&j);
  scree_partition_table_write(j.partition, true);
  scree_partition_table_destroy(j.partition);
  scree_series_destroy(j.series);
  scree_fields_destroy(j.fields);
  scree_report_end(j.log, s);
  scree_log_line(j.log, "results    %s", directory);
  if (!done) log_stop(&j);
  const uint64_t state = scree_hash_state(s->bodies, s->ranks);
  scree_log_line(j.log, "state %016llx", (unsigned long long)state);
  scree_log_destroy(j.log);
  scree_free(j.stop_file);
  scree_free(series_path);
  scree_free(log_path);
  return done ? SCREE_EXIT_OK : SCREE_EXIT_STOPPED;
}

/// The checkpoint to go on from: that one, or, if a run was killed while it took its name, the one before.
static char *find_checkpoint(const scree_ranks *ranks, const char *path) {
  char *found = scree_strdup(path);
  const size_t length = strlen(path);
  static const char name[] = "checkpoint.bp", previous[] = "checkpoint.previous.bp";
  const bool ours = length >= strlen(name) && strcmp(path + length - strlen(name), name) == 0;
  double missing = ranks->rank == 0 && ours && access(path, F_OK) != 0;
  scree_ranks_max(ranks, &missing, 1);
  if (missing == 0) return found;
  found = scree_realloc(found, length + sizeof previous, 1);
  memcpy(found + length - strlen(name), previous, sizeof previous);
  return found;
}

/// The simulation in a checkpoint. `*changes` is what the deck has changed, owned by the caller.
static scree_simulation *restore(const scree_ranks *ranks, const char *path, const scree_deck *deck,
                                 const char *resolved, char **changes, scree_error *error) {
  char *checkpoint = find_checkpoint(ranks, path);
  char *before = scree_checkpoint_deck(checkpoint, ranks, error);
  scree_saved saved;
  const bool ok = before && scree_deck_changes(before, resolved, changes, error) &&
                  scree_checkpoint_read(checkpoint, ranks, deck, &saved, error);
  scree_free(before);
  scree_free(checkpoint);
  return ok ? scree_simulation_restore(deck, ranks, &saved) : NULL;
}

/// Everything that can be wrong with a deck is known when this returns, and nothing has been
/// written yet.
static scree_simulation *prepare(const scree_ranks *ranks, const run_arguments *a,
                                 const scree_deck *deck, const char *resolved, char **changes,
                                 scree_error *error) {
  scree_error reason;
  if (!scree_ranks_agree(ranks, scree_forecast_fits(deck, error), error)) return NULL;
  scree_simulation *s = a->restart ? restore(ranks, a->restart, deck, resolved, changes, &reason)
                                   : scree_simulation_create(deck, ranks, &reason);
  if (!s)
    scree_error_set(error, reason.exit_code, "%s: %s", a->restart ? "--restart" : a->deck.path,
                    reason.text);
  return s;
}

/// Check, claim the directory, run. The arguments have been parsed.
static int run_deck(const scree_cli *cli, const run_arguments *a) {
  scree_error error;
  char *resolved, *changes = NULL;
  if (!scree_deck_read_all(a->deck.path, a->deck.set, a->deck.set_count, cli->comm, &resolved,
                           &error))
    return scree_cli_fail(cli, &error);

  scree_deck *deck = scree_deck_load(resolved);
  char *directory = a->out ? scree_strdup(a->out) : default_directory(a->deck.path);
  const scree_ranks ranks = scree_ranks_of(cli->comm);
  scree_simulation *s = prepare(&ranks, a, deck, resolved, &changes, &error);
  bool ok = s != NULL;
  if (ok && cli->rank == 0)
    ok = a->restart ? scree_output_dir_continue(directory, a->force, resolved, &error)
                    : scree_output_dir_prepare(directory, a->force, resolved, &error);
  ok = scree_error_agree(ok, &error, cli->comm);
  const int exit_code = ok ? run(cli, a, directory, resolved, changes, s) : SCREE_EXIT_OK;
  scree_simulation_destroy(s);
  scree_free(directory);
  scree_deck_destroy(deck);
  scree_free(resolved);
  scree_free(changes);
  return ok ? exit_code : scree_cli_fail(cli, &error);
}

int scree_cli_run(const scree_cli *cli, int argc, char **argv) {
  run_arguments a = {0};
  const scree_parse_result parsed = scree_cli_parse(cli, &run_argp, argc, argv, 0, &a);
  const int exit_code = parsed == SCREE_PARSED ? run_deck(cli, &a) : scree_cli_parse_exit(parsed);
  scree_deck_arguments_free(&a.deck);
  return exit_code;
}
