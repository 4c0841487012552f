/// \file
/// What to do when something is wrong, in tiers:
///
///   SCREE_ASSERT   a mistake in Scree itself; debug and sanitizer builds only, use in plenty
///   SCREE_CHECK    the border to MPI, files and libraries; always on; one rank sees it, and ends the job
///   scree_error    bad input: a message handed up to the caller, who decides; nothing is printed here
///
/// A failure that one rank sees must abort (the others wait in a collective call and would hang).
/// One that all ranks see is returned to main, which prints it once and ends the job in order.
#pragma once
#include <mpi.h>
#include <stdbool.h>

/// Exit codes of the program (the contract in docs/architecture.md).
enum { SCREE_EXIT_OK = 0, SCREE_EXIT_FAILURE = 1, SCREE_EXIT_INPUT = 2, SCREE_EXIT_STOPPED = 3 };

#define SCREE_PRINTF(text, first) __attribute__((format(printf, text, first)))

/// A message for the user, one or more lines without the trailing newline, and the exit code it
/// deserves.
typedef struct scree_error {
  int exit_code;
  char text[2048];
} scree_error;

/// Fill `error` and return false, so that callers can write `return scree_error_set(...)`.
bool scree_error_set(scree_error *error, int exit_code, const char *format, ...) SCREE_PRINTF(3, 4);

/// Make every rank agree on what rank 0 found: afterwards all have its `error` and return its `ok`.
/// Collective.
bool scree_error_agree(bool ok, scree_error *error, MPI_Comm comm);

/// Print rank, time, place and message, then abort the whole job with exit code 1.
_Noreturn void scree_fail_one(const char *file, int line, const char *function, const char *format,
                              ...) SCREE_PRINTF(4, 5);

#define SCREE_FAIL(...) scree_fail_one(__FILE__, __LINE__, __func__, __VA_ARGS__)

#define SCREE_CHECK(condition, ...)                                                                \
  do {                                                                                             \
    if (!(condition)) SCREE_FAIL(__VA_ARGS__);                                                     \
  } while (0)

/// Wraps an MPI call. Open MPI aborts by itself by default; this covers communicators that return
/// errors.
#define SCREE_MPI(call)                                                                            \
  do {                                                                                             \
    const int scree_mpi_result_ = (call);                                                          \
    SCREE_CHECK(scree_mpi_result_ == MPI_SUCCESS, "%s returned error %d", #call,                   \
                scree_mpi_result_);                                                                \
  } while (0)

#ifdef SCREE_DEBUG
#define SCREE_ASSERT(condition)                                                                    \
  do {                                                                                             \
    if (!(condition)) SCREE_FAIL("assertion failed: %s", #condition);                              \
  } while (0)
#else
#define SCREE_ASSERT(condition) ((void)sizeof(condition))
#endif
