/// \file
/// Phase timers: what they add up to, and the table over ranks.
#include "scree/timer.h"
#include "scree_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void phases_add_up(void **state) {
  (void)state;
  scree_timer timer;
  scree_timer_init(&timer);
  for (int i = 0; i < 3; i++) {
    scree_timer_begin(&timer, SCREE_PHASE_FORCES);
    usleep(10000);
    scree_timer_end(&timer, SCREE_PHASE_FORCES);
  }
  assert_true(timer.seconds[SCREE_PHASE_FORCES] >= 0.03);
  assert_true(timer.seconds[SCREE_PHASE_FORCES] <= scree_timer_elapsed(&timer));
  assert_true(timer.seconds[SCREE_PHASE_OUTPUT] == 0);
}

static void table_holds_least_and_most_over_ranks(void **state) {
  (void)state;
  char path[] = "/tmp/scree-test-timer-XXXXXX", text[4000];
  const scree_ranks all = scree_ranks_of(MPI_COMM_WORLD);
  const int rank = all.rank, ranks = all.size;
  if (rank == 0) close(mkstemp(path));
  scree_log *log = scree_log_create(rank, path, false, SCREE_PROGRESS_LINES);
  scree_timer timer;
  scree_timer_init(&timer);
  timer.seconds[SCREE_PHASE_POSITIONS] = 1 + rank;
  scree_timer_report(&timer, log, &all);
  scree_log_destroy(log);
  if (rank != 0) return;
  FILE *file = fopen(path, "r");
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  unlink(path);
  char expected[100];
  snprintf(expected, sizeof expected, "positions  %10.3f %10.3f %10.3f", 1.0, 1 + 0.5 * (ranks - 1),
           1.0 * ranks);
  assert_non_null(strstr(text, expected));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(phases_add_up),
    cmocka_unit_test(table_holds_least_and_most_over_ranks),
};
SCREE_TEST_MAIN(tests)
