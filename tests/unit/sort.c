/// \file
/// The radix sort against qsort: any number of items, any kind of keys, equal keys in order.
#include "sort.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 1;

static uint64_t draw(void) { // splitmix64
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/// By key, then by value: the order of a stable sort when values ascend at the start.
static int by_key_and_value(const void *a, const void *b) {
  const scree_sort_item *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->value > y->value) - (x->value < y->value);
}

/// Sorts random keys, of which only the bits of `mask` differ.
static void check(scree_local count, uint64_t mask) {
  const uint64_t common = draw() % 2 ? draw() & ~mask : 0;
  scree_sort_item *items = scree_alloc((size_t)count, sizeof *items),
                  *scratch = scree_alloc((size_t)count, sizeof *scratch),
                  *expected = scree_alloc((size_t)count, sizeof *expected);
  for (scree_local k = 0; k < count; k++)
    items[k] = expected[k] = (scree_sort_item){common | (draw() & mask), k};
  scree_sort(items, scratch, count);
  qsort(expected, (size_t)count, sizeof *expected, by_key_and_value);
  for (scree_local k = 0; k < count; k++) {
    assert_true(items[k].key == expected[k].key);
    assert_int_equal(items[k].value, expected[k].value);
  }
  scree_free(items);
  scree_free(scratch);
  scree_free(expected);
}

static void any_keys(void **state) {
  (void)state;
  for (scree_local count = 0; count < 200; count++) check(count, UINT64_MAX);
  for (scree_local count = 201; count < 50000; count = count * 3 / 2) check(count, UINT64_MAX);
}

static void equal_keys_keep_their_order(void **state) {
  (void)state;
  static const scree_local count[] = {2, 63, 64, 65, 66, 1000, 10000};
  for (int k = 0; k < 7; k++) {
    check(count[k], 0);
    check(count[k], 1);
    check(count[k], 3 << 20);
    check(count[k], UINT64_C(1) << 63 | 1);
  }
}

static void every_bit_counts(void **state) {
  (void)state;
  for (int bit = 0; bit < 64; bit++) {
    check(30, UINT64_C(1) << bit);
    check(100, UINT64_C(1) << bit);
    check(500, UINT64_C(5) << bit); // two bits, often in two passes
  }
}

static void keys_of_few_or_high_bits(void **state) {
  (void)state;
  for (int low = 0; low < 64; low += 7) {
    check(1000, UINT64_MAX << low);
    check(1000, UINT64_MAX >> low);
  }
}

static void sorted_and_reversed_keys(void **state) {
  (void)state;
  enum { count = 5000 };
  static scree_sort_item items[count], scratch[count];
  for (int reversed = 0; reversed < 2; reversed++) {
    for (scree_local k = 0; k < count; k++)
      items[k].key = (uint64_t)(reversed ? count - 1 - k : k) << 30, items[k].value = k;
    scree_sort(items, scratch, count);
    for (scree_local k = 0; k < count; k++) {
      assert_true(items[k].key == (uint64_t)k << 30);
      assert_int_equal(items[k].value, reversed ? count - 1 - k : k);
    }
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(any_keys),
    cmocka_unit_test(equal_keys_keep_their_order),
    cmocka_unit_test(every_bit_counts),
    cmocka_unit_test(keys_of_few_or_high_bits),
    cmocka_unit_test(sorted_and_reversed_keys),
};
SCREE_TEST_MAIN(tests)
