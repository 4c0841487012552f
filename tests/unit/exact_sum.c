/// \file
/// Exact sums against two other methods: a counter for every bit, and 128-bit integers.
#include "scree/exact_sum.h"
#include "scree_test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

// ---- the reference: one counter per bit -------------------------------------

/// Bit b counts 2^(b - 1074).
enum { bits = 2200 };

static void add_bits(int64_t *bit, double term) {
  int exponent;
  const double fraction = frexp(term, &exponent);
  if (fraction == 0) return;
  const int64_t sign = fraction < 0 ? -1 : 1;
  const int64_t whole = (int64_t)ldexp(fabs(fraction), 53); // term = whole * 2^(exponent - 53)
  for (int b = 0; b < 53; b++) {
    // What stands below the last bit of a subnormal is zero.
    if (whole >> b & 1) bit[exponent - 53 + b + 1074] += sign;
  }
}

/// Bring all counters to 0 or 1. Returns what is left above the last.
static int64_t carry_bits(int64_t *bit) {
  int64_t over = 0;
  for (int b = 0; b < bits; b++) {
    const int64_t here = bit[b] + over;
    bit[b] = here & 1;
    over = (here - bit[b]) / 2;
  }
  return over;
}

static double round_bits(int64_t *bit) {
  const bool negative = carry_bits(bit) < 0;
  if (negative) {
    for (int b = 0; b < bits; b++) bit[b] = -bit[b];
    assert_int_equal(carry_bits(bit), -1); // 2^bits less, as before
  }
  int top = bits - 1;
  while (top >= 0 && bit[top] == 0) top--;
  const int last = top - 52 < 0 ? 0 : top - 52;
  int64_t whole = 0;
  for (int b = top; b >= last; b--) whole = 2 * whole + bit[b];
  bool more = false;
  for (int b = 0; b < last - 1; b++) more |= bit[b] == 1;
  if (last > 0 && bit[last - 1] && (more || whole % 2)) whole++;
  const double magnitude = ldexp((double)whole, last - 1074);
  return negative ? -magnitude : magnitude;
}

static double bitwise_sum(const double *term, int count) {
  static int64_t bit[bits];
  memset(bit, 0, sizeof bit);
  for (int k = 0; k < count; k++) add_bits(bit, term[k]);
  return round_bits(bit);
}

// ---- helpers ----------------------------------------------------------------

static uint64_t random_state = 1;

