/// \file
/// Tiles: who is in which, the order of bodies, and that tiles of one class are independent.
#include "scree/tiles.h"
#include "random.h"
#include "scree/contacts.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <float.h>
#include <math.h>

static const double radius = 0.5, skin = 0.125;
static const double edge = 2 * (2 * 0.5 + 0.125); // the least that is allowed

static uint64_t draws;

/// Uniform in [low, high).
static double between(double low, double high) {
  uint64_t word[4];
  scree_random(5, SCREE_RANDOM_POSITION, draws++, 0, 0, 0, word);
  return low + (high - low) * scree_random_unit(word[0]);
}

/// Bodies anywhere in [-size, size)^dimension, so that periodic boxes must wrap them. What else is
/// known of a body tells its id.
static scree_bodies *cloud(int dimension, scree_local count, double size) {
  scree_bodies *b = scree_bodies_create(dimension, count, 1);
  int32_t *order = scree_alloc((size_t)count, sizeof *order);
  scree_random_shuffle(3, SCREE_RANDOM_PACK, draws, 0, 0, order, count);
  for (scree_local i = 0; i < count; i++) {
    const double id = order[i];
    b->id[i] = (scree_global)order[i];
    b->radius[i] = radius - 0.001 * (order[i] % 7);
    b->orientation[i].z = id;
    b->motion[i] = (scree_motion){.inverse_mass = 1, .friction = id};
    b->position[i] = (scree_vec){between(-size, size), between(-size, size),
                                 dimension == 2 ? 0 : between(-size, size)};
  }
  scree_free(order);
  return b;
}

static scree_tiles *make_tiles(scree_bodies *b, const scree_domain *d, scree_local *moved) {
  const scree_lattice lattice = scree_lattice_make(d, edge);
  scree_bodies_list(b, d);
  scree_tiles *t = scree_tiles_create(b, &lattice, moved);
  assert_true(scree_tiles_is_valid(t, b));
  return t;
}

