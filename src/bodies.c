/// \file
/// Particle state and its motion: see scree/bodies.h.
#include "scree/bodies.h"

#include "scree/check.h"
#include "scree/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

scree_bodies *scree_bodies_create(int dimension, scree_local count, int extra) {
  scree_bodies *b = scree_alloc(1, sizeof *b);
  b->dimension = dimension;
  b->extra = extra;
  b->room = -1;
  scree_bodies_resize(b, count, count);
  return b;
}

/// A larger block of lines with the old content; the rest is zero.
static void *grow(void *old, size_t lines, size_t size, scree_local kept) {
  void *grown = scree_alloc_lines(lines, size);
  if (kept > 0) memcpy(grown, old, (size_t)kept * size);
  scree_free(old);
  return grown;
}

void scree_bodies_resize(scree_bodies *b, scree_local count, scree_local held) {
  const scree_local kept = b->held;
  b->count = count;
  b->held = held;
  if (held <= b->room) return;
  // Ghosts come and go with each list: a little more than asked for, so that this stays rare.
  SCREE_CHECK((int64_t)held + held / 16 < INT32_MAX, "more than 2^31 bodies on one rank");
  b->room = kept > 0 ? held + held / 16 : held;
  const size_t n = (size_t)b->room;
  b->id = grow(b->id, n, sizeof *b->id, kept);
  b->motion = grow(b->motion, n + (size_t)b->extra, sizeof *b->motion, kept);
  b->position = grow(b->position, n, sizeof *b->position, kept);
  b->listed = grow(b->listed, n, sizeof *b->listed, kept);
  b->orientation = grow(b->orientation, n, sizeof *b->orientation, kept);
  b->radius = grow(b->radius, n, sizeof *b->radius, kept);
}

void scree_bodies_destroy(scree_bodies *b) {
  if (!b) return;
  scree_free(b->id);
  scree_free(b->motion);
  scree_free(b->position);
  scree_free(b->listed);
  scree_free(b->orientation);
  scree_free(b->radius);
  scree_free(b);
}

size_t scree_bodies_bytes_each(void) {
  const scree_bodies *b = NULL;
  return sizeof *b->id + sizeof *b->motion + sizeof *b->position + sizeof *b->listed +
         sizeof *b->orientation + sizeof *b->radius;
}

double scree_body_mass(int dimension, double radius, double density) {
  const double area = pi * radius * radius;
  return density * (dimension == 2 ? area : area * radius * (4.0 / 3.0));
}

double scree_body_inertia_factor(int dimension) {
  return dimension == 2 ? 0.5 : 0.4;
}

/// Turn by the rotation vector 2·half. The Cayley form 1 + half, normalised, is a rotation for any
/// step and needs no sine: its bits do not depend on which mathematics library is installed. Its
/// angle is right to third order.
static scree_turn turn(scree_turn q, scree_vec half) {
  const double s =
      1 / sqrt(1 + scree_vec_dot(half, half)); // 0 from 10^154 on; then it stays as it was
  if (s == 0) return q;
  const scree_vec h = scree_vec_scale(s, half);
  const scree_turn t = {
      .w = s * q.w - (h.x * q.x + h.y * q.y + h.z * q.z),
      .x = s * q.x + h.x * q.w + (h.y * q.z - h.z * q.y),
      .y = s * q.y + h.y * q.w + (h.z * q.x - h.x * q.z),
      .z = s * q.z + h.z * q.w + (h.x * q.y - h.y * q.x),
  };
  // Rounding drifts off the unit sphere over many steps.
  const double length = sqrt(t.w * t.w + t.x * t.x + t.y * t.y + t.z * t.z);
  return (scree_turn){t.w / length, t.x / length, t.y / length, t.z / length};
}

void scree_bodies_move(scree_bodies *b, double time_step) {
  for (scree_local i = 0; i < b->held; i++)
    b->position[i] =
        scree_vec_add(b->position[i], scree_vec_scale(time_step, b->motion[i].velocity));
  for (scree_local i = 0; i < b->count; i++) {
    const scree_motion *m = &b->motion[i];
    if (b->dimension == 2)
      b->orientation[i].w += time_step * m->spin.z / b->radius[i];
    else
      b->orientation[i] =
          turn(b->orientation[i], scree_vec_scale(0.5 * time_step / b->radius[i], m->spin));
  }
}

void scree_bodies_list(scree_bodies *b, const scree_domain *domain) {
  for (scree_local i = 0; i < b->count; i++)
    b->listed[i] = b->position[i] = scree_domain_wrap(domain, b->position[i]);
}

static double vec_sum(scree_vec v) {
  return v.x + v.y + v.z;
}

scree_local scree_bodies_not_finite(const scree_bodies *b) {
  for (scree_local i = 0; i < b->count; i++) {
    const scree_motion *m = &b->motion[i];
    const scree_turn *q = &b->orientation[i];
    if (!isfinite(vec_sum(b->position[i]) + vec_sum(m->velocity) + vec_sum(m->spin) + q->w + q->x +
                  q->y + q->z))
      return i;
  }
  return -1;
}

static int by_id(const void *a, const void *b) {
  const scree_global x = *(const scree_global *)a, y = *(const scree_global *)b;
  return (x > y) - (x < y);
}

scree_lookup *scree_lookup_create(const scree_global *id, int count) {
  scree_lookup *l = scree_alloc(1, sizeof *l);
  l->id = scree_alloc((size_t)count, sizeof *l->id);
  l->line = scree_alloc((size_t)count, sizeof *l->line);
  for (int k = 0; k < count; k++) l->id[k] = id[k];
  qsort(l->id, (size_t)count, sizeof *l->id, by_id);
  for (int k = 0; k < count; k++)
    if (k == 0 || l->id[k] != l->id[k - 1]) l->id[l->count++] = l->id[k];
  return l;
}

void scree_lookup_destroy(scree_lookup *l) {
  if (!l) return;
  scree_free(l->id);
  scree_free(l->line);
  scree_free(l);
}

static const scree_global *find_id(const scree_lookup *l, scree_global id) {
  return bsearch(&id, l->id, (size_t)l->count, sizeof id, by_id);
}

void scree_lookup_update(scree_lookup *l, const scree_bodies *b) {
  for (int k = 0; k < l->count; k++) l->line[k] = -1;
  if (l->count == 0) return;
  for (scree_local i = 0; i < b->held; i++) {
    const scree_global *found = find_id(l, b->id[i]);
    if (found) l->line[found - l->id] = i;
  }
}

scree_local scree_lookup_line(const scree_lookup *l, scree_global id) {
  const scree_global *found = find_id(l, id);
  SCREE_ASSERT(found);
  return l->line[found - l->id];
}
