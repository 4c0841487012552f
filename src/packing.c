/// \file
/// Packing generators: see scree/packing.h.
#include "scree/packing.h"

#include "random.h"
#include "scree/memory.h"
#include "scree/walls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- chain ------------------------------------------------------------------

static scree_vec chain_place(const scree_deck_chain *c, uint64_t k) {
  const double way = (double)k * (2 * c->radius + c->gap);
  return scree_vec_add(c->origin, scree_vec_scale(way, scree_vec_unit(c->direction)));
}

/// A chain along an axis has a box: its period along the axis, its thickness across.
static void chain_box(const scree_deck_chain *c, scree_packing *p) {
  const double half = c->radius + 0.5 * c->gap;
  const scree_vec last = chain_place(c, (uint64_t)c->count - 1);
  const double a[3] = {c->origin.x, c->origin.y, c->origin.z}, b[3] = {last.x, last.y, last.z};
  double low[3], high[3];
  for (int axis = 0; axis < 3; axis++) {
    low[axis] = fmin(a[axis], b[axis]) - half;
    high[axis] = fmax(a[axis], b[axis]) + half;
  }
  p->low = (scree_vec){low[0], low[1], low[2]};
  p->high = (scree_vec){high[0], high[1], high[2]};
  p->has_box = true;
}

// ---- lattice ----------------------------------------------------------------

/// Unit cell in units of the nearest-neighbour distance. Two rows make the period of the hexagonal
/// lattice.
static scree_vec lattice_cell(scree_lattice_kind kind) {
  switch (kind) {
  case SCREE_LATTICE_HEXAGONAL: return (scree_vec){1, sqrt(0.75), 1};
  case SCREE_LATTICE_FCC: return (scree_vec){sqrt(2), sqrt(2), sqrt(2)};
  case SCREE_LATTICE_SQUARE:
  case SCREE_LATTICE_CUBIC: break;
  }
  return (scree_vec){1, 1, 1};
}

static scree_vec lattice_place(const scree_deck_lattice *l, uint64_t k) {
  static const scree_vec fcc_base[4] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  const uint64_t per_cell = l->kind == SCREE_LATTICE_FCC ? 4 : 1;
  const uint64_t cell = k / per_cell, nx = (uint64_t)l->cells[0], ny = (uint64_t)l->cells[1];
  scree_vec at = {(double)(cell % nx), (double)(cell / nx % ny), (double)(cell / nx / ny)};
  if (l->kind == SCREE_LATTICE_FCC) at = scree_vec_add(at, fcc_base[k % 4]);
  if (l->kind == SCREE_LATTICE_HEXAGONAL) at.x += 0.5 * (double)(cell / nx % 2);
  const scree_vec edge = lattice_cell(l->kind);
  const double spacing = 2 * l->radius + l->gap;
  return scree_vec_add(l->origin, (scree_vec){spacing * edge.x * at.x, spacing * edge.y * at.y,
                                              spacing * edge.z * at.z});
}

static void lattice_box(const scree_deck_lattice *l, scree_packing *p) {
  const double spacing = 2 * l->radius + l->gap, half = 0.5 * spacing;
  const scree_vec edge = lattice_cell(l->kind);
  p->low = scree_vec_add(l->origin, (scree_vec){-half, -half, -half});
  p->high = scree_vec_add(p->low, (scree_vec){spacing * edge.x * (double)l->cells[0],
                                              spacing * edge.y * (double)l->cells[1],
                                              spacing * edge.z * (double)l->cells[2]});
  p->has_box = true;
}

// ---- loose ------------------------------------------------------------------

static double power(double x, int n) {
  return n == 0 ? 1 : x * power(x, n - 1);
}

/// The dimension-th root by Newton's method: arithmetic only, so that its bits do not depend on a mathematics library.
static double root(double x, int dimension) {
  if (dimension == 2) return sqrt(x);
  int exponent;
  frexp(x, &exponent);
  double y = ldexp(1, (exponent + 2) / 3); // above the root, or near enough
  for (int i = 0; i < 100; i++) y = (2 * y + x / (y * y)) / 3;
  return y;
}

/// Mean of r^dimension for radii uniform in [a, b].
static double mean_power(double a, double b, int dimension) {
  if (a == b) return power(a, dimension);
  return (power(b, dimension + 1) - power(a, dimension + 1)) / ((dimension + 1) * (b - a));
}

/// Cells across the box that make their shortest edge longest; `*edge` is that edge.
static int64_t best_cells_across(const scree_deck_loose *l, int dimension, double width,
                                 double height, double *edge) {
  int64_t best = 1;
  *edge = 0;
  const double cell =
      root(width * (dimension == 2 ? 1 : width) * height / (double)l->count, dimension);
  const int64_t guess = (int64_t)(width / cell);
  for (int64_t across = guess > 2 ? guess - 2 : 1; across <= guess + 2; across++) {
    const int64_t layer = dimension == 2 ? across : across * across;
    const int64_t layers = (l->count + layer - 1) / layer;
    const double shortest = fmin(width / (double)across, height / (double)layers);
    if (shortest > *edge) {
      *edge = shortest;
      best = across;
    }
  }
  return best;
}

