/// \file
/// Tiles and the order of particles: see scree/tiles.h.
#include "scree/tiles.h"

#include "scree/check.h"
#include "scree/memory.h"
#include "sort.h"

#include <math.h>
#include <string.h>

double scree_tiles_edge(int dimension, double reach, double diameter) {
  // Some 250 particles of a dense packing fill a tile: enough to fill batches, few enough for the
  // nearest cache.
  return fmax(2 * reach * (1 + 1e-8), (dimension == 2 ? 16 : 6) * diameter);
}

static const int64_t coordinate_offset = 1 << 20; // coordinates have 21 bits

/// Every third bit of a word, from the lowest 21 bits of `x`.
static uint64_t spread(uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
  x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
  x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
  x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
  x = (x | x << 2) & UINT64_C(0x1249249249249249);
  return x;
}

/// The inverse of `spread`.
static uint64_t gather(uint64_t x) {
  x &= UINT64_C(0x1249249249249249);
  x = (x | x >> 2) & UINT64_C(0x10c30c30c30c30c3);
  x = (x | x >> 4) & UINT64_C(0x100f00f00f00f00f);
  x = (x | x >> 8) & UINT64_C(0x1f0000ff0000ff);
  x = (x | x >> 16) & UINT64_C(0x1f00000000ffff);
  x = (x | x >> 32) & 0x1fffff;
  return x;
}

/// Lattice coordinate of a position along one axis, shifted to be positive.
static uint64_t coordinate(double x, double low, double edge, int64_t along) {
  double cell = floor((x - low) / edge);
  if (along > 0) {
    if (cell < 0) cell = 0;
    if (cell > (double)(along - 1)) cell = (double)(along - 1);
    return (uint64_t)cell;
  }
  SCREE_CHECK(cell >= -(double)coordinate_offset && cell < (double)coordinate_offset,
              "a body has left for %g, more than a million tiles away", x);
  return (uint64_t)((int64_t)cell + coordinate_offset);
}

bool scree_lattice_same(const scree_lattice *a, const scree_lattice *b) {
  return memcmp(a, b, sizeof *a) == 0; // numbers without gaps
}

uint64_t scree_lattice_key(const scree_lattice *t, scree_vec x) {
  return spread(coordinate(x.x, t->low.x, t->edge.x, t->along[0])) |
         spread(coordinate(x.y, t->low.y, t->edge.y, t->along[1])) << 1 |
         spread(coordinate(x.z, t->low.z, t->edge.z, t->along[2])) << 2;
}

uint64_t scree_lattice_neighbour(const scree_lattice *t, uint64_t key, const int by[3]) {
  uint64_t found = 0;
  for (int axis = 0; axis < 3; axis++) {
    int64_t at = (int64_t)gather(key >> axis) + by[axis];
    if (t->along[axis] > 0) at = (at + t->along[axis]) % t->along[axis];
    found |= spread((uint64_t)at) << axis;
  }
  return found;
}

void scree_lattice_coordinates(const scree_lattice *t, uint64_t key, int64_t at[3]) {
  for (int axis = 0; axis < 3; axis++)
    at[axis] = (int64_t)gather(key >> axis) - (t->along[axis] > 0 ? 0 : coordinate_offset);
}

void scree_lattice_sides(const scree_lattice *t, uint64_t key, scree_vec x, double reach,
                         int side[3]) {
  int64_t at[3];
  scree_lattice_coordinates(t, key, at);
  for (int axis = 0; axis < 3; axis++) {
    const double edge = scree_vec_along(t->edge, axis);
    const double low = scree_vec_along(t->low, axis) + (double)at[axis] * edge;
    // A little more than it reaches, so that rounding loses nobody.
    const double in = scree_vec_along(x, axis) - low, near = reach * (1 + 1e-9) + 1e-9 * edge;
    side[axis] = in < near ? -1 : edge - in < near ? 1 : 0;
  }
}

scree_lattice scree_lattice_make(const scree_domain *d, double edge) {
  scree_lattice t = {.low = d->low};
  const double size[3] = {d->size.x, d->size.y, d->size.z};
  double fitted[3];
  for (int axis = 0; axis < 3; axis++) {
    fitted[axis] = edge;
    if (!d->periodic[axis]) continue;
    const int64_t fit = (int64_t)(size[axis] / edge);
    t.along[axis] = fit < 2 ? 1 : fit - fit % 2;
    fitted[axis] = size[axis] / (double)t.along[axis];
  }
  t.edge = (scree_vec){fitted[0], fitted[1], fitted[2]};
  return t;
}

