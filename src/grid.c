/// \file
/// Counting-sort grid: see grid.h. Cells are as wide as the longest reach of a pair. A body that
/// has flown far away must not cost memory, so when the cells of the bounding box are many more
/// than the bodies, cells share buckets by hashing.
#include "grid.h"

#include "scree/check.h"
#include "scree/memory.h"

#include <math.h>

typedef struct cell {
  int64_t c[3];
} cell;

typedef struct entry {
  scree_vec position;
  double radius;
  scree_global id;
  scree_local line;
} entry;

typedef struct grid {
  double low[3], scale[3]; ///< cell = (x - low) * scale
  int64_t along[3];        ///< cells along each axis
  bool periodic[3];
  bool hashed;
  uint64_t buckets;   ///< all of them; a power of two when hashed
  scree_local *start; ///< [buckets + 1] owned
  entry *body;        ///< [bodies] owned: bodies by bucket, copied so that a cell is read in one go
  cell *of;           ///< [bodies] owned: cell of each body
} grid;

static void measure(grid *g, const scree_bodies *b, const scree_domain *d, double reach) {
  for (int axis = 0; axis < 3; axis++) {
    g->periodic[axis] = d->periodic[axis];
    double low = HUGE_VAL, high = -HUGE_VAL;
    if (d->periodic[axis]) {
      low = scree_vec_along(d->low, axis);
      high = low + scree_vec_along(d->size, axis);
      g->along[axis] = (int64_t)fmax(1, floor((high - low) / reach));
      g->scale[axis] = (double)g->along[axis] / (high - low);
    } else {
      for (scree_local i = 0; i < b->held; i++) {
        low = fmin(low, scree_vec_along(b->listed[i], axis));
        high = fmax(high, scree_vec_along(b->listed[i], axis));
      }
      g->scale[axis] = 1 / reach;
      SCREE_CHECK((high - low) * g->scale[axis] < 1e15, "bodies have flown apart without bounds");
      g->along[axis] = (int64_t)floor((high - low) * g->scale[axis]) + 1;
    }
    g->low[axis] = low;
  }
}

static void choose_buckets(grid *g, scree_local count) {
  const double cells = (double)g->along[0] * (double)g->along[1] * (double)g->along[2];
  g->hashed = cells > 8.0 * count + 1024;
  if (!g->hashed) {
    g->buckets = (uint64_t)cells;
    return;
  }
  g->buckets = 1024;
  while (g->buckets < 2 * (uint64_t)count) g->buckets *= 2;
}

static uint64_t bucket(const grid *g, cell c) {
  const uint64_t x = (uint64_t)c.c[0], y = (uint64_t)c.c[1], z = (uint64_t)c.c[2];
  if (!g->hashed) return (z * (uint64_t)g->along[1] + y) * (uint64_t)g->along[0] + x;
  const uint64_t h = (x * UINT64_C(0x9e3779b97f4a7c15) ^ y * UINT64_C(0xc2b2ae3d27d4eb4f)) +
                     z * UINT64_C(0x165667b19e3779f9);
  return (h ^ h >> 29) & (g->buckets - 1);
}

static cell cell_of(const grid *g, scree_vec x) {
  cell c;
  for (int axis = 0; axis < 3; axis++) {
    const int64_t k = (int64_t)floor((scree_vec_along(x, axis) - g->low[axis]) * g->scale[axis]);
    c.c[axis] = k < 0 ? 0 : k >= g->along[axis] ? g->along[axis] - 1 : k;
  }
  return c;
}

static void fill(grid *g, const scree_bodies *b) {
  g->start = scree_alloc(g->buckets + 1, sizeof *g->start);
  g->body = scree_alloc((size_t)b->held, sizeof *g->body);
  g->of = scree_alloc((size_t)b->held, sizeof *g->of);
  for (scree_local i = 0; i < b->held; i++) {
    g->of[i] = cell_of(g, b->listed[i]);
    g->start[bucket(g, g->of[i]) + 1]++;
  }
  for (uint64_t k = 0; k < g->buckets; k++) g->start[k + 1] += g->start[k];
  for (scree_local i = 0; i < b->held; i++)
    g->body[g->start[bucket(g, g->of[i])]++] = (entry){b->listed[i], b->radius[i], b->id[i], i};
  // Each start has moved to its end, which is the next one's start: shift back.
  for (uint64_t k = g->buckets; k > 0; k--) g->start[k] = g->start[k - 1];
  g->start[0] = 0;
}

