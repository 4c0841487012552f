/// \file
/// Migration: bodies go and come back with all their state and all contacts that are kept of them. What
/// a body must hold follows from its id, so every rank can tell. And the mail that carries them.
#include "scree/migrate.h"
#include "random.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <string.h>

enum { bodies = 700, most_ranks = 8, most_kept = 5, extra = 2, ghosts = 3 };

static scree_ranks everyone(void) {
  return scree_ranks_of(MPI_COMM_WORLD);
}

// ---- what a body holds ------------------------------------------------------

/// A number for each id and place, all different.
static double number(scree_global id, uint64_t place) {
  uint64_t word[4];
  scree_random(3, SCREE_RANDOM_POSITION, id, place, 0, 0, word);
  return scree_random_unit(word[0]) - 0.5;
}

static scree_vec vector(scree_global id, uint64_t place) {
  return (scree_vec){number(id, place), number(id, place + 1), number(id, place + 2)};
}

static scree_motion motion_of(scree_global id) {
  return (scree_motion){vector(id, 0), number(id, 3), vector(id, 4), number(id, 7)};
}

static scree_turn orientation_of(scree_global id) {
  return (scree_turn){number(id, 10), number(id, 11), number(id, 12), number(id, 13)};
}

/// Some bodies have no contacts.
static int kept_of(scree_global id) {
  return (int)(id * 7 % (most_kept + 1));
}

static scree_kept contact_of(scree_global id, int k) {
  return (scree_kept){id + 1 + (scree_global)k * 3, vector(id, 40 + 3 * (uint64_t)k)};
}

static void fill(scree_bodies *b, scree_local i, scree_global id) {
  b->id[i] = id;
  b->motion[i] = motion_of(id);
  b->position[i] = vector(id, 20);
  b->listed[i] = vector(id, 23);
  b->orientation[i] = orientation_of(id);
  b->radius[i] = number(id, 30);
}

static void assert_filled(const scree_bodies *b, scree_local i) {
  const scree_global id = b->id[i];
  const scree_motion motion = motion_of(id);
  const scree_vec position = vector(id, 20), listed = vector(id, 23);
  const scree_turn orientation = orientation_of(id);
  const double radius = number(id, 30);
  assert_memory_equal(&b->motion[i], &motion, sizeof motion);
  assert_memory_equal(&b->position[i], &position, sizeof position);
  assert_memory_equal(&b->listed[i], &listed, sizeof listed);
  assert_memory_equal(&b->orientation[i], &orientation, sizeof orientation);
  assert_memory_equal(&b->radius[i], &radius, sizeof radius);
}

// ---- who has whom, as every rank knows it -----------------------------------

typedef struct world {
  scree_ranks ranks;
  int count[most_ranks];
  int list[most_ranks][bodies]; ///< ids of each rank, in the order of its lines
  scree_bodies *bodies;         ///< of this rank
  scree_kept_list kept;
} world;

/// Rank `id` goes to on journey `journey`, anyone alike.
static int by_chance(int id, int journey, int size) {
  uint64_t word[4];
  scree_random(5, SCREE_RANDOM_PACK, (uint64_t)id, (uint64_t)journey, 0, 0, word);
  return (int)(word[0] % (uint64_t)size);
}

/// Rank 0 starts with nobody if there are others.
static int home_of(int id, int size) {
  return size == 1 ? 0 : 1 + id * 13 % bodies * (size - 1) / bodies;
}

static world *create_world(void) {
  world *w = scree_alloc(1, sizeof *w);
  w->ranks = everyone();
  assert_true(w->ranks.size <= most_ranks);
  for (int id = 0; id < bodies; id++) {
    const int home = home_of(id, w->ranks.size);
    w->list[home][w->count[home]++] = id;
  }
  const int count = w->count[w->ranks.rank], *list = w->list[w->ranks.rank];
  w->bodies = scree_bodies_create(3, count, extra);
  w->kept = (scree_kept_list){count, scree_alloc((size_t)count + 1, sizeof *w->kept.start),
                              scree_alloc((size_t)count * most_kept, sizeof *w->kept.kept)};
  for (scree_local i = 0; i < count; i++) {
    const scree_global id = (scree_global)list[i];
    fill(w->bodies, i, id);
    w->kept.start[i + 1] = w->kept.start[i] + kept_of(id);
    for (int k = 0; k < kept_of(id); k++) w->kept.kept[w->kept.start[i] + k] = contact_of(id, k);
  }
  return w;
}