static double component(scree_vec v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// Lattice coordinate of a body, by the definition.
static int64_t lattice(const scree_tiles *t, const scree_domain *d, scree_vec x, int axis) {
  const double at =
      (component(x, axis) - component(d->low, axis)) / component(t->lattice.edge, axis);
  // Rounding may lead beyond the last tile of a period.
  return d->periodic[axis] && at >= (double)t->lattice.along[axis] ? t->lattice.along[axis] - 1
                                                                   : (int64_t)floor(at);
}

static void check_lattice(const scree_tiles *t, const scree_domain *d, double least) {
  for (int axis = 0; axis < 3; axis++) {
    if (!d->periodic[axis]) {
      assert_int_equal(t->lattice.along[axis], 0);
      assert_true(component(t->lattice.edge, axis) == least);
      continue;
    }
    const double size = component(d->size, axis);
    assert_true(t->lattice.along[axis] == 1 || t->lattice.along[axis] % 2 == 0);
    assert_true(fabs((double)t->lattice.along[axis] * component(t->lattice.edge, axis) - size) <
                1e-12 * size);
    // As many as there is room for.
    if (t->lattice.along[axis] > 1) assert_true(component(t->lattice.edge, axis) >= least);
    assert_true(size / (double)(t->lattice.along[axis] == 1 ? 2 : t->lattice.along[axis] + 2) <
                least);
  }
}

/// Two bodies are in one tile exactly if their lattice coordinates agree.
static void check_membership(const scree_tiles *t, const scree_domain *d, const scree_bodies *b) {
  assert_int_equal(t->start[0], 0);
  assert_int_equal(t->start[t->count], b->count);
  for (int32_t tile = 0; tile < t->count; tile++) {
    const scree_local first = t->start[tile], end = t->start[tile + 1];
    assert_true(end > first);
    if (tile > 0) assert_true(t->key[tile] > t->key[tile - 1]);
    for (scree_local k = first; k < end; k++) {
      if (k > first) assert_true(b->id[k] > b->id[k - 1]);
      uint64_t parity = 0;
      for (int axis = 0; axis < 3; axis++) {
        const int64_t here = lattice(t, d, b->position[k], axis);
        assert_true(here == lattice(t, d, b->position[first], axis));
        parity |= (uint64_t)(here & 1) << axis;
      }
      assert_int_equal(t->key[tile] % SCREE_CLASSES, parity);
    }
  }
  for (int32_t tile = 0; tile < t->count; tile++)
    for (int32_t other = 0; other < tile; other++) {
      bool same = true;
      for (int axis = 0; axis < 3; axis++)
        same &= lattice(t, d, b->position[t->start[tile]], axis) ==
                lattice(t, d, b->position[t->start[other]], axis);
      assert_false(same);
    }
}

static void check_classes(const scree_tiles *t) {
  assert_int_equal(t->class_start[0], 0);
  assert_int_equal(t->class_start[SCREE_CLASSES], t->count);
  for (int c = 0; c < SCREE_CLASSES; c++)
    for (int32_t k = t->class_start[c]; k < t->class_start[c + 1]; k++) {
      assert_int_equal(t->key[t->in_class[k]] % SCREE_CLASSES, c);
      if (k > t->class_start[c]) assert_true(t->in_class[k] > t->in_class[k - 1]);
    }
}

/// All arrays went along, positions only by whole periods, and `moved` says where from.
static void check_moved(const scree_bodies *b, const scree_bodies *before, const scree_domain *d,
                        const scree_local *moved) {
  scree_local *seen = scree_alloc((size_t)b->count, sizeof *seen);
  for (scree_local k = 0; k < b->count; k++) {
    const scree_local was = moved[k];
    assert_in_range(was, 0, b->count - 1);
    assert_int_equal(seen[was]++, 0);
    assert_int_equal(b->id[k], before->id[was]);
    assert_true(b->radius[k] == before->radius[was]);
    assert_memory_equal(&b->motion[k], &before->motion[was], sizeof *b->motion);
    assert_memory_equal(&b->orientation[k], &before->orientation[was], sizeof *b->orientation);
    for (int axis = 0; axis < 3; axis++) {
      const double x = component(b->position[k], axis), y = component(before->position[was], axis);
      const double low = component(d->low, axis), size = component(d->size, axis);
      if (!d->periodic[axis]) {
        assert_true(x == y);
      } else {
        assert_true(x >= low && x < low + size);
        assert_true(fabs(remainder(x - y, size)) < 1e-12 * (fabs(y) + size));
      }
    }
  }
  scree_free(seen);
}

/// Contacts of different tiles of one class share no body. Returns the number of contacts.
static int64_t check_independence(const scree_tiles *t, const scree_domain *d,
                                  const scree_bodies *b, const scree_local *moved) {
  const scree_walls no_walls = {0};
  scree_kept_list nothing = scree_kept_create(NULL, NULL, b);
  int64_t missed = 0;
  scree_contacts *c =
      scree_contacts_create(b, d, &no_walls, t, skin, &nothing, moved, 1, 0, &missed);
  int32_t *used_by = scree_alloc((size_t)b->count, sizeof *used_by);
  for (int class = 0; class < SCREE_CLASSES; class ++) {
    for (scree_local k = 0; k < b->count; k++) used_by[k] = -1;
    for (int32_t k = t->class_start[class]; k < t->class_start[class + 1]; k++) {
      const int32_t tile = t->in_class[k];
      for (int32_t m = c->tile_batch[tile]; m < c->tile_batch[tile + 1]; m++)
        for (int l = 0; l < SCREE_LANES; l++) {
          const scree_batch *batch = &c->batch[m];
          if (batch->mass[l] == 0) continue;
          assert_in_range(batch->i[l], t->start[tile], t->start[tile + 1] - 1); // its lower id
          const scree_local pair[] = {batch->i[l], batch->j[l]};
          for (int p = 0; p < 2; p++) {
            if (used_by[pair[p]] != -1) assert_int_equal(used_by[pair[p]], tile);
            used_by[pair[p]] = tile;
          }
        }
    }
  }
  const int64_t count = c->count;
  scree_free(used_by);
  scree_contacts_destroy(c);
  scree_kept_destroy(&nothing);
  return count;
}

/// Returns the number of contacts.
static int64_t check(int dimension, scree_local count, const scree_domain *d, double size) {
  const uint64_t from = draws;
  scree_bodies *b = cloud(dimension, count, size);
  draws = from;
  scree_bodies *before = cloud(dimension, count, size);
  scree_local *moved = scree_alloc((size_t)count, sizeof *moved);
  scree_tiles *t = make_tiles(b, d, moved);
  check_lattice(t, d, edge);
  check_membership(t, d, b);
  check_classes(t);
  check_moved(b, before, d, moved);
  const int64_t contacts = check_independence(t, d, b, moved);
  scree_tiles_destroy(t);
  scree_free(moved);
  scree_bodies_destroy(b);
  scree_bodies_destroy(before);
  return contacts;
}

static void open_space(void **state) {
  (void)state;
  const scree_domain d = {.periodic = {false}};
  assert_true(check(3, 2000, &d, 6) > 5000);
  assert_true(check(2, 1000, &d, 15) > 1000);
}

/// Periods of one tile (a period is at least two reaches, one tile), two, an odd number, and
/// between.
static const double periods[] = {1, 1.5, 1.999, 2, 2.7, 3, 3.999, 4, 5, 6.5, 7};

static void periodic_boxes_of_any_number_of_tiles(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof periods / sizeof periods[0]; k++) {
    const double size = periods[k] * edge;
    const scree_domain cube = {
        .periodic = {true, true, true}, .low = {-1, 0, 3}, .size = {size, size, size}};
    assert_true(check(3, (scree_local)(size * size * size) + 10, &cube, 2 * size) > 10);
    const scree_domain square = {
        .periodic = {true, true, false}, .low = {0, -7, 0}, .size = {size, size, 0}};
    assert_true(check(2, (scree_local)(size * size) + 10, &square, 2 * size) > 5);
  }
}

