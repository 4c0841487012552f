/// \file
/// Candidates and their batches: all there, once, without a body twice in a batch; the order is a function of ids and places.
#include "contacts_support.h"

static void dense_packings_fill_their_batches(void **state) {
  (void)state;
  setting *s = dense_packing(8);
  check(s);
  const double fill = (double)s->contacts->count / (SCREE_LANES * s->contacts->batch_count);
  if (fill < 0.9) fail_msg("only %.1f %% of the lanes are filled", 100 * fill);
  assert_true(s->contacts->count > 5 * s->bodies->count);
  destroy(s);
}

static void walls_may_repeat_in_a_batch(void **state) {
  (void)state;
  // One layer on the floor that touches nothing else.
  setting *s = dense_packing(4);
  for (scree_local i = 0; i < 256; i++)
    set_body(s->bodies, i, (scree_global)i, 0.1,
             (scree_vec){0.35 * (i % 16), 0.35 * (i / 16), 0.1});
  s->domain = (scree_domain){.periodic = {false}};
  rebuild(s, 0);
  check(s);
  assert_int_equal(s->contacts->count, 256);
  bool all_eight = false;
  for (int32_t k = 0; k < s->contacts->batch_count; k++) {
    int on_floor = 0;
    for (int l = 0; l < SCREE_LANES; l++) on_floor += s->contacts->batch[k].j[l] == 256;
    all_eight |= on_floor == SCREE_LANES;
  }
  assert_true(all_eight);
  destroy(s);
}

static void a_body_near_two_walls_meets_both(void **state) {
  (void)state;
  setting *s = dense_packing(4);
  s->walls.count = 3;
  s->domain.periodic[0] = false;
  for (int w = 0; w < 4; w++) s->bodies->motion[s->bodies->count + w] = (scree_motion){0};
  rebuild(s, 0);
  check(s);
  destroy(s);
}

/// A ball of radius 12 with about 2400 small ones around it.
static setting *big_body(void) {
  setting *s = scree_alloc(1, sizeof *s);
  const scree_local count = 2401;
  s->bodies = scree_bodies_create(3, count, 1);
  s->walls = (scree_walls){0, s->wall};
  s->skin = 0.05;
  s->moved = scree_alloc((size_t)count, sizeof *s->moved);
  set_body(s->bodies, 0, 1000, 12, (scree_vec){0, 0, 0});
  for (scree_local i = 1; i < count; i++) { // a spiral from pole to pole
    const double z = 1 - 2 * (i - 0.5) / (count - 1), turn = 2.399963 * i, r = sqrt(1 - z * z);
    set_body(s->bodies, i, (scree_global)(i - (i <= 1000)), 0.45,
             (scree_vec){12.45 * r * cos(turn), 12.45 * r * sin(turn), 12.45 * z});
  }
  rebuild(s, 0);
  return s;
}

static void a_body_may_have_thousands_of_neighbours(void **state) {
  (void)state;
  setting *s = big_body();
  check(s);
  int64_t of_big = 0;
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++)
      if (s->contacts->batch[k].mass[l] > 0)
        of_big += s->bodies->id[s->contacts->batch[k].i[l]] == 1000 ||
                  s->bodies->id[s->contacts->batch[k].j[l]] == 1000;
  assert_int_equal(of_big, 2400);
  assert_true(s->contacts->batch_count >= 2400);
  destroy(s);
}

static void no_bodies_and_no_contacts(void **state) {
  (void)state;
  for (scree_local count = 0; count < 3; count++) {
    setting s = {.bodies = scree_bodies_create(2, count, 1), .skin = 0.1};
    s.moved = scree_alloc((size_t)count, sizeof *s.moved);
    for (scree_local i = 0; i < count; i++)
      set_body(s.bodies, i, (scree_global)i, 0.5, (scree_vec){3 * i, 0, 0});
    rebuild(&s, 0);
    assert_int_equal(s.contacts->count, 0);
    assert_int_equal(s.contacts->batch_count, 0);
    assert_int_equal(s.contacts->most_batches, 0);
    scree_contacts_destroy(s.contacts);
    scree_tiles_destroy(s.tiles);
    scree_bodies_destroy(s.bodies);
    scree_free(s.moved);
  }
}

// ---- the order is a function of ids, places, seed and key -------------------

