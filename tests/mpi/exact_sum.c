/// \file
/// What ranks add up together: exact sums, whoever has which term, against the sum of one rank and against
/// 128-bit integers; and the other numbers ranks tell each other.
#include "random.h"
#include "scree/ranks.h"
#include "scree_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { most_terms = 400 };

static scree_ranks everyone(void) {
  return scree_ranks_of(MPI_COMM_WORLD);
}

/// The same numbers on every rank.
static uint64_t draw(void) {
  static uint64_t draws;
  uint64_t word[4];
  scree_random(11, SCREE_RANDOM_PRIORITY, draws++, 0, 0, 0, word);
  return word[0];
}

/// Any finite double, all bit patterns alike.
static double any_double(void) {
  for (;;) {
    const uint64_t word = draw();
    double x;
    memcpy(&x, &word, sizeof x);
    if (isfinite(x)) return x;
  }
}

static void assert_same_bits(double a, double b) {
  if (memcmp(&a, &b, sizeof a) != 0) fail_msg("%a is not %a", a, b);
}

// ---- ways to deal terms to ranks --------------------------------------------

typedef enum { ROUND_ROBIN, BLOCKS, ALL_TO_LAST, BY_CHANCE, BY_SIGN, WAYS } way;

static int dealt_to(way w, const double *term, int k, int count, int size) {
  switch (w) {
  case ROUND_ROBIN: return k % size;
  case BLOCKS: return k * size / count;
  case ALL_TO_LAST: return size - 1;
  case BY_CHANCE: return (int)(draw() % (uint64_t)size);
  case BY_SIGN: return term[k] < 0 ? 0 : size - 1;
  case WAYS: break;
  }
  return -1;
}

/// The sum over all ranks, dealt in one way; odd ranks add theirs backwards.
static scree_exact sum_dealt(way w, const double *term, int count) {
  const scree_ranks ranks = everyone();
  int to[most_terms];
  for (int k = 0; k < count; k++) to[k] = dealt_to(w, term, k, count, ranks.size);
  scree_exact sum = {0};
  for (int k = 0; k < count; k++) {
    const int m = ranks.rank % 2 ? count - 1 - k : k;
    if (to[m] == ranks.rank) scree_exact_add(&sum, term[m]);
  }
  scree_ranks_exact(&ranks, &sum, 1);
  scree_exact_carry(&sum); // a rank alone has nothing to carry
  return sum;
}

static scree_exact sum_alone(const double *term, int count) {
  scree_exact sum = {0};
  for (int k = 0; k < count; k++) scree_exact_add(&sum, term[k]);
  scree_exact_carry(&sum);
  return sum;
}

/// Every digit is that of one rank, and the value is what we expect.
static void assert_sum(const double *term, int count, double expected) {
  const scree_exact alone = sum_alone(term, count);
  assert_same_bits(scree_exact_value(&alone), expected);
  for (way w = 0; w < WAYS; w++) {
    const scree_exact sum = sum_dealt(w, term, count);
    assert_memory_equal(sum.digit, alone.digit, sizeof sum.digit);
    assert_same_bits(scree_exact_value(&sum), expected);
  }
}

#define ASSERT_SUM(expected, ...)                                                                  \
  do {                                                                                             \
    const double term_[] = {__VA_ARGS__};                                                          \
    assert_sum(term_, (int)(sizeof term_ / sizeof term_[0]), expected);                            \
  } while (0)

// ---- tests ------------------------------------------------------------------