static void directions_differ(void **state) {
  (void)state;
  for (int periodic = 1; periodic < 8; periodic++)
    for (int k = 0; k < 4; k++) {
      const bool x = periodic & 1, y = periodic & 2, z = periodic & 4;
      const scree_domain d = {
          .periodic = {x, y, z},
          .low = {x ? 1 : 0, y ? -2 : 0, z ? 5 : 0},
          .size = {x ? (1 + k) * edge : 0, y ? (4 - k) * edge : 0, z ? (3.5 + k) * edge : 0}};
      assert_true(check(3, 700, &d, 6) > 300);
    }
}

static void none_and_one_body(void **state) {
  (void)state;
  const scree_domain open = {.periodic = {false}},
                     cube = {.periodic = {true, true, true}, .size = {9, 9, 9}};
  for (scree_local count = 0; count < 2; count++) {
    assert_int_equal(check(3, count, &open, 6), 0);
    assert_int_equal(check(3, count, &cube, 30), 0);
  }
}

static void bodies_just_below_the_upper_end_of_a_period(void **state) {
  (void)state;
  for (int trial = 0; trial < 300; trial++) {
    const double low = between(-50, 50), size = between(3, 40);
    const scree_domain d = {
        .periodic = {true, true, true}, .low = {low, low, low}, .size = {size, size, size}};
    scree_local moved[8];
    scree_bodies *b = scree_bodies_create(3, 8, 0);
    const double end = nextafter(low + size, -HUGE_VAL);
    for (scree_local k = 0; k < 8; k++) {
      b->id[k] = (scree_global)k;
      b->position[k] = (scree_vec){k & 1 ? end : low, k & 2 ? end : low, k & 4 ? end : low};
    }
    scree_tiles *t = make_tiles(b, &d, moved);
    check_membership(t, &d, b);
    assert_true(t->count == 1 || t->count == 8);
    scree_tiles_destroy(t);
    scree_bodies_destroy(b);
  }
}

static void the_order_given_does_not_matter(void **state) {
  (void)state;
  const scree_domain d = {.periodic = {true, false, false}, .low = {-2, 0, 0}, .size = {9, 0, 0}};
  enum { count = 500 };
  scree_local moved[count];
  scree_bodies *a = cloud(3, count, 6), *b = scree_bodies_create(3, count, 1);
  for (scree_local k = 0; k < count; k++) {
    const scree_local from = (k * 7 + 3) % count;
    b->id[k] = a->id[from];
    b->position[k] = a->position[from];
  }
  scree_tiles *ta = make_tiles(a, &d, moved);
  scree_tiles *tb = make_tiles(b, &d, moved);
  assert_memory_equal(a->id, b->id, count * sizeof *a->id);
  assert_memory_equal(a->position, b->position, count * sizeof *a->position);
  assert_int_equal(ta->count, tb->count);
  assert_memory_equal(ta->key, tb->key, (size_t)ta->count * sizeof *ta->key);
  assert_memory_equal(ta->start, tb->start, (size_t)(ta->count + 1) * sizeof *ta->start);
  scree_tiles_destroy(ta);
  scree_tiles_destroy(tb);
  scree_bodies_destroy(a);
  scree_bodies_destroy(b);
}

static void a_tile_keeps_its_name(void **state) {
  (void)state;
  // The key depends on the place alone, not on who else is there.
  const scree_domain d = {.periodic = {false}};
  scree_local moved[1000];
  scree_bodies *many = cloud(3, 1000, 6), *one = scree_bodies_create(3, 1, 0);
  scree_tiles *t = make_tiles(many, &d, moved);
  for (int32_t tile = 0; tile < t->count; tile++) {
    one->position[0] = many->position[t->start[tile]];
    scree_tiles *alone = make_tiles(one, &d, moved);
    assert_int_equal(alone->count, 1);
    assert_true(alone->key[0] == t->key[tile]);
    scree_tiles_destroy(alone);
  }
  scree_tiles_destroy(t);
  scree_bodies_destroy(many);
  scree_bodies_destroy(one);
}