/// The cells next to `at` along one axis and itself, each once. Returns how many.
static int neighbours(const grid *g, int axis, int64_t at, int64_t *found) {
  const int64_t n = g->along[axis];
  int count = 0;
  for (int64_t k = at - 1; k <= at + 1; k++) {
    if (g->periodic[axis]) {
      const int64_t wrapped = (k + n) % n;
      bool twice = false;
      for (int m = 0; m < count; m++) twice |= found[m] == wrapped;
      if (!twice) found[count++] = wrapped;
    } else if (k >= 0 && k < n) {
      found[count++] = k;
    }
  }
  return count;
}

typedef struct list {
  scree_pairs *pairs;
  int64_t capacity;
} list;

static void push(list *l, int64_t at, scree_local partner) {
  if (at == l->capacity) {
    l->capacity *= 2;
    l->pairs->partner = scree_realloc(l->pairs->partner, (size_t)l->capacity, sizeof partner);
  }
  l->pairs->partner[at] = partner;
}

static bool same_cell(cell a, cell b) {
  return a.c[0] == b.c[0] && a.c[1] == b.c[1] && a.c[2] == b.c[2];
}

/// Append the partners of body `i` found in one cell. Returns the new end of the list.
static int64_t search_cell(const grid *g, const scree_bodies *b, const scree_domain *d, double skin,
                           scree_local i, cell at, list *l, int64_t end) {
  const uint64_t k = bucket(g, at);
  for (scree_local m = g->start[k]; m < g->start[k + 1]; m++) {
    const entry *j = &g->body[m];
    if (j->id <= b->id[i]) continue;
    const scree_vec between = scree_domain_between(d, b->listed[i], j->position);
    const double reach = b->radius[i] + j->radius + skin;
    if (!(scree_vec_dot(between, between) < reach * reach)) continue;
    if (!g->hashed || same_cell(g->of[j->line], at)) push(l, end++, j->line);
  }
  return end;
}

/// A body has few partners, so moving them into place beats any cleverer sort.
static void sort_lines(scree_local *line, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    const scree_local kept = line[i];
    int64_t k = i;
    for (; k > 0 && line[k - 1] > kept; k--) line[k] = line[k - 1];
    line[k] = kept;
  }
}

static int64_t search_body(const grid *g, const scree_bodies *b, const scree_domain *d, double skin,
                           scree_local i, list *l, int64_t end) {
  int64_t x[3], y[3], z[3];
  const int64_t first = end;
  const int nx = neighbours(g, 0, g->of[i].c[0], x), ny = neighbours(g, 1, g->of[i].c[1], y),
            nz = neighbours(g, 2, g->of[i].c[2], z);
  for (int c = 0; c < nz; c++)
    for (int e = 0; e < ny; e++)
      for (int f = 0; f < nx; f++)
        end = search_cell(g, b, d, skin, i, (cell){{x[f], y[e], z[c]}}, l, end);
  sort_lines(l->pairs->partner + first, end - first);
  return end;
}

scree_pairs scree_grid_pairs(const scree_bodies *b, const scree_domain *d, double skin) {
  double largest = 0;
  for (scree_local i = 0; i < b->held; i++) largest = fmax(largest, b->radius[i]);
  grid g = {0};
  scree_pairs pairs = {.start = scree_alloc((size_t)b->count + 1, sizeof *pairs.start)};
  list l = {.pairs = &pairs, .capacity = 4 * (int64_t)b->count + 16};
  pairs.partner = scree_alloc((size_t)l.capacity, sizeof *pairs.partner);
  if (b->count == 0) return pairs;
  // A little wider than a pair can reach, so that rounding never puts one two cells apart: the answer must not depend on where the
  // grid begins.
  measure(&g, b, d, (2 * largest + skin) * (1 + 1e-9));
  choose_buckets(&g, b->held);
  fill(&g, b);
  for (scree_local i = 0; i < b->count; i++)
    pairs.start[i + 1] = search_body(&g, b, d, skin, i, &l, pairs.start[i]);
  scree_free(g.start);
  scree_free(g.body);
  scree_free(g.of);
  return pairs;
}

void scree_pairs_destroy(scree_pairs *pairs) {
  scree_free(pairs->start);
  scree_free(pairs->partner);
}
