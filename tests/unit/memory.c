/// \file
/// Counted memory: the balance is exact, blocks are zeroed and aligned.
#include "scree/memory.h"
#include "scree_test.h"

#include <string.h>

static void balance_returns_to_where_it_was(void **state) {
  (void)state;
  const scree_memory_use before = scree_memory_now();
  void *block[100];
  for (size_t i = 0; i < 100; i++) block[i] = scree_alloc(i, 24);
  assert_int_equal(scree_memory_now().blocks, before.blocks + 100);
  assert_true(scree_memory_now().bytes >= before.bytes + 24 * 99 * 100 / 2);
  assert_true(scree_memory_now().peak >= scree_memory_now().bytes);
  for (size_t i = 0; i < 100; i++) scree_free(block[i]);
  scree_free(NULL);
  assert_int_equal(scree_memory_now().blocks, before.blocks);
  assert_int_equal(scree_memory_now().bytes, before.bytes);
}

static void blocks_are_zeroed_and_aligned(void **state) {
  (void)state;
  for (size_t size = 1; size < 5000; size = size * 3 + 1) {
    unsigned char *block = scree_alloc(size, 1);
    for (size_t i = 0; i < size; i++) assert_int_equal(block[i], 0);
    memset(block, 255, size);
    scree_free(block);
    block = scree_alloc_lines(size, 1);
    assert_int_equal((uintptr_t)block % 64, 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(block[i], 0);
    scree_free(block);
  }
}

static void growing_keeps_the_content(void **state) {
  (void)state;
  const scree_memory_use before = scree_memory_now();
  int *list = NULL;
  for (int i = 0; i < 300; i++) {
    list = scree_realloc(list, (size_t)i + 1, sizeof *list);
    list[i] = i;
  }
  for (int i = 0; i < 300; i++) assert_int_equal(list[i], i);
  scree_free(list);
  assert_int_equal(scree_memory_now().blocks, before.blocks);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(balance_returns_to_where_it_was),
    cmocka_unit_test(blocks_are_zeroed_and_aligned),
    cmocka_unit_test(growing_keeps_the_content),
};
SCREE_TEST_MAIN(tests)
