/// \file
/// Rank 0 reads the deck; all ranks agree on it, or on the one message.
#include "scree/deck.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Rank 0 writes `text` into a file of its own and reads it; the path means nothing to the other
/// ranks.
static bool read_on_all(const char *text, char **resolved, scree_error *error) {
  char path[] = "/tmp/scree-test-deck-XXXXXX";
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
  }
  const bool ok = scree_deck_read_all(path, NULL, 0, MPI_COMM_WORLD, resolved, error);
  if (rank == 0) unlink(path);
  return ok;
}

static void all_ranks_get_the_same_deck(void **state) {
  (void)state;
  char *resolved;
  scree_error error;
  assert_true(read_on_all("packing: {dimension: 2, chain: {count: 9, radius: 0.5}}\n"
                          "solver: {time_step: 0.1, sweeps: {fixed: 10}}\nrun: {steps: 3}\n",
                          &resolved, &error));
  int rank, length = (int)strlen(resolved), longest;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&length, &longest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  assert_int_equal(length, longest);
  char *first = scree_strdup(resolved);
  MPI_Bcast(first, length, MPI_CHAR, 0, MPI_COMM_WORLD);
  assert_string_equal(first, resolved);
  scree_deck *deck = scree_deck_load(resolved);
  assert_int_equal(deck->packing.chain->count, 9);
  scree_deck_destroy(deck);
  scree_free(first);
  scree_free(resolved);
}

static void all_ranks_get_the_same_message(void **state) {
  (void)state;
  char *resolved;
  scree_error error = {.text = ""};
  assert_false(read_on_all("packing: {dimension: 5}\n", &resolved, &error));
  assert_int_equal(error.exit_code, SCREE_EXIT_INPUT);
  assert_non_null(
      strstr(error.text, ":1:11: packing.dimension: expected an integer from 2 to 3, got '5'"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_ranks_get_the_same_deck),
    cmocka_unit_test(all_ranks_get_the_same_message),
};
SCREE_TEST_MAIN(tests)
