/// \file
/// Radix sort from the lowest byte up, leaving out bytes that all keys share.
#include "sort.h"

#include <string.h>

/// For a few items counting bins costs more than moving items.
static void insertion_sort(scree_sort_item *items, scree_local count) {
  for (scree_local i = 1; i < count; i++) {
    const scree_sort_item item = items[i];
    scree_local k = i;
    for (; k > 0 && items[k - 1].key > item.key; k--) items[k] = items[k - 1];
    items[k] = item;
  }
}

void scree_sort(scree_sort_item *items, scree_sort_item *scratch, scree_local count) {
  if (count <= 64) {
    insertion_sort(items, count);
    return;
  }
  enum { bits = 11, bins = 1 << bits, passes = 6 }; // 6 * 11 >= 64
  uint64_t differs = 0;
  for (scree_local i = 0; i < count; i++) differs |= items[i].key ^ items[0].key;
  scree_sort_item *from = items, *to = scratch;
  for (int pass = 0; pass < passes; pass++) {
    const int shift = pass * bits;
    if ((differs >> shift & (bins - 1)) == 0) continue;
    scree_local start[bins] = {0};
    for (scree_local i = 0; i < count; i++) start[from[i].key >> shift & (bins - 1)]++;
    scree_local sum = 0;
    for (int b = 0; b < bins; b++) {
      const scree_local here = start[b];
      start[b] = sum;
      sum += here;
    }
    for (scree_local i = 0; i < count; i++)
      to[start[from[i].key >> shift & (bins - 1)]++] = from[i];
    scree_sort_item *swap = from;
    from = to;
    to = swap;
  }
  if (from != items) memcpy(items, from, (size_t)count * sizeof *items);
}
