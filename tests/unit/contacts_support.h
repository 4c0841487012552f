/// \file
/// A dense packing on a floor, with walls and a list of contacts: shared by the tests of contacts and of their schedule.
#pragma once
#include "random.h"
#include "schedule.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <math.h>
#include <string.h>

static uint64_t draws;

/// Uniform in [low, high).
static inline double between(double low, double high) {
  uint64_t word[4];
  scree_random(5, SCREE_RANDOM_POSITION, draws++, 0, 0, 0, word);
  return low + (high - low) * scree_random_unit(word[0]);
}

/// Everything a list of contacts needs. The first wall is the floor z = 0, the second a piston from
/// above, the third a plane x = 0.
typedef struct setting {
  scree_bodies *bodies;
  scree_domain domain;
  scree_wall wall[3];
  scree_walls walls;
  double skin;
  scree_local *moved;
  scree_tiles *tiles;
  scree_contacts *contacts;
  int64_t missed;
} setting;

/// Tiles and contacts anew, with impulses carried over.
static inline void rebuild(setting *s, uint64_t key) {
  scree_bodies *b = s->bodies;
  double largest = 0;
  for (scree_local i = 0; i < b->count; i++) largest = fmax(largest, b->radius[i]);
  scree_kept_list kept = scree_kept_create(s->contacts, NULL, b);
  scree_contacts_destroy(s->contacts);
  scree_tiles_destroy(s->tiles);
  const double edge = scree_tiles_edge(b->dimension, 2 * largest + s->skin, 1);
  const scree_lattice lattice = scree_lattice_make(&s->domain, edge);
  scree_bodies_list(b, &s->domain);
  for (int w = 0; w < s->walls.count; w++) s->walls.wall[w].listed = s->walls.wall[w].position;
  s->tiles = scree_tiles_create(b, &lattice, s->moved);
  s->missed = 0;
  s->contacts = scree_contacts_create(b, &s->domain, &s->walls, s->tiles, s->skin, &kept, s->moved,
                                      77, key, &s->missed);
  scree_kept_destroy(&kept);
}

static inline void set_body(scree_bodies *b, scree_local i, scree_global id, double radius,
                            scree_vec x) {
  b->id[i] = id;
  b->radius[i] = radius;
  b->position[i] = x;
  b->motion[i].inverse_mass = 1 / scree_body_mass(b->dimension, radius, 1);
}

/// `cells`^3 cubes of a face-centred lattice of touching spheres of diameter 1, on the floor, shaken
/// a little, periodic in x and y; ids in no order.
static inline setting *dense_packing(int cells) {
  setting *s = scree_alloc(1, sizeof *s);
  const scree_local count = 4 * cells * cells * cells;
  s->bodies = scree_bodies_create(3, count, 4);
  const double edge = sqrt(2), size = cells * edge;
  s->domain = (scree_domain){.periodic = {true, true, false}, .size = {size, size, 0}};
  s->wall[0] = (scree_wall){.normal = {0, 0, 1}, .position = 0};
  s->wall[1] = (scree_wall){.normal = {0, 0, -1}, .position = -size, .mass = 1};
  s->wall[2] = (scree_wall){.normal = {1, 0, 0}, .position = 0};
  s->walls = (scree_walls){2, s->wall};
  s->skin = 0.1;
  s->moved = scree_alloc((size_t)count, sizeof *s->moved);
  int32_t *order = scree_alloc((size_t)count, sizeof *order);
  scree_random_shuffle(3, SCREE_RANDOM_PACK, 1, 2, 3, order, count);
  static const double site[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  for (scree_local i = 0; i < count; i++) {
    const int cell = i / 4;
    const double *in = site[i % 4];
    const scree_vec x = {edge * (cell % cells + in[0]) + between(-0.03, 0.03),
                         edge * (cell / cells % cells + in[1]) + between(-0.03, 0.03),
                         edge * (cell / cells / cells + in[2]) + 0.5 + between(-0.03, 0.03)};
    set_body(s->bodies, i, 5 + 2 * (scree_global)order[i], 0.5, x);
  }
  scree_free(order);
  rebuild(s, 0);
  return s;
}

static inline void destroy(setting *s) {
  scree_contacts_destroy(s->contacts);
  scree_tiles_destroy(s->tiles);
  scree_bodies_destroy(s->bodies);
  scree_free(s->moved);
  scree_free(s);
}

// ---- what is in the batches -------------------------------------------------

/// Gap of body i with the body or wall in line j, by the definition.
static inline double gap_of(const setting *s, scree_local i, scree_local j) {
  const scree_bodies *b = s->bodies;
  if (j >= b->count) {
    const scree_wall *w = &s->wall[j - b->count];
    return scree_vec_dot(w->normal, b->position[i]) - w->position - b->radius[i];
  }
  double d[3] = {b->position[j].x - b->position[i].x, b->position[j].y - b->position[i].y,
                 b->position[j].z - b->position[i].z};
  if (s->domain.periodic[0]) d[0] = remainder(d[0], s->domain.size.x);
  if (s->domain.periodic[1]) d[1] = remainder(d[1], s->domain.size.y);
  if (s->domain.periodic[2]) d[2] = remainder(d[2], s->domain.size.z);
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - b->radius[i] - b->radius[j];
}

static inline scree_local line_count(const setting *s) {
  return s->bodies->count + s->walls.count;
}

/// How often each (i, j) stands in the batches. Owned by the caller.
static inline unsigned char *count_pairs(const setting *s) {
  const size_t n = (size_t)line_count(s);
  unsigned char *times = scree_alloc(n * n, 1);
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &s->contacts->batch[k];
      if (batch->mass[l] > 0) times[(size_t)batch->i[l] * n + (size_t)batch->j[l]]++;
    }
  return times;
}

