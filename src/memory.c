/// \file
/// Counted memory: see scree/memory.h. Scree has no threads of its own, so plain counters do.
#include "scree/memory.h"

#include "scree/check.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { cache_line = 64 };

static scree_memory_use now;

static void count(void *block, int sign) {
  now.blocks += sign;
  now.bytes += sign * (int64_t)malloc_usable_size(block);
  if (now.bytes > now.peak) now.peak = now.bytes;
}

void *scree_alloc(size_t count_, size_t size) {
  size_t bytes;
  SCREE_CHECK(!__builtin_mul_overflow(count_, size, &bytes) && bytes < SIZE_MAX / 2,
              "a request for %zu items of %zu bytes is larger than the address space", count_,
              size);
  if (bytes == 0) bytes = 1;
  void *block;
  if (bytes < cache_line) {
    block = calloc(1, bytes);
  } else {
    bytes = (bytes + cache_line - 1) / cache_line * cache_line;
    block = aligned_alloc(cache_line, bytes);
    if (block) memset(block, 0, bytes);
  }
  SCREE_CHECK(block, "out of memory: no room for %zu bytes beside the %lld in use", bytes,
              (long long)now.bytes);
  count(block, 1);
  return block;
}

void *scree_realloc(void *block, size_t count_, size_t size) {
  void *grown = scree_alloc(count_, size);
  if (block) {
    const size_t old = malloc_usable_size(block), wanted = count_ * size;
    memcpy(grown, block, old < wanted ? old : wanted);
  }
  scree_free(block);
  return grown;
}

char *scree_strdup(const char *text) {
  const size_t bytes = strlen(text) + 1;
  return memcpy(scree_alloc(bytes, 1), text, bytes);
}

void scree_free(void *block) {
  if (!block) return;
  count(block, -1);
  free(block);
}

scree_memory_use scree_memory_now(void) {
  return now;
}

double scree_memory_of_machine(void) {
  return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}