static void hard_sums_are_right_on_ranks(void **state) {
  (void)state;
  ASSERT_SUM(1, 1e308, 1, -1e308);
  ASSERT_SUM(-DBL_TRUE_MIN, -DBL_MAX, -DBL_TRUE_MIN, DBL_MAX);
  ASSERT_SUM(DBL_MIN - DBL_TRUE_MIN, DBL_MIN, -DBL_TRUE_MIN);
  ASSERT_SUM(3 * DBL_TRUE_MIN, DBL_TRUE_MIN, DBL_TRUE_MIN, DBL_TRUE_MIN);
  ASSERT_SUM(0, 0.1, 0.2, 0.3, -0.3, -0.2, -0.1);
  ASSERT_SUM(1 + 0x1p-52, 1, 0x1p-53, DBL_TRUE_MIN); // a hair above the tie
  ASSERT_SUM(1, 1, 0x1p-53);
  ASSERT_SUM(DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX);
  ASSERT_SUM(HUGE_VAL, DBL_MAX, DBL_MAX);
  ASSERT_SUM(0, 0);
}

static void it_does_not_matter_who_has_which_term(void **state) {
  (void)state;
  for (int trial = 0; trial < 30; trial++) {
    double term[most_terms];
    const int count = 1 + (int)(draw() % most_terms);
    for (int k = 0; k < count; k++) {
      // Huge ones cancel each other, small ones and subnormals decide.
      const double tiny = ldexp((double)(int64_t)draw(), -1074 + (int)(draw() % 60));
      term[k] = k % 3 == 0 ? any_double() * 0x1p-10 : k % 3 == 1 ? -term[k - 1] : tiny;
    }
    const scree_exact alone = sum_alone(term, count);
    assert_sum(term, count, scree_exact_value(&alone));
  }
}

/// Of integers in the range of __int128 the compiler knows the rounded value.
static void integers_match_128_bits(void **state) {
  (void)state;
  for (int trial = 0; trial < 300; trial++) {
    double term[60];
    __int128 sum = 0;
    const int scale = (int)(draw() % 1900) - 1000, count = 2 + (int)(draw() % 59);
    for (int k = 0; k < count; k++) {
      const int shift = (int)(draw() % 68);
      int64_t whole = (int64_t)(draw() >> 11 >> draw() % 53);
      if (draw() % 2) whole = -whole;
      sum += (__int128)whole * ((__int128)1 << shift);
      term[k] = ldexp((double)whole, shift + scale);
    }
    assert_sum(term, count, ldexp((double)sum, scale));
  }
}

static void several_sums_go_together(void **state) {
  (void)state;
  const scree_ranks ranks = everyone();
  enum { count = 5 };
  scree_exact sum[count] = {0};
  for (int k = 0; k < count; k++) {
    scree_exact_add(&sum[k], ldexp(ranks.rank + 1, 100 * k - 300));
    scree_exact_add(&sum[k], ranks.rank == k % ranks.size ? -0.1 : 0);
  }
  scree_ranks_exact(&ranks, sum, count);
  for (int k = 0; k < count; k++) {
    scree_exact expected = {0};
    scree_exact_add(&expected, ldexp(ranks.size * (ranks.size + 1) / 2, 100 * k - 300));
    scree_exact_add(&expected, -0.1);
    assert_same_bits(scree_exact_value(&sum[k]), scree_exact_value(&expected));
  }
  // And can be added to.
  scree_exact_add(&sum[0], 0.1);
  assert_same_bits(scree_exact_value(&sum[0]), ldexp(ranks.size * (ranks.size + 1) / 2, -300));
}

/// As if each rank had added a billion terms of one sign: its digits are almost full.
static void full_digits_do_not_overflow(void **state) {
  (void)state;
  const scree_ranks ranks = everyone();
  for (int sign = -1; sign <= 1; sign += 2) {
    scree_exact sum = {.pending = (INT64_C(1) << 30) - 1}, expected = {0};
    for (int k = 20; k < 40; k++) sum.digit[k] = sign * ((INT64_C(1) << 62) - (INT64_C(1) << 32));
    for (int r = 0; r < ranks.size; r++) scree_exact_merge(&expected, &sum);
    scree_ranks_exact(&ranks, &sum, 1);
    assert_same_bits(scree_exact_value(&sum), scree_exact_value(&expected));
    assert_true(sign * scree_exact_value(&sum) > 0);
  }
}

