/// \file
/// The log: what a user reads while a run goes on (terminal) and afterwards (log.txt). Rank 0
/// writes, the others hold a silent log, so callers need not ask who they are.
#pragma once
#include "scree/check.h"

#include <stdint.h>

typedef struct scree_log scree_log;

/// How progress is shown: chosen by what the terminal is, or by the user.
typedef enum { SCREE_PROGRESS_AUTO, SCREE_PROGRESS_BAR, SCREE_PROGRESS_LINES } scree_progress_style;

/// A log that speaks when `rank` is 0; `file` is log.txt or NULL, and goes on if `go_on`. Owned by the caller.
scree_log *scree_log_create(int rank, const char *file, bool go_on, scree_progress_style style);
void scree_log_destroy(scree_log *log);

/// One line to terminal and file; the newline is added.
void scree_log_line(scree_log *log, const char *format, ...) SCREE_PRINTF(2, 3);
/// The same, marked as a warning, and to stderr.
void scree_log_warning(scree_log *log, const char *format, ...) SCREE_PRINTF(2, 3);

/// Tell how far the work is; cheap enough to call every step. On a terminal this redraws a bar with
/// the time left a few times a second; otherwise it writes plain lines, ever more rarely: the
/// interval doubles from 2 s up to 64 s.
void scree_log_progress(scree_log *log, int64_t done, int64_t total);