static void far_tiles_have_keys_of_their_own(void **state) {
  (void)state;
  const scree_domain d = {.periodic = {false}};
  scree_local moved[64];
  scree_bodies *b = scree_bodies_create(3, 64, 0);
  const double far[4] = {-1048575, -1, 0, 1048575}; // in tiles; 2^20 is the limit
  for (scree_local k = 0; k < 64; k++) {
    b->id[k] = (scree_global)k;
    b->position[k] = (scree_vec){(far[k % 4] + 0.5) * edge, (far[k / 4 % 4] + 0.5) * edge,
                                 (far[k / 16] + 0.5) * edge};
  }
  scree_tiles *t = make_tiles(b, &d, moved);
  assert_int_equal(t->count, 64);
  check_membership(t, &d, b);
  scree_tiles_destroy(t);
  scree_bodies_destroy(b);
}

static void the_edge_is_wide_enough(void **state) {
  (void)state;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (double reach = 0.5; reach < 100; reach *= 1.3)
      assert_true(scree_tiles_edge(dimension, reach, 1) >= 2 * reach);
}

static void wrapping_ends_inside(void **state) {
  (void)state;
  static const double low[] = {0, -3, 0.1, 1e6, -1e-9}, size[] = {1, 0.3, 9, 7, 1e3};
  for (int k = 0; k < 5; k++)
    for (int m = 0; m < 5; m++) {
      const double l = low[k], s = size[m];
      const scree_domain d = {.periodic = {true, false, true}, .low = {l, 0, l}, .size = {s, 0, s}};
      double at[220] = {l,
                        l + s,
                        nextafter(l, -HUGE_VAL),
                        nextafter(l + s, 0),
                        l - s,
                        l - 3 * s,
                        l + 17 * s,
                        nextafter(l - s, l),
                        -DBL_MIN,
                        l - 1e-17 * s,
                        l + 0.5 * s};
      for (int n = 11; n < 220; n++) at[n] = between(l - 50 * s, l + 50 * s);
      for (int n = 0; n < 220; n++) {
        const scree_vec x = scree_domain_wrap(&d, (scree_vec){at[n], at[n], at[n]});
        assert_true(x.x >= l && x.x < l + s && x.z == x.x);
        assert_true(x.y == at[n]);
        assert_true(fabs(remainder(x.x - at[n], s)) < 1e-15 * (fabs(at[n]) + fabs(l) + 50 * s));
        // Inside it is left alone, up to a rounding at the upper end.
        if (at[n] >= l && at[n] < l + s - 1e-15 * (fabs(l) + s)) assert_true(x.x == at[n]);
      }
    }
}

static void between_takes_the_nearest_image(void **state) {
  (void)state;
  const scree_domain d = {.periodic = {true, false, true}, .low = {-4, 0, 0}, .size = {10, 0, 6}};
  for (int k = 0; k < 10000; k++) {
    const scree_vec a = {between(-4, 6), between(-40, 40), between(0, 6)},
                    b = {between(-4, 6), between(-40, 40), between(0, 6)};
    const scree_vec v = scree_domain_between(&d, a, b);
    assert_true(fabs(v.x) <= 5 && fabs(v.z) <= 3);
    assert_true(fabs(remainder(v.x - (b.x - a.x), 10)) < 1e-14);
    assert_true(fabs(remainder(v.z - (b.z - a.z), 6)) < 1e-14);
    assert_true(v.y == b.y - a.y);
  }
}

static void gives_all_memory_back(void **state) {
  (void)state;
  assert_int_equal(scree_memory_now().blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(open_space),
    cmocka_unit_test(periodic_boxes_of_any_number_of_tiles),
    cmocka_unit_test(directions_differ),
    cmocka_unit_test(none_and_one_body),
    cmocka_unit_test(bodies_just_below_the_upper_end_of_a_period),
    cmocka_unit_test(the_order_given_does_not_matter),
    cmocka_unit_test(a_tile_keeps_its_name),
    cmocka_unit_test(far_tiles_have_keys_of_their_own),
    cmocka_unit_test(the_edge_is_wide_enough),
    cmocka_unit_test(wrapping_ends_inside),
    cmocka_unit_test(between_takes_the_nearest_image),
    cmocka_unit_test(gives_all_memory_back),
};
SCREE_TEST_MAIN(tests)
