/// \file
/// Random numbers: a pure function of all they are for, uniform, and shuffles that are fair.
#include "random.h"
#include "scree_test.h"

#include <math.h>
#include <string.h>

static void known_answer_of_philox(void **state) {
  (void)state;
  // First vector of Random123's kat_vectors: philox4x64, 10 rounds, counter and key zero.
  static const uint64_t expected[4] = {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                                       0x7e68b68aec7ba23b};
  uint64_t word[4];
  scree_random(0, (scree_random_use)0, 0, 0, 0, 0, word);
  assert_memory_equal(word, expected, sizeof word);
}

static void every_argument_counts(void **state) {
  (void)state;
  // One changed bit anywhere changes about half the bits of each word.
  enum { base = 1 + 6 * 64 };
  static uint64_t word[base][4];
  int n = 0;
  scree_random(7, SCREE_RANDOM_PACK, 1, 2, 3, 4, word[n++]);
  for (int bit = 0; bit < 64; bit++) {
    const uint64_t f = UINT64_C(1) << bit;
    scree_random(7 ^ f, SCREE_RANDOM_PACK, 1, 2, 3, 4, word[n++]);
    scree_random(7, SCREE_RANDOM_PACK, 1 ^ f, 2, 3, 4, word[n++]);
    scree_random(7, SCREE_RANDOM_PACK, 1, 2 ^ f, 3, 4, word[n++]);
    scree_random(7, SCREE_RANDOM_PACK, 1, 2, 3 ^ f, 4, word[n++]);
    scree_random(7, SCREE_RANDOM_PACK, 1, 2, 3, 4 ^ f, word[n++]);
  }
  for (int use = SCREE_RANDOM_CLASSES; use <= SCREE_RANDOM_POSITION; use++)
    if (use != SCREE_RANDOM_PACK) scree_random(7, (scree_random_use)use, 1, 2, 3, 4, word[n++]);
  for (int k = 1; k < n; k++)
    for (int w = 0; w < 4; w++) {
      const int changed = __builtin_popcountll(word[k][w] ^ word[0][w]);
      assert_true(changed > 8 && changed < 56);
    }
}

static void the_same_arguments_give_the_same_words(void **state) {
  (void)state;
  uint64_t first[4], again[4];
  scree_random(9, SCREE_RANDOM_RADIUS, 5, 6, 7, 8, first);
  scree_random(1, SCREE_RANDOM_RADIUS, 5, 6, 7, 8, again);
  scree_random(9, SCREE_RANDOM_RADIUS, 5, 6, 7, 8, again);
  assert_memory_equal(first, again, sizeof first);
}

static void unit_is_below_one(void **state) {
  (void)state;
  assert_true(scree_random_unit(0) == 0);
  assert_true(scree_random_unit(UINT64_MAX) == 1 - 0x1p-53);
  assert_true(scree_random_unit(UINT64_C(1) << 63) == 0.5);
  double sum = 0, square = 0;
  const int count = 100000;
  for (int k = 0; k < count; k++) {
    uint64_t word[4];
    scree_random(1, SCREE_RANDOM_RADIUS, (uint64_t)k, 0, 0, 0, word);
    const double u = scree_random_unit(word[k % 4]);
    assert_true(u >= 0 && u < 1);
    sum += u;
    square += u * u;
  }
  assert_true(fabs(sum / count - 0.5) < 5 * sqrt(1.0 / 12 / count));
  assert_true(fabs(square / count - 1.0 / 3) < 5 * sqrt(4.0 / 45 / count));
}

static void shuffles_are_permutations(void **state) {
  (void)state;
  for (int32_t count = 0; count < 300; count++) {
    int32_t order[301];
    int seen[300] = {0};
    order[count] = -77;
    scree_random_shuffle(3, SCREE_RANDOM_BATCHES, 4, 5, (uint64_t)count, order, count);
    for (int32_t k = 0; k < count; k++) {
      assert_in_range(order[k], 0, count - 1);
      seen[order[k]]++;
    }
    for (int32_t k = 0; k < count; k++) assert_int_equal(seen[k], 1);
    assert_int_equal(order[count], -77);
  }
}

