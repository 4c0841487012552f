/// \file
/// Runs CMocka tests under MPI. A test that fails on one rank ends the whole job there and then:
/// the other ranks may wait in a collective call and would hang. Include it in one file per test
/// program.
#pragma once
#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
// CMocka wants the four above first.
#include <cmocka.h>

static inline int scree_test_run(const struct CMUnitTest *tests, size_t count) {
  MPI_Init(NULL, NULL);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t i = 0; i < count; i++) {
    // One group per test, so that a failure is known before the next collective call.
    if (_cmocka_run_group_tests(tests[i].name, &tests[i], 1, NULL, NULL) == 0) continue;
    fprintf(stderr, "%s failed on rank %d\n", tests[i].name, rank);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}

#define SCREE_TEST_MAIN(tests)                                                                     \
  int main(void) {                                                                                 \
    return scree_test_run(tests, sizeof tests / sizeof tests[0]);                                  \
  }
