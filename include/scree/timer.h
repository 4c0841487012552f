/// \file
/// Phase timers: where the time of a run goes, as a table with min/avg/max over ranks at its end.
#pragma once
#include "scree/log.h"
#include "scree/ranks.h"

/// Phases of a run in the order of the data flow. They do not nest.
typedef enum {
  SCREE_PHASE_SETUP,
  SCREE_PHASE_FORCES,
  SCREE_PHASE_REBUILD,
  SCREE_PHASE_PARTITION,
  SCREE_PHASE_MIGRATE,
  SCREE_PHASE_PREPARE,
  SCREE_PHASE_SWEEPS,
  SCREE_PHASE_HALO, ///< messages of the sweeps: packing and waiting
  SCREE_PHASE_POSITIONS,
  SCREE_PHASE_OBSERVE,
  SCREE_PHASE_OUTPUT,
  SCREE_PHASE_COUNT
} scree_phase;

typedef struct scree_timer {
  double seconds[SCREE_PHASE_COUNT];
  double created; ///< when the run began
  double started; ///< when the running phase began
  int running;    ///< phase being timed, or -1
} scree_timer;

void scree_timer_init(scree_timer *timer);
void scree_timer_begin(scree_timer *timer, scree_phase phase);
void scree_timer_end(scree_timer *timer, scree_phase phase);
/// The running phase ends where `phase` begins.
void scree_timer_switch(scree_timer *timer, scree_phase phase);
/// Seconds since scree_timer_init.
double scree_timer_elapsed(const scree_timer *timer);
/// Log the table. Collective.
void scree_timer_report(const scree_timer *timer, scree_log *log, const scree_ranks *ranks);
