/// \file
/// Index types and small vectors used everywhere. Local and global indices are different types on
/// purpose: a local index counts what this rank holds, a global id names a body for the whole run.
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t scree_local;   ///< index into arrays of this rank; at most 2^31 - 1 entries
typedef uint64_t scree_global; ///< id of a body, the same on every rank and after every restart

typedef struct scree_vec {
  double x, y, z;
} scree_vec;

static inline scree_vec scree_vec_add(scree_vec a, scree_vec b) {
  return (scree_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline scree_vec scree_vec_scale(double s, scree_vec a) {
  return (scree_vec){s * a.x, s * a.y, s * a.z};
}

static inline double scree_vec_dot(scree_vec a, scree_vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Component along axis 0, 1 or 2.
static inline double scree_vec_along(scree_vec a, int axis) {
  return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/// Unit vector along `a`, which is not 0; scaled first, so that very short and very long ones work.
static inline scree_vec scree_vec_unit(scree_vec a) {
  const double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
  const scree_vec scaled = {a.x / largest, a.y / largest, a.z / largest};
  return scree_vec_scale(1 / sqrt(scree_vec_dot(scaled, scaled)), scaled);
}
