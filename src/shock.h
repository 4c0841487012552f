/// \file
/// The shock law for one contact (scalar) and for a batch of eight (lanes). Kernels: no MPI, no
/// allocation, no files. The lanes are compiler vector types; how wide the machine's registers are
/// is the compiler's business.
#pragma once
#include "scree/contacts.h"

#include <math.h>

/// What all contacts of a run share.
typedef struct scree_shock_constants {
  double tangential_share; ///< m_t / m_n = 1/(1 + 1/b): 2/7 for spheres, 1/3 for discs
  double spin_factor;      ///< 1/b: 5/2 for spheres, 2 for discs
} scree_shock_constants;

static inline scree_shock_constants scree_shock_constants_for(int dimension) {
  const double b = scree_body_inertia_factor(dimension);
  return (scree_shock_constants){.tangential_share = b / (b + 1), .spin_factor = 1 / b};
}

// ---- one contact ------------------------------------------------------------

static inline double scree_positive_1(double x) {
  return x > 0 ? x : 0;
}

/// Factor that brings a vector of squared length `square` down to `limit`; 1 if it is short enough.
static inline double scree_shorten_1(double limit, double square) {
  return square > limit * limit ? limit / sqrt(square) : 1;
}

#define REAL    double
#define NAME(x) scree_##x##_1
#include "shock_law.h"
#undef REAL
#undef NAME

_Static_assert(sizeof(scree_body_1) == sizeof(scree_motion),
               "a line of motion is a body of the law");

static inline scree_contact_1 scree_batch_get(const scree_batch *b, int l) {
  return (scree_contact_1){b->nx[l], b->ny[l], b->nz[l],   b->px[l],
                           b->py[l], b->pz[l], b->bias[l], b->mass[l]};
}

static inline void scree_batch_put_impulse(scree_batch *b, int l, const scree_contact_1 *c) {
  b->px[l] = c->px;
  b->py[l] = c->py;
  b->pz[l] = c->pz;
}

// ---- eight contacts ---------------------------------------------------------

typedef double scree_lanes __attribute__((vector_size(64)));
typedef double scree_line __attribute__((vector_size(64), may_alias)); ///< one line of motion
typedef int64_t scree_mask __attribute__((vector_size(64)));

static inline scree_lanes scree_select(scree_mask mask, scree_lanes yes, scree_lanes no) {
  return (scree_lanes)((mask & (scree_mask)yes) | (~mask & (scree_mask)no));
}

static inline scree_lanes scree_positive_8(scree_lanes x) {
  return (scree_lanes)((scree_mask)x & (x > 0));
}

static inline scree_lanes scree_shorten_8(scree_lanes limit, scree_lanes square) {
  const scree_lanes one = {1, 1, 1, 1, 1, 1, 1, 1};
  scree_lanes root;
  for (int l = 0; l < SCREE_LANES; l++) root[l] = sqrt(square[l]);
  return scree_select(square > limit * limit, limit / root, one);
}

#define REAL    scree_lanes
#define NAME(x) scree_##x##_8
#include "shock_law.h"
#undef REAL
#undef NAME

/// Eight lines of eight numbers, transposed: body after body ↔ quantity after quantity.
static inline void scree_transpose(scree_lanes r[8]) {
  scree_lanes t[8];
  for (int k = 0; k < 8; k += 2) {
    t[k] = __builtin_shufflevector(r[k], r[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[k + 1] = __builtin_shufflevector(r[k], r[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 8; k += 4)
    for (int m = 0; m < 2; m++) {
      r[k + m] = __builtin_shufflevector(t[k + m], t[k + m + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[k + m + 2] = __builtin_shufflevector(t[k + m], t[k + m + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int m = 0; m < 4; m++) {
    t[m] = __builtin_shufflevector(r[m], r[m + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    t[m + 4] = __builtin_shufflevector(r[m], r[m + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int k = 0; k < 8; k++) r[k] = t[k];
}

/// Eight bodies, gathered from their lines.
static inline void scree_bodies_gather(scree_body_8 *b, const scree_motion *motion,
                                       const scree_local *line) {
  scree_lanes *r = (scree_lanes *)b;
  for (int l = 0; l < SCREE_LANES; l++) r[l] = *(const scree_line *)&motion[line[l]];
  scree_transpose(r);
}

/// And put back. Lines that stand twice in `line` (walls, the dummy) are not changed by the law, so
/// it does not matter who writes.
static inline void scree_bodies_scatter(scree_body_8 *b, scree_motion *motion,
                                        const scree_local *line) {
  scree_lanes *r = (scree_lanes *)b;
  scree_transpose(r);
  for (int l = 0; l < SCREE_LANES; l++) *(scree_line *)&motion[line[l]] = r[l];
}