/// The same lanes of the same batches, by ids.
static bool same_batches(const setting *s, const setting *t) {
  if (s->contacts->batch_count != t->contacts->batch_count) return false;
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *a = &s->contacts->batch[k], *b = &t->contacts->batch[k];
      if (a->mass[l] != b->mass[l]) return false;
      if (scree_line_id(s->bodies, a->i[l]) != scree_line_id(t->bodies, b->i[l])) return false;
      if (scree_line_id(s->bodies, a->j[l]) != scree_line_id(t->bodies, b->j[l])) return false;
    }
  return true;
}

static void exchange(scree_bodies *b, scree_local i, scree_local k) {
  const scree_global id = b->id[i];
  const double radius = b->radius[i];
  const scree_vec x = b->position[i];
  set_body(b, i, b->id[k], b->radius[k], b->position[k]);
  set_body(b, k, id, radius, x);
}

static void the_order_given_does_not_matter(void **state) {
  (void)state;
  draws = 0;
  setting *s = dense_packing(5);
  draws = 0;
  setting *t = dense_packing(5);
  scree_contacts_destroy(t->contacts);
  t->contacts = NULL;
  for (scree_local i = 0; i < t->bodies->count; i++)
    exchange(t->bodies, i, (i * 37 + 11) % t->bodies->count);
  assert_memory_not_equal(s->bodies->id, t->bodies->id,
                          (size_t)s->bodies->count * sizeof *s->bodies->id);
  rebuild(t, 0);
  assert_true(same_batches(s, t));
  destroy(s);
  destroy(t);
}

static void the_key_changes_the_order(void **state) {
  (void)state;
  draws = 0;
  setting *s = dense_packing(4);
  draws = 0;
  setting *t = dense_packing(4);
  rebuild(t, 1);
  check(t);
  assert_false(same_batches(s, t));
  rebuild(t, 0);
  assert_true(same_batches(s, t));
  destroy(s);
  destroy(t);
}

static void other_tiles_do_not_matter(void **state) {
  (void)state;
  // A rank packs what it has, in the order it has it: the batches of a tile may only depend on what
  // is in it. One more body, far below, is on the first line and in the first tile.
  draws = 0;
  setting *s = dense_packing(5);
  draws = 0;
  setting *t = dense_packing(5);
  const scree_local count = s->bodies->count;
  scree_bodies *more = scree_bodies_create(3, count + 1, 4);
  for (scree_local i = 0; i < count; i++)
    set_body(more, i, t->bodies->id[i], 0.5, t->bodies->position[i]);
  set_body(more, count, 0, 0.5, (scree_vec){1, 1, -500});
  scree_bodies_destroy(t->bodies);
  t->bodies = more;
  scree_free(t->moved);
  t->moved = scree_alloc((size_t)count + 1, sizeof *t->moved);
  s->walls.count = t->walls.count = 0; // it would be behind the floor
  for (int k = 0; k < 2; k++) {
    setting *here = k ? t : s;
    scree_contacts_destroy(here->contacts);
    here->contacts = NULL;
    rebuild(here, 0);
  }
  assert_int_equal(t->bodies->id[0], 0);
  assert_int_equal(t->tiles->count, s->tiles->count + 1);
  assert_true(same_batches(s, t));
  destroy(s);
  destroy(t);
}

/// Rounds of eight pairs that share no body, pair after pair.
static void pack_rounds(scree_scheduler *scheduler, int rounds, scree_contacts *c) {
  scree_candidate *list = scree_alloc((size_t)rounds * 8, sizeof *list);
  for (int k = 0; k < 8 * rounds; k++)
    list[k] = (scree_candidate){.i = k % 8, .j = k % 8 + 8, .order = (uint64_t)k};
  scree_scheduler_pack(scheduler, list, 8 * rounds, c);
  scree_free(list);
}

static void full_batches_are_forgotten(void **state) {
  (void)state;
  // Each round fills one batch, however many there were before.
  const int rounds = 300;
  scree_bodies *b = scree_bodies_create(3, 16, 1);
  for (scree_local i = 0; i < 16; i++) set_body(b, i, (scree_global)i, 1, (scree_vec){0});
  scree_scheduler *scheduler = scree_scheduler_create(b, 0, 8 * rounds);
  scree_contacts c = {0};
  pack_rounds(scheduler, rounds, &c);
  assert_int_equal(c.batch_count, rounds);
  scree_scheduler_destroy(scheduler);
  scree_bodies_destroy(b);
  scree_free(c.batch);
}

