/// \file
/// A test that fails on one rank while the others wait for it: the harness must end the job. Run by
/// cli/failures.sh.
#include "scree_test.h"

static void last_rank_fails(void **state) {
  (void)state;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  assert_int_not_equal(rank, ranks - 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(last_rank_fails)};
SCREE_TEST_MAIN(tests)
