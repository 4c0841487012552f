/// \file
/// Sorting by 64-bit keys, stable and in linear time.
#pragma once
#include "scree/types.h"

/// A key and what it belongs to.
typedef struct scree_sort_item {
  uint64_t key;
  scree_local value;
} scree_sort_item;

/// Sort `items[0..count)` by key; equal keys keep their order. `scratch` has as many items.
void scree_sort(scree_sort_item *items, scree_sort_item *scratch, scree_local count);
