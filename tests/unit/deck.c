/// \file
/// Deck: defaults, canonical numbers, the resolved text, names. Bad decks are tested through the
/// program (cli/bad_decks.sh).
#include "scree/deck.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <string.h>

static const char chain[] = "packing: {dimension: 2, chain: {count: 3, radius: 0.5}, "
                            "names: [{name: tip, id: 2}, {name: a, id: 0}]}\n"
                            "solver: {time_step: 1e-2, sweeps: {fixed: 10}}\n"
                            "run: {steps: 010}\n";

static char *resolve(const char *text, char *const *set, int count) {
  scree_error error;
  char *resolved;
  if (!scree_deck_resolve(text, strlen(text), "deck", set, count, &resolved, &error))
    fail_msg("%s", error.text);
  return resolved;
}

static void fills_in_defaults(void **state) {
  (void)state;
  char *resolved = resolve(chain, NULL, 0);
  scree_deck *deck = scree_deck_load(resolved);
  assert_non_null(deck->packing.chain);
  assert_null(deck->packing.lattice);
  assert_null(deck->packing.list);
  assert_true(deck->packing.chain->direction.x == 1 && deck->packing.chain->direction.y == 0);
  assert_true(deck->material.density == 1);
  assert_int_equal(deck->output.series.every, 1);
  assert_int_equal(deck->output.series.track_count, 0);
  assert_true(deck->solver.time_step == 0.01);
  assert_int_equal(deck->run.steps, 10);
  scree_deck_destroy(deck);
  scree_free(resolved);
}

static void resolving_twice_changes_nothing(void **state) {
  (void)state;
  char *once = resolve(chain, NULL, 0), *twice = resolve(once, NULL, 0);
  assert_string_equal(once, twice);
  scree_free(once);
  scree_free(twice);
}

static void numbers_keep_every_bit(void **state) {
  (void)state;
  char assignment[64];
  char *set[] = {assignment};
  const double values[] = {
      0.1, 1.0 / 3, 5e-324, 1.7976931348623157e306, 2.2250738585072014e-308, 123456789.123456789};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    snprintf(assignment, sizeof assignment, "solver.time_step=%a", values[i]);
    char *resolved = resolve(chain, set, 1);
    scree_deck *deck = scree_deck_load(resolved);
    assert_true(deck->solver.time_step == values[i]);
    scree_deck_destroy(deck);
    scree_free(resolved);
  }
}

static void set_wins_over_the_file(void **state) {
  (void)state;
  char first[] = "run.steps=5", second[] = "packing.chain={count: 7, radius: 2}",
       third[] = "forces.constant=[{body: tip, force: [1, 2]}]", fourth[] = "run.steps=6";
  char *set[] = {first, second, third, fourth};
  char *resolved = resolve(chain, set, 4);
  scree_deck *deck = scree_deck_load(resolved);
  assert_int_equal(deck->run.steps, 6);
  assert_int_equal(deck->packing.chain->count, 7);
  assert_int_equal(deck->forces.constant_count, 1);
  assert_string_equal(deck->forces.constant[0].body, "tip");
  assert_true(deck->forces.constant[0].force.y == 2);
  scree_deck_destroy(deck);
  scree_free(resolved);
}

static void finds_names(void **state) {
  (void)state;
  static const char list[] = "packing:\n"
                             "  dimension: 3\n"
                             "  list:\n"
                             "    - {position: [0, 0, 0], radius: 1}\n"
                             "    - {position: [0, 0, 3], radius: 1, name: '12'}\n"
                             "    - {position: [0, 0, 6], radius: 1, name: b}\n"
                             "  names: [{name: zero, id: 0}]\n"
                             "solver: {time_step: 1, sweeps: {fixed: 10}}\n"
                             "run: {steps: 0}\n"
                             "output: {series: {track: [b, 12]}}\n";
  char *resolved = resolve(list, NULL, 0);
  scree_deck *deck = scree_deck_load(resolved);
  scree_name_index names = scree_name_index_create(deck);
  assert_int_equal(names.count, 3);
  assert_int_equal(scree_name_index_find(&names, "zero")->id, 0);
  assert_int_equal(scree_name_index_find(&names, "12")->id, 1);
  assert_int_equal(scree_name_index_find(&names, "b")->id, 2);
  assert_null(scree_name_index_find(&names, ""));
  assert_null(scree_name_index_find(&names, "c"));
  assert_int_equal(deck->output.series.track_count, 2);
  assert_string_equal(deck->output.series.track[1], "12");
  scree_name_index_destroy(&names);
  scree_deck_destroy(deck);
  scree_free(resolved);
}

static void gives_all_memory_back(void **state) {
  (void)state;
  assert_int_equal(scree_memory_now().blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(fills_in_defaults),
    cmocka_unit_test(resolving_twice_changes_nothing),
    cmocka_unit_test(numbers_keep_every_bit),
    cmocka_unit_test(set_wins_over_the_file),
    cmocka_unit_test(finds_names),
    cmocka_unit_test(gives_all_memory_back),
};
SCREE_TEST_MAIN(tests)
