/// \file
/// Contacts: what is kept over a rebuild; normals and gaps.
#include "contacts_support.h"

// ---- what is kept over a rebuild --------------------------------------------

/// An impulse that tells whose it is.
static scree_vec impulse_of(scree_global i, scree_global j) {
  const double a = (double)i, b = (double)(j % 100000); // walls have very large ids
  return (scree_vec){a + 1, b + 0.5, a * 1e5 + b};
}

static void mark_impulses(const setting *s) {
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      scree_batch *batch = &s->contacts->batch[k];
      if (batch->mass[l] == 0) continue;
      const scree_vec p =
          impulse_of(scree_line_id(s->bodies, batch->i[l]), scree_line_id(s->bodies, batch->j[l]));
      batch->px[l] = p.x, batch->py[l] = p.y, batch->pz[l] = p.z;
    }
}

/// Every impulse is that of its ids, or none. Returns how many have one.
static int64_t count_marked(const setting *s) {
  int64_t count = 0;
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &s->contacts->batch[k];
      if (batch->mass[l] == 0) continue;
      const scree_vec p =
          impulse_of(scree_line_id(s->bodies, batch->i[l]), scree_line_id(s->bodies, batch->j[l]));
      const bool marked = batch->px[l] == p.x && batch->py[l] == p.y && batch->pz[l] == p.z;
      assert_true(marked || (batch->px[l] == 0 && batch->py[l] == 0 && batch->pz[l] == 0));
      count += marked;
    }
  return count;
}

static void impulses_survive_a_rebuild(void **state) {
  (void)state;
  setting *s = dense_packing(5);
  assert_int_equal(count_marked(s), 0);
  mark_impulses(s);
  // Far enough that bodies change tiles, all alike, so that no pair is new or lost.
  for (scree_local i = 0; i < s->bodies->count; i++) s->bodies->position[i].z += 2.625;
  s->wall[0].position += 2.625;
  rebuild(s, 1);
  check(s);
  assert_int_equal(count_marked(s), s->contacts->count);
  assert_int_equal(s->missed, 0);
  bool moved = false;
  for (scree_local i = 0; i < s->bodies->count; i++) moved |= s->moved[i] != i;
  assert_true(moved);
  destroy(s);
}

static void new_pairs_start_without_impulse(void **state) {
  (void)state;
  setting *s = dense_packing(5);
  mark_impulses(s);
  const int64_t old = s->contacts->count;
  s->skin = 0.6; // more candidates, none of them touching
  rebuild(s, 1);
  check(s);
  assert_true(s->contacts->count > old);
  assert_int_equal(count_marked(s), old);
  assert_int_equal(s->missed, 0);
  mark_impulses(s);
  s->skin = 0.1; // and back
  rebuild(s, 2);
  assert_int_equal(s->contacts->count, old);
  assert_int_equal(count_marked(s), old);
  destroy(s);
}

static void overlaps_that_were_not_in_the_list_are_counted(void **state) {
  (void)state;
  setting *s = dense_packing(4);
  int64_t overlaps = 0;
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &s->contacts->batch[k];
      if (batch->mass[l] > 0) overlaps += gap_of(s, batch->i[l], batch->j[l]) < 0;
    }
  assert_true(overlaps > 100);
  assert_int_equal(s->missed, overlaps); // nothing was in the list before
  rebuild(s, 1);
  assert_int_equal(s->missed, 0);
  // Someone jumps into a pair of others, and through the floor.
  s->bodies->position[3] = s->bodies->position[99];
  s->bodies->position[50].z = -7;
  int64_t expected = 0;
  const scree_global jumped[] = {s->bodies->id[3], s->bodies->id[50]};
  unsigned char *known = count_pairs(s);
  const size_t n = (size_t)line_count(s);
  for (scree_local i = 0; i < s->bodies->count; i++)
    for (scree_local j = 0; j < line_count(s); j++) {
      const scree_global a = scree_line_id(s->bodies, i), b = scree_line_id(s->bodies, j);
      const bool hub = j >= s->bodies->count && s->wall[j - s->bodies->count].mass > 0;
      const bool touched = a == jumped[0] || b == jumped[0] || a == jumped[1] || b == jumped[1];
      if (a < b && touched && !hub && gap_of(s, i, j) < 0)
        expected += known[(size_t)i * n + (size_t)j] == 0;
    }
  scree_free(known);
  assert_true(expected > 3);
  rebuild(s, 2);
  assert_int_equal(s->missed, expected);
  destroy(s);
}