static void shuffles_depend_on_every_argument(void **state) {
  (void)state;
  int32_t order[7][50];
  scree_random_shuffle(1, SCREE_RANDOM_BATCHES, 2, 3, 4, order[0], 50);
  scree_random_shuffle(9, SCREE_RANDOM_BATCHES, 2, 3, 4, order[1], 50);
  scree_random_shuffle(1, SCREE_RANDOM_CLASSES, 2, 3, 4, order[2], 50);
  scree_random_shuffle(1, SCREE_RANDOM_BATCHES, 9, 3, 4, order[3], 50);
  scree_random_shuffle(1, SCREE_RANDOM_BATCHES, 2, 9, 4, order[4], 50);
  scree_random_shuffle(1, SCREE_RANDOM_BATCHES, 2, 3, 9, order[5], 50);
  for (int k = 1; k < 6; k++) assert_memory_not_equal(order[0], order[k], sizeof order[0]);
  scree_random_shuffle(1, SCREE_RANDOM_BATCHES, 2, 3, 4, order[6], 50);
  assert_memory_equal(order[0], order[6], sizeof order[0]);
}

/// Sum over bins of (seen - expected)^2 / expected.
static double chi_square(const int *seen, int bins, double expected) {
  double sum = 0;
  for (int k = 0; k < bins; k++) sum += (seen[k] - expected) * (seen[k] - expected) / expected;
  return sum;
}

/// Mean and six standard deviations of chi-square: nothing here depends on chance, but a fair
/// generator would pass with any seed.
static double generous(double freedom) {
  return freedom + 6 * sqrt(2 * freedom);
}

static void all_orders_of_four_are_equally_likely(void **state) {
  (void)state;
  int seen[256] = {0};
  const int draws = 48000;
  for (int k = 0; k < draws; k++) {
    int32_t order[4];
    scree_random_shuffle(11, SCREE_RANDOM_CLASSES, (uint64_t)k, 0, 0, order, 4);
    seen[order[0] + 4 * order[1] + 16 * order[2] + 64 * order[3]]++;
  }
  int compact[24], n = 0;
  for (int k = 0; k < 256; k++)
    if (seen[k]) {
      assert_true(n < 24);
      compact[n++] = seen[k];
    }
  assert_int_equal(n, 24);
  assert_true(chi_square(compact, 24, draws / 24.0) < generous(23));
}

static void every_place_is_equally_likely(void **state) {
  (void)state;
  enum { count = 40, draws = 40000 };
  static int seen[count * count];
  for (int k = 0; k < draws; k++) {
    int32_t order[count];
    scree_random_shuffle(12, SCREE_RANDOM_BATCHES, 1, (uint64_t)k, 2, order, count);
    for (int p = 0; p < count; p++) seen[p * count + order[p]]++;
  }
  assert_true(chi_square(seen, count * count, (double)draws / (double)count) <
              generous((count - 1) * (count - 1)));
}

static void places_do_not_depend_on_each_other(void **state) {
  (void)state;
  // Who stands at place p tells nothing about who stands at place q: all pairs of values of all
  // pairs of places.
  enum { count = 20, draws = 38000 };
  static int seen[count][count][count * count];
  for (int k = 0; k < draws; k++) {
    int32_t order[count];
    scree_random_shuffle(13, SCREE_RANDOM_BATCHES, 1, 5, (uint64_t)k, order, count);
    for (int p = 0; p < count; p++)
      for (int q = 0; q < p; q++) seen[p][q][order[p] * count + order[q]]++;
  }
  const int pairs = count * (count - 1);
  for (int p = 0; p < count; p++)
    for (int q = 0; q < p; q++) {
      int n = 0, compact[count * count];
      for (int k = 0; k < count * count; k++)
        if (k / count != k % count) compact[n++] = seen[p][q][k];
      assert_true(chi_square(compact, pairs, (double)draws / pairs) < generous(pairs - 1));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(known_answer_of_philox),
    cmocka_unit_test(every_argument_counts),
    cmocka_unit_test(the_same_arguments_give_the_same_words),
    cmocka_unit_test(unit_is_below_one),
    cmocka_unit_test(shuffles_are_permutations),
    cmocka_unit_test(shuffles_depend_on_every_argument),
    cmocka_unit_test(all_orders_of_four_are_equally_likely),
    cmocka_unit_test(every_place_is_equally_likely),
    cmocka_unit_test(places_do_not_depend_on_each_other),
};
SCREE_TEST_MAIN(tests)