static void destroy_world(world *w) {
  scree_bodies_destroy(w->bodies);
  scree_kept_destroy(&w->kept);
  scree_free(w);
}

/// This rank has the bodies it should have in the order they should have, with all that belongs to them.
static void assert_world(const world *w) {
  const int rank = w->ranks.rank;
  assert_int_equal(w->bodies->count, w->count[rank]);
  assert_int_equal(w->bodies->held, w->count[rank]);
  assert_int_equal(w->kept.lines, w->count[rank]);
  assert_int_equal(w->kept.start[0], 0);
  for (scree_local i = 0; i < w->bodies->count; i++) {
    const scree_global id = w->bodies->id[i];
    assert_int_equal(id, w->list[rank][i]);
    assert_filled(w->bodies, i);
    assert_int_equal(w->kept.start[i + 1] - w->kept.start[i], kept_of(id));
    for (int k = 0; k < kept_of(id); k++) {
      const scree_kept expected = contact_of(id, k);
      const scree_kept *found = scree_kept_find(&w->kept, i, expected.partner);
      assert_non_null(found);
      assert_memory_equal(found, &expected, sizeof expected);
    }
  }
}

/// Those who stay keep their order; the others come behind them, by the rank they leave.
static int64_t expect_moves(world *w, const int *to) {
  static int list[most_ranks][bodies];
  int count[most_ranks] = {0};
  int64_t moved = 0;
  for (int stay = 1; stay >= 0; stay--)
    for (int r = 0; r < w->ranks.size; r++)
      for (int k = 0; k < w->count[r]; k++) {
        const int id = w->list[r][k];
        if ((to[id] == r) == stay) list[to[id]][count[to[id]]++] = id;
        moved += to[id] != r && stay == 0;
      }
  memcpy(w->list, list, sizeof list);
  memcpy(w->count, count, sizeof count);
  return moved;
}

/// Ghosts behind the bodies must not be taken along.
static void add_ghosts(world *w) {
  if (w->ranks.size == 1) return;
  scree_bodies *b = w->bodies;
  scree_bodies_resize(b, b->count, b->count + ghosts);
  for (scree_local i = b->count; i < b->held; i++) fill(b, i, bodies + (scree_global)i);
}

/// Body `id` goes to rank to[id].
static void send_off(world *w, const int *to) {
  add_ghosts(w);
  int *owner = scree_alloc((size_t)w->bodies->count, sizeof *owner);
  for (scree_local i = 0; i < w->bodies->count; i++) owner[i] = to[w->bodies->id[i]];
  const int64_t moved = scree_migrate(w->bodies, &w->kept, owner, &w->ranks);
  scree_free(owner);
  assert_int_equal(moved, expect_moves(w, to));
  assert_world(w);
}

static void send_home(world *w) {
  int to[bodies];
  for (int id = 0; id < bodies; id++) to[id] = home_of(id, w->ranks.size);
  send_off(w, to);
}

// ---- tests ------------------------------------------------------------------

static void bodies_come_back_as_they_left(void **state) {
  (void)state;
  world *w = create_world();
  assert_world(w);
  for (int journey = 0; journey < 10; journey++) {
    int to[bodies];
    for (int id = 0; id < bodies; id++) to[id] = by_chance(id, journey, w->ranks.size);
    send_off(w, to);
    if (journey % 3 == 2) send_home(w);
  }
  send_home(w);
  destroy_world(w);
}

static void all_meet_on_one_rank_and_part_again(void **state) {
  (void)state;
  world *w = create_world();
  for (int host = 0; host < w->ranks.size; host++) {
    int to[bodies];
    for (int id = 0; id < bodies; id++) to[id] = host;
    send_off(w, to);
    assert_int_equal(w->bodies->count, w->ranks.rank == host ? bodies : 0);
    if (host % 2 == 0) send_home(w); // else all go on to the next
  }
  destroy_world(w);
}

static void who_stays_does_not_move(void **state) {
  (void)state;
  world *w = create_world();
  int to[bodies];
  for (int id = 0; id < bodies; id++) to[id] = home_of(id, w->ranks.size);
  send_off(w, to);
  assert_true(w->ranks.size == 1 || w->count[0] == 0);
  destroy_world(w);
}