/// Contacts that leave batches open at the end, and bodies that sit in all open batches.
static void pack_star(scree_scheduler *scheduler, int count, scree_contacts *c) {
  scree_candidate *list = scree_alloc((size_t)count, sizeof *list);
  for (int k = 0; k < count; k++) {
    uint64_t word[4];
    scree_random(1, SCREE_RANDOM_PACK, (uint64_t)k, 0, 0, 0, word);
    const scree_local hub = k % 2 ? 0 : (scree_local)(word[1] % 5);
    list[k] = (scree_candidate){hub, 5 + (scree_local)(word[2] % 95), word[0], {k, 0, 0}};
  }
  scree_scheduler_pack(scheduler, list, count, c);
  scree_free(list);
}

static void a_tile_leaves_nothing_behind(void **state) {
  (void)state;
  // What a scheduler packed before does not change what it packs next.
  enum { count = 1000 };
  scree_bodies *b = scree_bodies_create(3, 100, 1);
  for (scree_local i = 0; i < 100; i++) set_body(b, i, (scree_global)i, 1, (scree_vec){0});
  scree_scheduler *scheduler = scree_scheduler_create(b, 0, count);
  scree_contacts c = {0};
  for (int tile = 0; tile < 3; tile++) pack_star(scheduler, count, &c);
  const int32_t each = c.batch_count / 3;
  assert_int_equal(c.batch_count, 3 * each);
  assert_memory_equal(c.batch, c.batch + each, (size_t)each * sizeof *c.batch);
  assert_memory_equal(c.batch, c.batch + 2 * each, (size_t)each * sizeof *c.batch);
  scree_scheduler_destroy(scheduler);
  scree_bodies_destroy(b);
  scree_free(c.batch);
}

static void a_body_in_all_open_batches_does_not_spoil_the_others(void **state) {
  (void)state;
  // First a star of one body with 200 others, which leaves the most batches open; then rounds of
  // pairs that have nothing to do with it fill them and batches of their own.
  scree_bodies *b = scree_bodies_create(3, 300, 1);
  for (scree_local i = 0; i < 300; i++) set_body(b, i, (scree_global)i, 1, (scree_vec){0});
  const int star = 200, rounds = 300;
  scree_candidate *list = scree_alloc((size_t)(star + 8 * rounds), sizeof *list);
  for (int k = 0; k < star; k++)
    list[k] = (scree_candidate){.i = 16, .j = 17 + k, .order = (uint64_t)k};
  for (int k = 0; k < 8 * rounds; k++)
    list[star + k] = (scree_candidate){.i = k % 8, .j = k % 8 + 8, .order = (uint64_t)(star + k)};
  scree_scheduler *scheduler = scree_scheduler_create(b, 0, star + 8 * rounds);
  scree_contacts c = {0};
  scree_scheduler_pack(scheduler, list, star + 8 * rounds, &c);
  // At best the open ones take the rounds along; each of the star has its own.
  assert_in_range(c.batch_count, star, star + rounds);
  scree_scheduler_destroy(scheduler);
  scree_bodies_destroy(b);
  scree_free(list);
  scree_free(c.batch);
}

static void gives_all_memory_back(void **state) {
  (void)state;
  assert_int_equal(scree_memory_now().blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(dense_packings_fill_their_batches),
    cmocka_unit_test(walls_may_repeat_in_a_batch),
    cmocka_unit_test(a_body_near_two_walls_meets_both),
    cmocka_unit_test(a_body_may_have_thousands_of_neighbours),
    cmocka_unit_test(no_bodies_and_no_contacts),
    cmocka_unit_test(the_order_given_does_not_matter),
    cmocka_unit_test(the_key_changes_the_order),
    cmocka_unit_test(other_tiles_do_not_matter),
    cmocka_unit_test(full_batches_are_forgotten),
    cmocka_unit_test(a_tile_leaves_nothing_behind),
    cmocka_unit_test(a_body_in_all_open_batches_does_not_spoil_the_others),
    cmocka_unit_test(gives_all_memory_back),
};
SCREE_TEST_MAIN(tests)
