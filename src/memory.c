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

static size_t bytes_of(size_t items, size_t size) {
  size_t bytes;
  SCREE_CHECK(!__builtin_mul_overflow(items, size, &bytes) && bytes < SIZE_MAX / 2,
              "a request for %zu items of %zu bytes is larger than the address space", items, size);
  return bytes ? bytes : 1;
}

static void *counted(void *block, size_t bytes) {
  SCREE_CHECK(block, "out of memory: no room for %zu bytes beside the %lld in use", bytes,
              (long long)now.bytes);
  count(block, 1);
  return block;
}

void *scree_alloc(size_t items, size_t size) {
  const size_t bytes = bytes_of(items, size);
  return counted(calloc(1, bytes), bytes);
}

void *scree_alloc_lines(size_t items, size_t size) {
  const size_t bytes = (bytes_of(items, size) + cache_line - 1) / cache_line * cache_line;
  return memset(counted(aligned_alloc(cache_line, bytes), bytes), 0, bytes);
}

void *scree_realloc(void *block, size_t items, size_t size) {
  const size_t bytes = bytes_of(items, size);
  if (block) count(block, -1);
  return counted(realloc(block, bytes), bytes);
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
