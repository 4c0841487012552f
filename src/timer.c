/// \file
/// Phase timers: see scree/timer.h.
#include "scree/timer.h"

static const char *const phase_name[SCREE_PHASE_COUNT] = {
    [SCREE_PHASE_SETUP] = "set-up",        [SCREE_PHASE_FORCES] = "forces",
    [SCREE_PHASE_REBUILD] = "rebuild",     [SCREE_PHASE_PARTITION] = "partition",
    [SCREE_PHASE_MIGRATE] = "migrate",     [SCREE_PHASE_PREPARE] = "prepare",
    [SCREE_PHASE_SWEEPS] = "sweeps",       [SCREE_PHASE_HALO] = "halo",
    [SCREE_PHASE_POSITIONS] = "positions", [SCREE_PHASE_OBSERVE] = "observe",
    [SCREE_PHASE_OUTPUT] = "output",
};

void scree_timer_init(scree_timer *timer) {
  *timer = (scree_timer){.created = MPI_Wtime(), .running = -1};
}

void scree_timer_begin(scree_timer *timer, scree_phase phase) {
  SCREE_ASSERT(timer->running == -1);
  timer->running = (int)phase;
  timer->started = MPI_Wtime();
}

void scree_timer_end(scree_timer *timer, scree_phase phase) {
  SCREE_ASSERT(timer->running == (int)phase);
  timer->seconds[phase] += MPI_Wtime() - timer->started;
  timer->running = -1;
}

void scree_timer_switch(scree_timer *timer, scree_phase phase) {
  SCREE_ASSERT(timer->running != -1);
  const double now = MPI_Wtime();
  timer->seconds[timer->running] += now - timer->started;
  timer->running = (int)phase;
  timer->started = now;
}

double scree_timer_elapsed(const scree_timer *timer) {
  return MPI_Wtime() - timer->created;
}

void scree_timer_report(const scree_timer *timer, scree_log *log, const scree_ranks *ranks) {
  enum { rows = SCREE_PHASE_COUNT + 1 }; // one more for what no phase claims
  double least[rows], most[rows], total = scree_timer_elapsed(timer);
  scree_exact sum[rows] = {0};
  most[SCREE_PHASE_COUNT] = total;
  for (int p = 0; p < SCREE_PHASE_COUNT; p++) {
    most[p] = timer->seconds[p];
    most[SCREE_PHASE_COUNT] -= most[p];
  }
  for (int p = 0; p < rows; p++) {
    least[p] = -most[p];
    scree_exact_add(&sum[p], most[p]);
  }
  scree_ranks_max(ranks, least, rows);
  scree_ranks_max(ranks, most, rows);
  scree_ranks_exact(ranks, sum, rows);

  scree_log_line(log, "%-10s %10s %10s %10s %7s", "phase", "min s", "avg s", "max s", "share");
  for (int p = 0; p < rows; p++) {
    const double average = scree_exact_value(&sum[p]) / ranks->size;
    scree_log_line(log, "%-10s %10.3f %10.3f %10.3f %5.1f %%",
                   p < SCREE_PHASE_COUNT ? phase_name[p] : "other", -least[p], average, most[p],
                   total > 0 ? 100 * average / total : 0);
  }
}
