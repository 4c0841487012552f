/// \file
/// Wishes that reach a run from outside: signals, a time limit, a file called `stop`.
#pragma once
#include "scree/ranks.h"

typedef enum {
  SCREE_WISH_NOTHING,
  SCREE_WISH_CHECKPOINT, ///< write one and go on (SIGUSR1)
  SCREE_WISH_STOP        ///< write one and stop (SIGUSR2, SIGTERM, the time limit, the file)
} scree_wish;

/// Listen to signals from now on.
void scree_signals_listen(void);
/// What any rank has been asked since the last call. `stop_file` is looked for by rank 0, once a second;
/// `deadline` is a time of MPI_Wtime. Collective.
scree_wish scree_signals_poll(const scree_ranks *ranks, const char *stop_file, double deadline);
