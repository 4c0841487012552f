/// \file
/// The log and its progress line: see scree/log.h.
#include "scree/log.h"

#include "scree/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct scree_log {
  bool speaks;          ///< rank 0 only
  bool bar;             ///< redraw one line instead of writing many
  bool bar_shown;       ///< a bar stands on the terminal's last line
  bool file_failed;     ///< said once; the run goes on without log.txt
  FILE *file;           ///< owned; NULL: terminal only
  double started;       ///< time of the first progress report; 0: none yet
  double next_report;   ///< no report before this time
  double line_interval; ///< seconds between plain lines, doubling up to a minute
};

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// mpirun gives its ranks a terminal of their own even when its output goes to a file, so under a
/// launcher the question is where the launcher's output goes.
static bool on_terminal(void) {
  if (isatty(STDOUT_FILENO) != 1) return false;
  if (!getenv("PMIX_RANK") && !getenv("OMPI_COMM_WORLD_RANK")) return true;
  char path[64], target[64] = "";
  snprintf(path, sizeof path, "/proc/%ld/fd/1", (long)getppid());
  return readlink(path, target, sizeof target - 1) > 0 &&
         (strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0);
}

scree_log *scree_log_create(int rank, const char *file, bool go_on, scree_progress_style style) {
  scree_log *log = scree_alloc(1, sizeof *log);
  log->speaks = rank == 0;
  if (!log->speaks) return log;
  log->bar = style == SCREE_PROGRESS_BAR || (style == SCREE_PROGRESS_AUTO && on_terminal());
  log->line_interval = 2;
  if (file) {
    log->file = fopen(file, go_on ? "a" : "w");
    SCREE_CHECK(log->file, "%s cannot be written: %m", file);
  }
  return log;
}

static void clear_bar(scree_log *log) {
  if (log->bar_shown) fputs("\r\033[K", stdout);
  log->bar_shown = false;
}

void scree_log_destroy(scree_log *log) {
  if (!log) return;
  clear_bar(log);
  fflush(stdout);
  if (log->file) fclose(log->file);
  scree_free(log);
}

static void write_line(scree_log *log, FILE *terminal, const char *mark, const char *format,
                       va_list args) SCREE_PRINTF(4, 0);
static void write_line(scree_log *log, FILE *terminal, const char *mark, const char *format,
                       va_list args) {
  char text[4096];
  vsnprintf(text, sizeof text, format, args);
  clear_bar(log);
  fprintf(terminal, "%s%s\n", mark, text);
  fflush(terminal);
  if (!log->file || log->file_failed) return;
  fprintf(log->file, "%s%s\n", mark, text);
  if (fflush(log->file) != 0) {
    log->file_failed = true;
    fprintf(stderr, "warning: log.txt cannot be written any more (%m); the run goes on\n");
  }
}

void scree_log_line(scree_log *log, const char *format, ...) {
  if (!log->speaks) return;
  va_list args;
  va_start(args, format);
  write_line(log, stdout, "", format, args);
  va_end(args);
}

void scree_log_warning(scree_log *log, const char *format, ...) {
  if (!log->speaks) return;
  va_list args;
  va_start(args, format);
  write_line(log, stderr, "warning: ", format, args);
  va_end(args);
}

/// "1:02:03", "2:03" or "3.4 s": short enough for a progress line.
static const char *duration(double seconds, char *text, size_t size) {
  const long s = (long)(seconds + 0.5);
  if (seconds < 60)
    snprintf(text, size, "%.1f s", seconds);
  else if (s < 3600)
    snprintf(text, size, "%ld:%02ld min", s / 60, s % 60);
  else
    snprintf(text, size, "%ld:%02ld:%02ld h", s / 3600, s / 60 % 60, s % 60);
  return text;
}

static void draw_bar(scree_log *log, double fraction, const char *text) {
  enum { width = 30 };
  char bar[width + 1];
  const int filled = (int)(fraction * (double)width);
  for (int i = 0; i < width; i++) bar[i] = i < filled ? '#' : '-';
  bar[width] = '\0';
  printf("\r\033[K[%s] %s", bar, text);
  fflush(stdout);
  log->bar_shown = true;
}

void scree_log_progress(scree_log *log, int64_t done, int64_t total) {
  if (!log->speaks) return;
  const double now = seconds_now();
  if (log->started == 0) {
    log->started = now;
    log->next_report = now + (log->bar ? 0.1 : log->line_interval);
    return;
  }
  if (now < log->next_report) return;

  const double fraction = total > 0 ? (double)done / (double)total : 1;
  const double elapsed = now - log->started;
  char left[32] = "unknown", text[128];
  if (fraction > 0) duration(elapsed * (1 - fraction) / fraction, left, sizeof left);
  snprintf(text, sizeof text, "step %lld of %lld (%.0f %%), %s left", (long long)done,
           (long long)total, 100 * fraction, left);
  if (log->bar) {
    draw_bar(log, fraction, text);
    log->next_report = now + 0.2;
  } else {
    scree_log_line(log, "%s", text);
    log->next_report = now + log->line_interval;
    if (log->line_interval < 60) log->line_interval *= 2;
  }
}