/// Box and cells. Each body has a cell to itself, so no cell may be narrower than the largest body.
static bool loose_box(const scree_deck_loose *l, int dimension, scree_packing *p,
                      scree_error *error) {
  const double largest = 2 * l->radius[1];
  const double body =
      scree_body_mass(dimension, 1, 1) * mean_power(l->radius[0], l->radius[1], dimension);
  const double volume = (double)l->count * body / l->fraction;
  const double width = l->width ? *l->width : root(volume, dimension);
  const double height = volume / (dimension == 2 ? width : width * width);
  double edge;
  const int64_t across = best_cells_across(l, dimension, width, height, &edge);
  const int64_t layer = dimension == 2 ? across : across * across;
  const int64_t layers = (l->count + layer - 1) / layer;
  if (edge < largest)
    return scree_error_set(error, SCREE_EXIT_INPUT,
                           "loose: %lld bodies of diameter up to %g do not fit side by side at "
                           "fraction %g; try %.2g, and "
                           "compress the packing with a piston",
                           (long long)l->count, largest, l->fraction,
                           0.95 * l->fraction * power(edge / largest, dimension));
  p->cells[0] = across;
  p->cells[1] = dimension == 2 ? layers : across;
  p->cells[2] = dimension == 2 ? 1 : layers;
  p->low = l->origin;
  p->high = scree_vec_add(l->origin, dimension == 2 ? (scree_vec){width, height, 0}
                                                    : (scree_vec){width, width, height});
  p->has_box = true;
  return true;
}

static double loose_radius(const scree_packing *p, uint64_t k) {
  const scree_deck_loose *l = p->deck->packing.loose;
  uint64_t word[4];
  scree_random((uint64_t)p->deck->packing.seed, SCREE_RANDOM_RADIUS, k, 0, 0, 0, word);
  return l->radius[0] + (l->radius[1] - l->radius[0]) * scree_random_unit(word[0]);
}

/// Anywhere in its cell, as far as its radius allows.
static scree_vec loose_place(const scree_packing *p, uint64_t k, double radius) {
  const uint64_t nx = (uint64_t)p->cells[0], ny = (uint64_t)p->cells[1];
  const double cell[3] = {(double)(k % nx), (double)(k / nx % ny), (double)(k / nx / ny)};
  const double low[3] = {p->low.x, p->low.y, p->low.z}, high[3] = {p->high.x, p->high.y, p->high.z};
  double x[3] = {0, 0, 0};
  uint64_t word[4];
  scree_random((uint64_t)p->deck->packing.seed, SCREE_RANDOM_POSITION, k, 0, 0, 0, word);
  for (int axis = 0; axis < (int)p->deck->packing.dimension; axis++) {
    const double edge = (high[axis] - low[axis]) / (double)p->cells[axis];
    x[axis] = low[axis] + cell[axis] * edge + radius +
              (edge - 2 * radius) * scree_random_unit(word[axis]);
  }
  return (scree_vec){x[0], x[1], x[2]};
}

// ---- lists and files --------------------------------------------------------

