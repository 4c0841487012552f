/// \file
/// The log: terminal and file say the same, other ranks are silent, progress comes as lines.
#include "scree/log.h"
#include "scree_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/scree-test-log-XXXXXX";

static size_t read_log(char *text, size_t size) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  const size_t got = fread(text, 1, size - 1, file);
  text[got] = '\0';
  fclose(file);
  return got;
}

static void lines_reach_the_file(void **state) {
  (void)state;
  char text[1000];
  scree_log *log = scree_log_create(0, path, false, SCREE_PROGRESS_LINES);
  scree_log_line(log, "one %d", 1);
  scree_log_warning(log, "two");
  read_log(text, sizeof text); // before it is closed: a killed run keeps its log
  assert_string_equal(text, "one 1\nwarning: two\n");
  scree_log_destroy(log);
}

static void other_ranks_are_silent(void **state) {
  (void)state;
  char text[1000];
  scree_log_destroy(scree_log_create(0, path, false, SCREE_PROGRESS_LINES));
  scree_log *log = scree_log_create(1, path, false, SCREE_PROGRESS_LINES);
  scree_log_line(log, "not seen");
  scree_log_progress(log, 1, 2);
  scree_log_destroy(log);
  assert_int_equal(read_log(text, sizeof text), 0);
}

static void progress_tells_step_share_and_time_left(void **state) {
  (void)state;
  char text[1000];
  scree_log *log = scree_log_create(0, path, false, SCREE_PROGRESS_LINES);
  scree_log_progress(log, 0, 400);
  scree_log_progress(log, 1, 400); // too soon for a line
  assert_int_equal(read_log(text, sizeof text), 0);
  usleep(2050000);
  scree_log_progress(log, 100, 400);
  scree_log_progress(log, 101, 400);
  scree_log_destroy(log);
  read_log(text, sizeof text);
  double left = 0; // three times what has passed: at least 6.15 s, more on a busy machine
  assert_int_equal(sscanf(text, "step 100 of 400 (25 %%), %lf s left", &left), 1);
  assert_true(left >= 6.1 && left < 60);
  assert_null(strstr(text, "101"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lines_reach_the_file),
    cmocka_unit_test(other_ranks_are_silent),
    cmocka_unit_test(progress_tells_step_share_and_time_left),
};

int main(void) {
  const int descriptor = mkstemp(path);
  if (descriptor < 0) return 1;
  close(descriptor);
  const int failed = scree_test_run(tests, sizeof tests / sizeof tests[0]);
  unlink(path);
  return failed;
}