static inline void check_every_candidate_is_there_once(const setting *s) {
  const scree_bodies *b = s->bodies;
  unsigned char *times = count_pairs(s);
  int64_t count = 0, overlaps = 0;
  for (scree_local i = 0; i < b->count; i++)
    for (scree_local j = 0; j < line_count(s); j++) {
      const bool hub = j >= b->count && s->wall[j - b->count].mass > 0;
      const bool first = scree_line_id(b, i) < scree_line_id(b, j);
      const double gap = gap_of(s, i, j);
      const bool expected = first && !hub && gap < s->skin;
      assert_int_equal(times[(size_t)i * (size_t)line_count(s) + (size_t)j], expected);
      count += expected;
      overlaps += expected && gap < 0;
    }
  assert_int_equal(s->contacts->count, count);
  assert_in_range(s->missed, 0, overlaps);
  scree_free(times);
}

static inline void check_batches(const setting *s) {
  const scree_bodies *b = s->bodies;
  const scree_contacts *c = s->contacts;
  int32_t *last = scree_alloc((size_t)b->count, sizeof *last), most = 0;
  for (scree_local i = 0; i < b->count; i++) last[i] = -1;
  assert_int_equal(c->tile_batch[0], 0);
  assert_int_equal(c->tile_batch[s->tiles->count], c->batch_count);
  for (int32_t t = 0; t < s->tiles->count; t++) {
    if (c->tile_batch[t + 1] - c->tile_batch[t] > most)
      most = c->tile_batch[t + 1] - c->tile_batch[t];
    for (int32_t k = c->tile_batch[t]; k < c->tile_batch[t + 1]; k++)
      for (int l = 0; l < SCREE_LANES; l++) {
        const scree_batch *batch = &c->batch[k];
        const scree_local i = batch->i[l], j = batch->j[l];
        if (batch->mass[l] == 0) { // nobody
          assert_int_equal(i, line_count(s));
          assert_int_equal(j, line_count(s));
          assert_true(batch->px[l] == 0 && batch->py[l] == 0 && batch->pz[l] == 0);
          assert_true(batch->nx[l] == 0 && batch->ny[l] == 0 && batch->nz[l] == 0);
          continue;
        }
        assert_in_range(i, s->tiles->start[t], s->tiles->start[t + 1] - 1);
        assert_true(last[i] != k);
        last[i] = k;
        if (j < b->count) assert_true(last[j] != k);
        if (j < b->count) last[j] = k;
        const double mass = 1 / (b->motion[i].inverse_mass + b->motion[j].inverse_mass);
        assert_true(batch->mass[l] == mass);
      }
  }
  assert_int_equal(c->most_batches, most);
  scree_free(last);
}

static inline void check(const setting *s) {
  check_every_candidate_is_there_once(s);
  check_batches(s);
}