static void what_is_not_finite_on_one_rank_is_nan_on_all(void **state) {
  (void)state;
  const scree_ranks ranks = everyone();
  const double bad[] = {HUGE_VAL, -HUGE_VAL, (double)NAN};
  for (int k = 0; k < 3; k++)
    for (int where = 0; where < ranks.size; where++) {
      scree_exact sum[2] = {0};
      const int first = where % 2, other = 1 - first;
      scree_exact_add(&sum[first], ranks.rank == where ? bad[k] : 1);
      scree_exact_add(&sum[other], 1);
      scree_ranks_exact(&ranks, sum, 2);
      assert_true(isnan(scree_exact_value(&sum[first])));
      assert_same_bits(scree_exact_value(&sum[other]), ranks.size);
    }
}

static void maxima_and_counts(void **state) {
  (void)state;
  const scree_ranks ranks = everyone();
  const int last = ranks.size - 1;
  double most[] = {ranks.rank, -1.0 - ranks.rank, ranks.rank == last ? HUGE_VAL : -HUGE_VAL,
                   -DBL_TRUE_MIN, ranks.rank == last / 2 ? 1e300 : -1e300};
  scree_ranks_max(&ranks, most, 5);
  const double expected[] = {last, -1, HUGE_VAL, -DBL_TRUE_MIN, 1e300};
  for (int k = 0; k < 5; k++) assert_same_bits(most[k], expected[k]);
  // Beyond 2^53, where doubles would round.
  int64_t sum[] = {ranks.rank, (INT64_C(1) << 60) + 1, -ranks.rank};
  scree_ranks_sum(&ranks, sum, 3);
  assert_int_equal(sum[0], ranks.size * last / 2);
  assert_true(sum[1] == ranks.size * ((INT64_C(1) << 60) + 1));
  assert_int_equal(sum[2], -ranks.size * last / 2);
}

static void what_one_rank_knows_reaches_all_bit_by_bit(void **state) {
  (void)state;
  const scree_ranks ranks = everyone();
  const double known[] = {0.1, -0.0, -DBL_TRUE_MIN, DBL_MAX, -HUGE_VAL, (double)NAN, 0, -1e-300};
  enum { count = sizeof known / sizeof *known };
  double value[count] = {0};
  for (int k = 0; k < count; k++)
    if (k % ranks.size == ranks.rank) value[k] = known[k];
  scree_ranks_share(&ranks, value, count);
  for (int k = 0; k < count; k++) assert_same_bits(value[k], known[k]);
}

static void the_lowest_rank_that_fails_is_heard(void **state) {
  (void)state;
  const scree_ranks ranks = everyone();
  scree_error error = {.exit_code = 7, .text = "nothing"};
  assert_true(scree_ranks_agree(&ranks, true, &error));
  assert_string_equal(error.text, "nothing");
  for (int first = 0; first < ranks.size; first++) {
    const bool ok =
        ranks.rank < first || scree_error_set(&error, 10 + ranks.rank, "rank %d", ranks.rank);
    assert_false(scree_ranks_agree(&ranks, ok, &error));
    char text[20];
    snprintf(text, sizeof text, "rank %d", first);
    assert_string_equal(error.text, text);
    assert_int_equal(error.exit_code, 10 + first);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(hard_sums_are_right_on_ranks),
    cmocka_unit_test(it_does_not_matter_who_has_which_term),
    cmocka_unit_test(integers_match_128_bits),
    cmocka_unit_test(several_sums_go_together),
    cmocka_unit_test(full_digits_do_not_overflow),
    cmocka_unit_test(what_is_not_finite_on_one_rank_is_nan_on_all),
    cmocka_unit_test(maxima_and_counts),
    cmocka_unit_test(what_one_rank_knows_reaches_all_bit_by_bit),
    cmocka_unit_test(the_lowest_rank_that_fails_is_heard),
};
SCREE_TEST_MAIN(tests)
