/// \file
/// Suggestions for misspelt words.
#include "nearest.h"
#include "scree_test.h"

static const char *const words[] = {"time_step", "steps", "gravity", "lattice", "list", NULL};

static void finds_what_was_meant(void **state) {
  (void)state;
  assert_string_equal(scree_nearest("time_stp", words), "time_step");
  assert_string_equal(scree_nearest("timestep", words), "time_step");
  assert_string_equal(scree_nearest("Gravity", words), "gravity");
  assert_string_equal(scree_nearest("gravtiy", words), "gravity");
  assert_string_equal(scree_nearest("lst", words), "list");
}

static void does_not_guess_wildly(void **state) {
  (void)state;
  assert_null(scree_nearest("friction", words));
  assert_null(scree_nearest("xy", (const char *const[]){"a", NULL}));
  assert_null(scree_nearest("x", (const char *const[]){"gravity", NULL}));
  assert_null(scree_nearest("gravity", (const char *const[]){NULL}));
}

static void survives_any_length(void **state) {
  (void)state;
  char longer[1000];
  for (size_t i = 0; i < sizeof longer - 1; i++) longer[i] = 'a';
  longer[sizeof longer - 1] = '\0';
  assert_null(scree_nearest(longer, words));
  assert_null(scree_nearest("", (const char *const[]){"gravity", NULL}));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(finds_what_was_meant),
    cmocka_unit_test(does_not_guess_wildly),
    cmocka_unit_test(survives_any_length),
};
SCREE_TEST_MAIN(tests)
