/// \file
/// What the log says of a simulation: see report.h.
#include "report.h"

#include "scree/memory.h"

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

void scree_report_start(scree_log *log, const char *deck, const scree_simulation *s) {
  int64_t all[4] = {s->bodies->count, s->contacts->count, s->tiles->count,
                    s->contacts->batch_count};
  scree_ranks_sum(s->ranks, all, 4);
  scree_log_line(log, "deck       %s", deck);
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

void scree_report_end(scree_log *log, const scree_simulation *s) {
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
