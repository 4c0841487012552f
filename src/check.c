/// \file
/// Failures: see scree/check.h for the tiers.
#include "scree/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool scree_error_set(scree_error *error, int exit_code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  error->exit_code = exit_code;
  vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  return false;
}

bool scree_error_agree(bool ok, scree_error *error, MPI_Comm comm) {
  int agreed = ok;
  SCREE_MPI(MPI_Bcast(&agreed, 1, MPI_INT, 0, comm));
  if (!agreed) SCREE_MPI(MPI_Bcast(error, sizeof *error, MPI_BYTE, 0, comm));
  return agreed;
}

_Noreturn void scree_fail_one(const char *file, int line, const char *function, const char *format,
                              ...) {
  int initialized = 0, finalized = 0, rank = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  const bool parallel = initialized && !finalized;
  // This is the one place below main.c that names the world: whoever fails, the whole job must end.
  if (parallel) MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  char when[32] = "";
  const time_t now = time(NULL);
  struct tm parts;
  if (localtime_r(&now, &parts)) strftime(when, sizeof when, "%H:%M:%S", &parts);

  // One write for the whole message, so that messages of several ranks do not interleave.
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const char *base = strrchr(file, '/');
  fflush(NULL);
  fprintf(stderr, "scree: error on rank %d at %s in %s (%s:%d): %s\n", rank, when, function,
          base ? base + 1 : file, line, text);
  fflush(stderr);
  int ranks = 1;
  if (parallel) MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1) MPI_Abort(MPI_COMM_WORLD, SCREE_EXIT_FAILURE);
  _exit(SCREE_EXIT_FAILURE); // alone there is nobody to tell, and MPI_Abort would only add a notice
}
