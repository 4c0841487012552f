/// \file
/// A failure that one rank sees while the others wait: the job must end with its message. Run by
/// cli/failures.sh.
#include "scree/check.h"

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  SCREE_CHECK(rank != 1, "the disk of rank %d is on fire", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
