/// \file
/// Counted memory. Every create has a destroy; main checks at exit that all of it came back.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// `items` zeroed items of `size` bytes; never NULL (running out of memory ends the job with a
/// message). No items are allowed. Owned by the caller.
void *scree_alloc(size_t items, size_t size);
/// The same, on the border of a cache line: for what vector instructions touch.
void *scree_alloc_lines(size_t items, size_t size);
/// Grow (or shrink) a block from scree_alloc, keeping its content; what is new is not zeroed.
void *scree_realloc(void *block, size_t items, size_t size);
/// A copy of `text`. Owned by the caller.
char *scree_strdup(const char *text);
/// Give back a block of the functions above; NULL is allowed.
void scree_free(void *block);

typedef struct scree_memory_use {
  int64_t blocks; ///< held now
  int64_t bytes;  ///< held now
  int64_t peak;   ///< most bytes held at once
} scree_memory_use;

scree_memory_use scree_memory_now(void);

/// Bytes of main memory this machine has.
double scree_memory_of_machine(void);