static int by_id(const void *a, const void *b) {
  const scree_packing_body *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

/// Rows in the order of their ids, which must differ.
static bool sort_rows(scree_packing *p, scree_error *error) {
  qsort(p->row, p->base_count, sizeof *p->row, by_id);
  for (uint64_t k = 1; k < p->base_count; k++)
    if (p->row[k].id == p->row[k - 1].id)
      return scree_error_set(error, SCREE_EXIT_INPUT, "two bodies have the id %llu",
                             (unsigned long long)p->row[k].id);
  return true;
}

static void take_list(const scree_deck_packing *from, scree_packing *p) {
  p->base_count = from->list_count;
  p->row = scree_alloc(p->base_count, sizeof *p->row);
  for (uint64_t k = 0; k < p->base_count; k++) {
    const scree_deck_body *b = &from->list[k];
    p->row[k] = (scree_packing_body){b->id ? *b->id : k, b->position, b->radius, b->velocity,
                                     b->angular_velocity};
  }
}

// ---- all of them ------------------------------------------------------------

/// The copies, and how their ids follow each other.
static bool replicate(scree_packing *p, scree_error *error) {
  const int64_t *copies = p->deck->packing.replicate;
  p->id_stride = p->row ? p->row[p->base_count - 1].id + 1 : p->base_count;
  uint64_t all = 1, ids;
  for (int axis = 0; axis < 3; axis++)
    if (__builtin_mul_overflow(all, (uint64_t)copies[axis], &all)) all = UINT64_MAX;
  if (__builtin_mul_overflow(p->base_count, all, &p->count) || p->count > INT32_MAX)
    return scree_error_set(error, SCREE_EXIT_INPUT, "more than %d bodies do not fit on one rank",
                           INT32_MAX);
  if (__builtin_mul_overflow(p->id_stride, all, &ids) || ids > scree_wall_first_id)
    return scree_error_set(error, SCREE_EXIT_INPUT,
                           "replicate: the ids of the copies would pass 2^63");
  const scree_deck_domain *domain = &p->deck->domain;
  if (all > 1 && !p->has_box &&
      domain->low) { // a list or CSV file may borrow the box of the domain
    p->low = *domain->low;
    p->high = *domain->high;
    p->has_box = true;
  }
  if (all > 1 && !p->has_box)
    return scree_error_set(error, SCREE_EXIT_INPUT,
                           "replicate needs to know how far apart copies are; give domain.low and "
                           "domain.high, the box of one");
  return true;
}

bool scree_packing_create(const scree_deck *deck, scree_packing *p, scree_error *error) {
  const scree_deck_packing *from = &deck->packing;
  *p = (scree_packing){.deck = deck};
  bool ok = true;
  if (from->chain) {
    p->base_count = (uint64_t)from->chain->count;
    chain_box(from->chain, p);
  } else if (from->lattice) {
    p->base_count = from->lattice->kind == SCREE_LATTICE_FCC ? 4 : 1;
    for (int axis = 0; axis < 3; axis++)
      if (__builtin_mul_overflow(p->base_count, (uint64_t)from->lattice->cells[axis],
                                 &p->base_count))
        p->base_count = INT64_MAX;
    lattice_box(from->lattice, p);
  } else if (from->loose) {
    p->base_count = (uint64_t)from->loose->count;
    ok = loose_box(from->loose, (int)from->dimension, p, error);
  } else if (from->list) {
    take_list(from, p);
  } else {
    ok = scree_packing_read(p, error);
  }
  ok = ok && (!p->row || sort_rows(p, error)) && replicate(p, error);
  if (!ok) scree_packing_destroy(p);
  return ok;
}

void scree_packing_destroy(scree_packing *p) {
  scree_free(p->row);
  p->row = NULL;
}

scree_packing_body scree_packing_get(const scree_packing *p, uint64_t k) {
  const scree_deck_packing *from = &p->deck->packing;
  const uint64_t copy = k / p->base_count, base = k % p->base_count;
  scree_packing_body b = {.id = base};
  if (from->chain) {
    b.position = chain_place(from->chain, base);
    b.radius = from->chain->radius;
  } else if (from->lattice) {
    b.position = lattice_place(from->lattice, base);
    b.radius = from->lattice->radius;
  } else if (from->loose) {
    b.radius = loose_radius(p, base);
    b.position = loose_place(p, base, b.radius);
  } else {
    b = p->row[base];
  }
  b.velocity = scree_vec_add(b.velocity, from->velocity);
  b.angular_velocity = scree_vec_add(b.angular_velocity, from->angular_velocity);
  if (copy == 0) return b;
  const uint64_t nx = (uint64_t)from->replicate[0], ny = (uint64_t)from->replicate[1];
  b.id += copy * p->id_stride;
  b.position.x += (double)(copy % nx) * (p->high.x - p->low.x);
  b.position.y += (double)(copy / nx % ny) * (p->high.y - p->low.y);
  b.position.z += (double)(copy / nx / ny) * (p->high.z - p->low.z);
  return b;
}

bool scree_packing_has(const scree_packing *p, scree_global id) {
  if (id / p->id_stride >= p->count / p->base_count) return false;
  if (!p->row) return true;
  const scree_packing_body wanted = {.id = id % p->id_stride};
  return bsearch(&wanted, p->row, p->base_count, sizeof *p->row, by_id) != NULL;
}

scree_bodies *scree_packing_bodies(const scree_packing *p, uint64_t first, scree_local count,
                                   int extra) {
  const scree_deck *deck = p->deck;
  scree_bodies *b = scree_bodies_create((int)deck->packing.dimension, count, extra);
  for (scree_local i = 0; i < count; i++) {
    const scree_packing_body body = scree_packing_get(p, first + (uint64_t)i);
    b->id[i] = body.id;
    b->position[i] = body.position;
    b->radius[i] = body.radius;
    b->orientation[i] = (scree_turn){.w = b->dimension == 2 ? 0 : 1};
    b->motion[i] = (scree_motion){
        .velocity = body.velocity,
        .inverse_mass = 1 / scree_body_mass(b->dimension, body.radius, deck->material.density),
        .spin = scree_vec_scale(body.radius, body.angular_velocity),
        .friction = deck->material.friction,
    };
  }
  return b;
}