static uint64_t draw(void) { // splitmix64
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
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

static void shuffle(double *term, int count) {
  for (int k = count - 1; k > 0; k--) {
    const int other = (int)(draw() % (uint64_t)(k + 1));
    const double kept = term[k];
    term[k] = term[other];
    term[other] = kept;
  }
}

static double exact(const double *term, int count) {
  scree_exact sum = {0};
  for (int k = 0; k < count; k++) scree_exact_add(&sum, term[k]);
  return scree_exact_value(&sum);
}

static void assert_same_bits(double a, double b) {
  if (memcmp(&a, &b, sizeof a) != 0) fail_msg("%a is not %a", a, b);
}

/// Forwards, backwards, shuffled and in two parts: always the rounded sum.
static void assert_sum(double *term, int count, double expected) {
  assert_same_bits(exact(term, count), expected);
  for (int k = 0; k < 4; k++) {
    shuffle(term, count);
    assert_same_bits(exact(term, count), expected);
    scree_exact sum = {0}, other = {0};
    const int cut = (int)(draw() % (uint64_t)(count + 1));
    for (int m = 0; m < count; m++) scree_exact_add(m < cut ? &sum : &other, term[m]);
    scree_exact_merge(&sum, &other);
    assert_same_bits(scree_exact_value(&sum), expected);
  }
}

#define ASSERT_SUM(expected, ...)                                                                  \
  do {                                                                                             \
    double term_[] = {__VA_ARGS__};                                                                \
    assert_sum(term_, (int)(sizeof term_ / sizeof term_[0]), expected);                            \
  } while (0)

// ---- tests ------------------------------------------------------------------

static void one_term_is_itself(void **state) {
  (void)state;
  const double special[] = {0,   1,       -1,       DBL_MIN,   -DBL_MIN,    DBL_TRUE_MIN,
                            0.1, DBL_MAX, -DBL_MAX, 0x1p-1023, 0x1.8p-1073, -DBL_TRUE_MIN};
  for (size_t k = 0; k < sizeof special / sizeof special[0]; k++)
    assert_same_bits(exact(&special[k], 1), special[k]);
  for (int k = 0; k < 100000; k++) {
    const double x = any_double();
    if (x != 0) assert_same_bits(exact(&x, 1), x);
  }
  assert_same_bits(exact(NULL, 0), 0);
}

static void cancellation_loses_nothing(void **state) {
  (void)state;
  ASSERT_SUM(1, 1e308, 1, -1e308);
  ASSERT_SUM(-1, 1e308, -1, -1e308);
  ASSERT_SUM(DBL_TRUE_MIN, DBL_MAX, DBL_TRUE_MIN, -DBL_MAX);
  ASSERT_SUM(-DBL_TRUE_MIN, -DBL_MAX, -DBL_TRUE_MIN, DBL_MAX);
  ASSERT_SUM(0, 0.1, 0.2, 0.3, -0.3, -0.2, -0.1);
  ASSERT_SUM(0x1p-55 * 0.1, 0.1, 1e200, 0x1p-55 * 0.1, -1e200, -0.1);
}

static void subnormals_add_up(void **state) {
  (void)state;
  ASSERT_SUM(3 * DBL_TRUE_MIN, DBL_TRUE_MIN, DBL_TRUE_MIN, DBL_TRUE_MIN);
  ASSERT_SUM(DBL_MIN, DBL_MIN - DBL_TRUE_MIN, DBL_TRUE_MIN);
  ASSERT_SUM(DBL_MIN - DBL_TRUE_MIN, DBL_MIN, -DBL_TRUE_MIN);
  ASSERT_SUM(-DBL_TRUE_MIN, DBL_MIN, -DBL_MIN, -DBL_TRUE_MIN);
}

static void ties_go_to_even(void **state) {
  (void)state;
  const double half = 0x1p-53, even = 1, odd = 1 + 0x1p-52;
  ASSERT_SUM(even, even, half);
  ASSERT_SUM(odd + 0x1p-52, odd, half);
  ASSERT_SUM(-even, -even, -half);
  ASSERT_SUM(-odd - 0x1p-52, -odd, -half);
  // A hair beside the tie decides, however far below it stands.
  ASSERT_SUM(odd, even, half, DBL_TRUE_MIN);
  ASSERT_SUM(odd, odd, half, -DBL_TRUE_MIN);
  ASSERT_SUM(-odd, -even, -half, -DBL_TRUE_MIN);
  ASSERT_SUM(odd, even, half, 0x1p-64);
  ASSERT_SUM(odd, even, half, 0x1p-130);
  // Rounding up may carry through all bits.
  ASSERT_SUM(2, 2 - 0x1p-52, half);
  ASSERT_SUM(0x1p1000, 0x1p1000 - 0x1p947, 0x1p946);
}

static void ends_of_the_range(void **state) {
  (void)state;
  ASSERT_SUM(HUGE_VAL, DBL_MAX, DBL_MAX);
  ASSERT_SUM(-HUGE_VAL, -DBL_MAX, -DBL_MAX);
  ASSERT_SUM(DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX);
  ASSERT_SUM(DBL_MAX, DBL_MAX, 0x1p969);  // a quarter of its last bit
  ASSERT_SUM(HUGE_VAL, DBL_MAX, 0x1p970); // half: to even, which is out of range
  ASSERT_SUM(DBL_MAX, DBL_MAX, 0x1p970, -DBL_TRUE_MIN);
}

static void staircases_of_powers_of_two(void **state) {
  (void)state;
  // All powers of two there are, of one sign and of alternating signs.
  enum { count = 2098 };
  static double up[count], alternating[count];
  for (int k = 0; k < count; k++) {
    up[k] = ldexp(1, k - 1074);
    alternating[k] = k % 2 ? up[k] : -up[k];
  }
  assert_sum(up, 53, DBL_MIN * 2 - DBL_TRUE_MIN); // fits as it is
  for (int n = 54; n < count; n += 97) assert_sum(up, n, bitwise_sum(up, n));
  for (int k = 0; k < count; k++) up[k] = ldexp(1, k - 1074);
  assert_sum(up, 2000, ldexp(1, 2000 - 1074)); // 2^n - 2^-1074
  for (int n = 1; n <= count; n += 41) {
    for (int k = 0; k < n; k++) alternating[k] = ldexp(k % 2 ? 1 : -1, k - 1074);
    assert_sum(alternating, n, bitwise_sum(alternating, n));
  }
}

static void any_doubles_match_the_bit_counters(void **state) {
  (void)state;
  for (int trial = 0; trial < 2000; trial++) {
    double term[40];
    const int count = 1 + (int)(draw() % 40);
    for (int k = 0; k < count; k++) term[k] = any_double();
    assert_sum(term, count, bitwise_sum(term, count));
  }
}

/// Sums whose leading terms cancel: the rounding happens anywhere.
static void ill_conditioned_sums_match_the_bit_counters(void **state) {
  (void)state;
  for (int trial = 0; trial < 5000; trial++) {
    double term[30];
    const int pairs = (int)(draw() % 10), spread = 1 + (int)(draw() % 300);
    for (int k = 0; k < pairs; k++) {
      term[2 * k] = any_double();
      term[2 * k + 1] = -term[2 * k];
    }
    int count = 2 * pairs;
    const int centre = (int)(draw() % 1700) - 1000;
    while (count < 30) {
      const double mantissa = (double)(int64_t)(draw() >> (draw() % 11 + 1)) * 0x1p-63;
      term[count++] =
          ldexp(draw() % 2 ? mantissa : -mantissa, centre + (int)(draw() % (uint64_t)spread));
    }
    assert_sum(term, count, bitwise_sum(term, count));
  }
}

/// Of integers in the range of __int128 the compiler knows the rounded value.
static void integers_match_128_bits(void **state) {
  (void)state;
  for (int trial = 0; trial < 20000; trial++) {
    double term[20];
    __int128 sum = 0;
    const int scale = (int)(draw() % 1900) - 1000, count = 2 + (int)(draw() % 19);
    for (int k = 0; k < count; k++) {
      const int shift = (int)(draw() % 70);
      int64_t whole = (int64_t)(draw() >> 11 >> draw() % 53);
      if (draw() % 2) whole = -whole;
      sum += (__int128)whole * ((__int128)1 << shift);
      term[k] = ldexp((double)whole, shift + scale);
    }
    // Small scales may end below DBL_MIN; there every sum is exact, as its last bit is a multiple.
    assert_sum(term, count, ldexp((double)sum, scale));
  }
}

static void a_million_terms(void **state) {
  (void)state;
  enum { count = 1000000 };
  scree_exact forwards = {0}, backwards = {0}, ranks[7] = {0};
  static double term[count];
  static int64_t bit[bits];
  for (int k = 0; k < count; k++) {
    term[k] = ldexp((double)(int64_t)draw(), (int)(draw() % 60) - 90);
    add_bits(bit, term[k]);
  }
  for (int k = 0; k < count; k++) {
    scree_exact_add(&forwards, term[k]);
    scree_exact_add(&backwards, term[count - 1 - k]);
    scree_exact_add(&ranks[draw() % 7], term[k]);
  }
  for (int r = 5; r >= 0; r--) scree_exact_merge(&ranks[r], &ranks[r + 1]);
  const double expected = round_bits(bit);
  assert_same_bits(scree_exact_value(&forwards), expected);
  assert_same_bits(scree_exact_value(&backwards), expected);
  assert_same_bits(scree_exact_value(&ranks[0]), expected);
}

static void a_tenth_added_a_million_times(void **state) {
  (void)state;
  scree_exact sum = {0};
  for (int k = 0; k < 1000000; k++) scree_exact_add(&sum, 0.1);
  assert_same_bits(scree_exact_value(&sum), 1e6 * 0.1); // one rounding as well
}

static void merging_a_sum_with_itself_doubles_it(void **state) {
  (void)state;
  scree_exact sum = {0};
  scree_exact_add(&sum, 0.1);
  scree_exact_add(&sum, -1e-300);
  const double once = scree_exact_value(&sum);
  for (int k = 1; k <= 100; k++) {
    const scree_exact other = sum;
    scree_exact_merge(&sum, &other);
    assert_same_bits(scree_exact_value(&sum), ldexp(once, k));
  }
}

static void reading_a_sum_does_not_change_it(void **state) {
  (void)state;
  scree_exact sum = {0};
  double term[100];
  for (int k = 0; k < 100; k++) {
    term[k] = any_double() * 0x1p-20;
    scree_exact_add(&sum, term[k]);
    assert_same_bits(scree_exact_value(&sum), bitwise_sum(term, k + 1));
  }
}

static void digits_are_carried_before_they_overflow(void **state) {
  (void)state;
  // As if 2^30 - 1 terms had gone before, all with the same sign and full digits.
  for (int sign = -1; sign <= 1; sign += 2) {
    scree_exact sum = {.pending = (INT64_C(1) << 30) - 1};
    for (int k = 20; k < 40; k++) sum.digit[k] = sign * ((INT64_C(1) << 62) - (INT64_C(1) << 32));
    const double before = scree_exact_value(&sum);
    scree_exact_add(&sum, sign * 1.0);
    for (int k = 0; k < SCREE_EXACT_DIGITS - 1; k++)
      assert_true(sum.digit[k] >= 0 && sum.digit[k] < INT64_C(1) << 32);
    scree_exact_add(&sum, -sign * 1.0);
    assert_same_bits(scree_exact_value(&sum), before);
    assert_true(sign * before > 0);
  }
}

static void what_is_not_finite_gives_nan(void **state) {
  (void)state;
  const double bad[] = {HUGE_VAL, -HUGE_VAL, NAN};
  for (int k = 0; k < 3; k++) {
    scree_exact sum = {0}, other = {0}, clean = {0};
    scree_exact_add(&sum, 1);
    scree_exact_add(&sum, bad[k]);
    scree_exact_add(&sum, 2);
    assert_true(isnan(scree_exact_value(&sum)));
    scree_exact_merge(&other, &sum);
    assert_true(isnan(scree_exact_value(&other)));
    scree_exact_merge(&sum, &clean);
    assert_true(isnan(scree_exact_value(&sum)));
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_term_is_itself),
    cmocka_unit_test(cancellation_loses_nothing),
    cmocka_unit_test(subnormals_add_up),
    cmocka_unit_test(ties_go_to_even),
    cmocka_unit_test(ends_of_the_range),
    cmocka_unit_test(staircases_of_powers_of_two),
    cmocka_unit_test(any_doubles_match_the_bit_counters),
    cmocka_unit_test(ill_conditioned_sums_match_the_bit_counters),
    cmocka_unit_test(integers_match_128_bits),
    cmocka_unit_test(a_million_terms),
    cmocka_unit_test(a_tenth_added_a_million_times),
    cmocka_unit_test(merging_a_sum_with_itself_doubles_it),
    cmocka_unit_test(reading_a_sum_does_not_change_it),
    cmocka_unit_test(digits_are_carried_before_they_overflow),
    cmocka_unit_test(what_is_not_finite_gives_nan),
};
SCREE_TEST_MAIN(tests)