/// Apply the permutation to one array through `scratch`.
static void permute(void *array, size_t size, const scree_local *moved, scree_local count,
                    char *scratch) {
  char *bytes = array;
  for (scree_local k = 0; k < count; k++)
    memcpy(scratch + (size_t)k * size, bytes + (size_t)moved[k] * size, size);
  memcpy(array, scratch, (size_t)count * size);
}

/// Order by tile, then id: sorted twice, as the sort is stable.
static void sort_bodies(const scree_lattice *t, scree_bodies *b, scree_sort_item *item,
                        scree_local *moved) {
  const scree_local n = b->count;
  scree_sort_item *scratch = scree_alloc((size_t)n, sizeof *scratch);
  for (scree_local k = 0; k < n; k++) item[k] = (scree_sort_item){b->id[k], k};
  scree_sort(item, scratch, n);
  for (scree_local k = 0; k < n; k++) item[k].key = scree_lattice_key(t, b->listed[item[k].value]);
  scree_sort(item, scratch, n);
  scree_free(scratch);
  for (scree_local k = 0; k < n; k++) moved[k] = item[k].value;
  char *room = scree_alloc((size_t)n, sizeof *b->motion);
  permute(b->id, sizeof *b->id, moved, n, room);
  permute(b->motion, sizeof *b->motion, moved, n, room);
  permute(b->position, sizeof *b->position, moved, n, room);
  permute(b->listed, sizeof *b->listed, moved, n, room);
  permute(b->orientation, sizeof *b->orientation, moved, n, room);
  permute(b->radius, sizeof *b->radius, moved, n, room);
  scree_free(room);
}

void scree_tiles_border_first(scree_tiles *t, const bool *border) {
  int32_t next = 0;
  for (int c = 0; c < SCREE_CLASSES; c++) {
    t->class_start[c] = next;
    for (int side = 0; side < 2; side++) {
      for (int32_t k = 0; k < t->count; k++)
        if ((int)(t->key[k] % SCREE_CLASSES) == c && border[k] == (side == 0))
          t->in_class[next++] = k;
      if (side == 0) t->border_end[c] = next;
    }
  }
  t->class_start[SCREE_CLASSES] = next;
}

/// Without borders, as long as nobody knows of any.
static void sort_classes(scree_tiles *t) {
  t->in_class = scree_alloc((size_t)t->count, sizeof *t->in_class);
  bool *none = scree_alloc((size_t)t->count, sizeof *none);
  scree_tiles_border_first(t, none);
  scree_free(none);
}

scree_tiles *scree_tiles_create(scree_bodies *b, const scree_lattice *lattice, scree_local *moved) {
  scree_tiles *t = scree_alloc(1, sizeof *t);
  t->lattice = *lattice;
  scree_bodies_resize(b, b->count, b->count);
  scree_sort_item *item = scree_alloc((size_t)b->count, sizeof *item);
  sort_bodies(lattice, b, item, moved);

  for (scree_local k = 0; k < b->count; k++) t->count += k == 0 || item[k].key != item[k - 1].key;
  t->key = scree_alloc((size_t)t->count, sizeof *t->key);
  t->start = scree_alloc((size_t)t->count + 1, sizeof *t->start);
  for (scree_local k = 0, tile = 0; k < b->count; k++) {
    if (k > 0 && item[k].key == item[k - 1].key) continue;
    t->key[tile] = item[k].key;
    t->start[tile++] = k;
  }
  t->start[t->count] = b->count;
  scree_free(item);
  sort_classes(t);
  return t;
}

void scree_tiles_destroy(scree_tiles *t) {
  if (!t) return;
  scree_free(t->key);
  scree_free(t->start);
  scree_free(t->in_class);
  scree_free(t);
}

bool scree_tiles_is_valid(const scree_tiles *t, const scree_bodies *b) {
  if (t->start[t->count] != b->count || t->class_start[SCREE_CLASSES] != t->count) return false;
  for (int32_t k = 0; k < t->count; k++) {
    if (t->start[k + 1] <= t->start[k] || (k > 0 && t->key[k] <= t->key[k - 1])) return false;
    for (scree_local i = t->start[k]; i < t->start[k + 1]; i++) {
      if (scree_lattice_key(&t->lattice, b->listed[i]) != t->key[k]) return false;
      if (i > t->start[k] && b->id[i] <= b->id[i - 1]) return false;
    }
  }
  for (int c = 0; c < SCREE_CLASSES; c++) {
    if (t->border_end[c] < t->class_start[c] || t->border_end[c] > t->class_start[c + 1])
      return false;
    for (int32_t k = t->class_start[c]; k < t->class_start[c + 1]; k++)
      if ((int)(t->key[t->in_class[k]] % SCREE_CLASSES) != c) return false;
  }
  return true;
}