static void one_body_may_travel_alone(void **state) {
  (void)state;
  world *w = create_world();
  int to[bodies];
  for (int id = 0; id < bodies; id++) to[id] = home_of(id, w->ranks.size);
  for (int r = 0; r < w->ranks.size; r++) {
    to[most_kept + 1] = r; // one without contacts
    send_off(w, to);
    to[5] = r;
    send_off(w, to);
  }
  destroy_world(w);
}

// ---- mail -------------------------------------------------------------------

typedef struct letter {
  int from, to, number;
  char text[5];
} letter;

/// How many letters one rank has for another: often none.
static int letters(int from, int to) {
  return (3 * from + 5 * to) % 4;
}

static letter compose(int from, int to, int k) {
  letter l;
  memset(&l, 0, sizeof l);
  l.from = from;
  l.to = to;
  l.number = k;
  for (int c = 0; c < 5; c++) l.text[c] = (char)('a' + (from + 3 * to + 5 * k + c) % 26);
  return l;
}

static void letters_arrive_by_rank_in_order(void **state) {
  (void)state;
  const scree_ranks ranks = everyone();
  letter out[4 * most_ranks];
  int to[4 * most_ranks];
  int64_t count = 0, next = 0;
  for (int k = 0; k < 4; k++)
    for (int r = ranks.size - 1; r >= 0; r--)
      if (k < letters(ranks.rank, r)) {
        to[count] = r;
        out[count++] = compose(ranks.rank, r, k);
      }
  scree_mail mail = scree_ranks_route(&ranks, out, to, count, sizeof *out);
  for (int r = 0; r < ranks.size; r++)
    for (int k = 0; k < letters(r, ranks.rank); k++, next++) {
      assert_true(next < mail.count);
      const letter expected = compose(r, ranks.rank, k);
      assert_memory_equal((letter *)mail.item + next, &expected, sizeof expected);
      assert_int_equal(mail.from[next], r);
    }
  assert_int_equal(mail.count, next);
  scree_mail_free(&mail);
}

static void bytes_to_oneself_and_nothing_at_all(void **state) {
  (void)state;
  const scree_ranks ranks = everyone();
  const char text[] = "to myself";
  const int to[sizeof text] = {ranks.rank, ranks.rank, ranks.rank, ranks.rank, ranks.rank,
                               ranks.rank, ranks.rank, ranks.rank, ranks.rank, ranks.rank};
  scree_mail mail = scree_ranks_route(&ranks, text, to, sizeof text, 1);
  assert_int_equal(mail.count, sizeof text);
  assert_string_equal((char *)mail.item, text);
  scree_mail_free(&mail);
  mail = scree_ranks_route(&ranks, NULL, NULL, 0, sizeof(letter));
  assert_int_equal(mail.count, 0);
  scree_mail_free(&mail);
}

static void items_are_gathered_in_the_order_of_ranks(void **state) {
  (void)state;
  const scree_ranks ranks = everyone();
  letter mine[4];
  const int count = letters(ranks.rank, 0);
  for (int k = 0; k < count; k++) mine[k] = compose(ranks.rank, 0, k);
  scree_mail all = scree_ranks_gather(&ranks, mine, count, sizeof *mine);
  int64_t next = 0;
  for (int r = 0; r < ranks.size; r++)
    for (int k = 0; k < letters(r, 0); k++, next++) {
      const letter expected = compose(r, 0, k);
      assert_true(next < all.count);
      assert_memory_equal((letter *)all.item + next, &expected, sizeof expected);
    }
  assert_int_equal(all.count, next);
  scree_mail_free(&all);
  all = scree_ranks_gather(&ranks, mine, 0, sizeof *mine);
  assert_int_equal(all.count, 0);
  scree_mail_free(&all);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_come_back_as_they_left),
    cmocka_unit_test(all_meet_on_one_rank_and_part_again),
    cmocka_unit_test(who_stays_does_not_move),
    cmocka_unit_test(one_body_may_travel_alone),
    cmocka_unit_test(letters_arrive_by_rank_in_order),
    cmocka_unit_test(bytes_to_oneself_and_nothing_at_all),
    cmocka_unit_test(items_are_gathered_in_the_order_of_ranks),
};
SCREE_TEST_MAIN(tests)