static void kept_contacts_are_found_by_line_and_partner(void **state) {
  (void)state;
  setting *s = dense_packing(4);
  mark_impulses(s);
  scree_kept_list kept = scree_kept_create(s->contacts, NULL, s->bodies);
  assert_int_equal(kept.start[s->bodies->count], s->contacts->count);
  unsigned char *known = count_pairs(s);
  for (scree_local i = 0; i < s->bodies->count; i++)
    for (scree_local j = 0; j < line_count(s); j++) {
      const scree_global partner = scree_line_id(s->bodies, j);
      const scree_kept *found = scree_kept_find(&kept, i, partner);
      assert_true((found != NULL) == known[(size_t)i * (size_t)line_count(s) + (size_t)j]);
      if (!found) continue;
      const scree_vec p = impulse_of(s->bodies->id[i], partner);
      assert_memory_equal(&found->impulse, &p, sizeof p);
    }
  scree_free(known);
  scree_kept_destroy(&kept);
  destroy(s);
}

// ---- geometry ---------------------------------------------------------------

static void normals_and_gaps(void **state) {
  (void)state;
  setting *s = dense_packing(4);
  const double time_step = 0.25;
  for (int with_overlap = 0; with_overlap < 2; with_overlap++) {
    scree_contacts_prepare(s->contacts, s->bodies, &s->domain, &s->walls, time_step, with_overlap);
    int open = 0, closed = 0, walls = 0;
    for (int32_t k = 0; k < s->contacts->batch_count; k++)
      for (int l = 0; l < SCREE_LANES; l++) {
        const scree_batch *batch = &s->contacts->batch[k];
        if (batch->mass[l] == 0) continue;
        const scree_local i = batch->i[l], j = batch->j[l];
        const double gap = gap_of(s, i, j), bias = with_overlap ? gap : fmax(gap, 0);
        assert_true(fabs(batch->bias[l] * time_step - bias) < 1e-13);
        const scree_vec n = {batch->nx[l], batch->ny[l], batch->nz[l]};
        assert_true(fabs(scree_vec_dot(n, n) - 1) < 1e-14);
        gap > 0 ? open++ : closed++;
        if (j >= s->bodies->count) { // the floor: from the body down
          assert_true(n.x == 0 && n.y == 0 && n.z == -1);
          walls++;
          continue;
        }
        // Going from i along the normal by the distance leads to an image of j.
        const double way = gap + s->bodies->radius[i] + s->bodies->radius[j];
        const scree_vec a = s->bodies->position[i], b = s->bodies->position[j];
        assert_true(fabs(remainder(a.x + way * n.x - b.x, s->domain.size.x)) < 1e-13);
        assert_true(fabs(remainder(a.y + way * n.y - b.y, s->domain.size.y)) < 1e-13);
        assert_true(fabs(a.z + way * n.z - b.z) < 1e-13);
      }
    assert_true(open > 100 && closed > 100 && walls > 10);
  }
  destroy(s);
}

static void centres_in_one_place_have_some_normal(void **state) {
  (void)state;
  setting s = {.bodies = scree_bodies_create(3, 2, 1), .skin = 0.1};
  s.moved = scree_alloc(2, sizeof *s.moved);
  for (scree_local i = 0; i < 2; i++)
    set_body(s.bodies, i, (scree_global)i, 0.5, (scree_vec){1, 2, 3});
  rebuild(&s, 0);
  scree_contacts_prepare(s.contacts, s.bodies, &s.domain, &s.walls, 1, true);
  const scree_batch *batch = &s.contacts->batch[0];
  const scree_vec n = {batch->nx[0], batch->ny[0], batch->nz[0]};
  assert_true(scree_vec_dot(n, n) == 1 && batch->bias[0] == -1);
  scree_contacts_destroy(s.contacts);
  scree_tiles_destroy(s.tiles);
  scree_bodies_destroy(s.bodies);
  scree_free(s.moved);
}

static void gives_all_memory_back(void **state) {
  (void)state;
  assert_int_equal(scree_memory_now().blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(impulses_survive_a_rebuild),
    cmocka_unit_test(new_pairs_start_without_impulse),
    cmocka_unit_test(overlaps_that_were_not_in_the_list_are_counted),
    cmocka_unit_test(kept_contacts_are_found_by_line_and_partner),
    cmocka_unit_test(normals_and_gaps),
    cmocka_unit_test(centres_in_one_place_have_some_normal),
    cmocka_unit_test(gives_all_memory_back),
};
SCREE_TEST_MAIN(tests)
