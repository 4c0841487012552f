/// \file
/// Pairs of the grid against all pairs, one by one.
#include "grid.h"
#include "random.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <math.h>
#include <string.h>

static uint64_t draws;

/// Uniform in [low, high).
static double between(double low, double high) {
  uint64_t word[4];
  scree_random(5, SCREE_RANDOM_POSITION, draws++, 0, 0, 0, word);
  return low + (high - low) * scree_random_unit(word[0]);
}

static double component(scree_vec v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// Bodies with radii in `radius`, anywhere in the domain where it is periodic and in [0, size)
/// elsewhere, with ids in no order.
static scree_bodies *cloud(int dimension, scree_local count, const scree_domain *d, double size,
                           const double radius[2]) {
  scree_bodies *b = scree_bodies_create(dimension, count, 0);
  int32_t *order = scree_alloc((size_t)count, sizeof *order);
  scree_random_shuffle(3, SCREE_RANDOM_PACK, draws, 0, 0, order, count);
  for (scree_local i = 0; i < count; i++) {
    b->id[i] = 10 + 3 * (scree_global)order[i];
    b->radius[i] = between(radius[0], radius[1]);
    double x[3];
    for (int axis = 0; axis < 3; axis++) {
      const double low = component(d->low, axis);
      x[axis] = d->periodic[axis] ? between(low, low + component(d->size, axis)) : between(0, size);
    }
    b->position[i] = (scree_vec){x[0], x[1], dimension == 2 ? 0 : x[2]};
  }
  scree_free(order);
  return b;
}

/// Whether any image of j is nearer to i than skin.
static bool near(const scree_bodies *b, const scree_domain *d, double skin, scree_local i,
                 scree_local j) {
  double square = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double apart = component(b->position[j], axis) - component(b->position[i], axis);
    double nearest = fabs(apart);
    if (d->periodic[axis]) {
      nearest = fmin(nearest, fabs(apart - component(d->size, axis)));
      nearest = fmin(nearest, fabs(apart + component(d->size, axis)));
    }
    square += nearest * nearest;
  }
  const double reach = b->radius[i] + b->radius[j] + skin;
  return square < reach * reach;
}

/// Returns the number of pairs.
static int64_t check(const scree_bodies *b, const scree_domain *d, double skin) {
  memcpy(b->listed, b->position, (size_t)b->count * sizeof *b->listed);
  scree_pairs pairs = scree_grid_pairs(b, d, skin);
  assert_int_equal(pairs.start[0], 0);
  for (scree_local i = 0; i < b->count; i++) {
    int64_t k = pairs.start[i];
    for (scree_local j = 0; j < b->count; j++) {
      if (b->id[j] <= b->id[i] || !near(b, d, skin, i, j)) continue;
      if (k == pairs.start[i + 1] || pairs.partner[k] != j)
        fail_msg("the pair %d %d is missing", i, j);
      k++;
    }
    assert_int_equal(k, pairs.start[i + 1]); // none too many
  }
  const int64_t count = pairs.start[b->count];
  scree_pairs_destroy(&pairs);
  return count;
}

static scree_domain box(int periodic, double size) {
  const bool x = periodic & 1, y = periodic & 2, z = periodic & 4;
  return (scree_domain){.periodic = {x, y, z},
                        .low = {x ? -3 : 0, y ? 5 : 0, z ? 0.1 : 0},
                        .size = {x ? size : 0, y ? 1.1 * size : 0, z ? 0.9 * size : 0}};
}

static void clouds_of_equal_spheres(void **state) {
  (void)state;
  for (int periodic = 0; periodic < 8; periodic++) {
    const scree_domain d = box(periodic, 9);
    scree_bodies *b = cloud(3, 700, &d, 9, (const double[]){0.5, 0.5});
    assert_true(check(b, &d, 0.1) > 700);
    assert_true(check(b, &d, 0) > 300);
    scree_bodies_destroy(b);
  }
}

static void clouds_of_discs(void **state) {
  (void)state;
  for (int periodic = 0; periodic < 4; periodic++) {
    const scree_domain d = box(periodic, 20);
    scree_bodies *b = cloud(2, 600, &d, 20, (const double[]){0.3, 0.6});
    assert_true(check(b, &d, 0.1) > 600);
    scree_bodies_destroy(b);
  }
}

static void clouds_of_very_different_spheres(void **state) {
  (void)state;
  for (int periodic = 0; periodic < 8; periodic++) {
    const scree_domain d = box(periodic, 11);
    scree_bodies *b = cloud(3, 500, &d, 11, (const double[]){0.2, 2});
    assert_true(check(b, &d, 0.3) > 2000);
    scree_bodies_destroy(b);
  }
}

static void few_cells_in_a_period(void **state) {
  (void)state;
  // A pair must not be found through two of its images, nor be missed. In binary fractions, so that
  // the period is exactly two reaches.
  const double reach = 2 * 0.5 + 0.25;
  static const double cells[] = {2, 2.5, 2.999, 3, 3.5, 4};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int k = 0; k < 6; k++) {
      const double size = cells[k] * reach;
      const scree_domain d = {.periodic = {true, true, dimension == 3},
                              .low = {-1, 0, 2},
                              .size = {size, size, dimension == 3 ? size : 0}};
      for (int trial = 0; trial < 10; trial++) {
        scree_bodies *b = cloud(dimension, 100, &d, size, (const double[]){0.25, 0.5});
        b->radius[7] = 0.5;
        assert_true(check(b, &d, 0.25) > 60);
        scree_bodies_destroy(b);
      }
    }
}

static void bodies_on_the_borders_of_cells(void **state) {
  (void)state;
  // A cubic lattice of binary fractions: neighbours are just in reach, or exactly out of it.
  for (int periodic = 0; periodic < 8; periodic++) {
    const scree_domain d = {
        .periodic = {periodic & 1, periodic & 2, periodic & 4},
        .low = {0, 0, 0},
        .size = {periodic & 1 ? 6 : 0, periodic & 2 ? 6 : 0, periodic & 4 ? 6 : 0}};
    scree_bodies *b = scree_bodies_create(3, 216, 0);
    for (scree_local i = 0; i < 216; i++) {
      b->id[i] = (scree_global)(i * 5 % 216); // 5 and 216 have no common factor
      b->radius[i] = 0.375;
      b->position[i] = (scree_vec){i % 6, i / 6 % 6, i / 36};
    }
    const int seams = (periodic & 1) + (periodic >> 1 & 1) + (periodic >> 2);
    assert_int_equal(check(b, &d, 0.25), 0); // 1 < 1 is false
    assert_int_equal(check(b, &d, 0.25 + 0x1p-40), 3 * 5 * 36 + seams * 36);
    scree_bodies_destroy(b);
  }
}

static void bodies_just_below_the_upper_end_of_a_period(void **state) {
  (void)state;
  // Rounding may put them into a cell that does not exist.
  for (int trial = 0; trial < 200; trial++) {
    const double low = between(-50, 50), size = between(3, 40);
    const scree_domain d = {
        .periodic = {true, true, true}, .low = {low, low, low}, .size = {size, size, size}};
    scree_bodies *b = cloud(3, 20, &d, size, (const double[]){0.3, 0.5});
    const double end = nextafter(low + size, -HUGE_VAL);
    for (scree_local i = 0; i < 10; i++) b->position[i] = (scree_vec){end, end, end};
    assert_true(check(b, &d, 0.1) >= 45);
    scree_bodies_destroy(b);
  }
}

static void cells_wider_than_the_cloud(void **state) {
  (void)state;
  const scree_domain d = {.periodic = {false}};
  scree_bodies *b = cloud(3, 50, &d, 1, (const double[]){0.4, 0.5});
  assert_true(check(b, &d, 5) == 50 * 49 / 2); // all with all
  scree_bodies_destroy(b);
}

static void a_body_far_away_costs_no_memory(void **state) {
  (void)state;
  // The cells of the bounding box would not fit into any machine.
  for (int trial = 0; trial < 30; trial++) {
    const scree_domain d = box(trial % 7, 10);
    scree_bodies *b = cloud(3, 500, &d, 10, (const double[]){0.3, 0.7});
    if (!d.periodic[2]) b->position[17].z = 1e12;
    if (!d.periodic[1]) b->position[18].y = -3e11;
    if (!d.periodic[0]) b->position[19].x = 5e10;
    const int64_t held = scree_memory_now().bytes;
    assert_true(check(b, &d, 0.1) > 500);
    assert_true(scree_memory_now().peak - held < 10000000);
    scree_bodies_destroy(b);
  }
}

static void a_long_period_costs_no_memory(void **state) {
  (void)state;
  const scree_domain d = {.periodic = {true, true, true}, .size = {1e9, 1e9, 1e9}};
  scree_bodies *b = cloud(3, 400, &d, 1, (const double[]){0.3, 0.7});
  for (scree_local i = 0; i < 400; i++) { // all near one corner of the box
    double x[3];
    for (int axis = 0; axis < 3; axis++) {
      x[axis] = between(-4, 4);
      if (x[axis] < 0) x[axis] += 1e9;
    }
    b->position[i] = (scree_vec){x[0], x[1], x[2]};
  }
  assert_true(check(b, &d, 0.1) > 400);
  scree_bodies_destroy(b);
}

static void none_one_and_two_bodies(void **state) {
  (void)state;
  for (int periodic = 0; periodic < 8; periodic++) {
    const scree_domain d = box(periodic, 9);
    for (scree_local count = 0; count < 2; count++) {
      scree_bodies *b = cloud(3, count, &d, 9, (const double[]){0.5, 0.5});
      assert_int_equal(check(b, &d, 0.1), 0);
      scree_bodies_destroy(b);
    }
    scree_bodies *b = cloud(3, 2, &d, 9, (const double[]){0.5, 0.5});
    b->position[1] = b->position[0];
    assert_int_equal(check(b, &d, 0.1), 1);
    scree_bodies_destroy(b);
  }
}

static void a_pair_across_the_corner(void **state) {
  (void)state;
  const scree_domain d = box(7, 9);
  scree_bodies *b = cloud(3, 2, &d, 9, (const double[]){0.5, 0.5});
  b->position[0] = (scree_vec){-3 + 0.1, 5 + 0.1, 0.1 + 0.1};
  b->position[1] = (scree_vec){-3 + 9 - 0.1, 5 + 1.1 * 9 - 0.1, 0.1 + 0.9 * 9 - 0.1};
  assert_int_equal(check(b, &d, 0), 1);
  scree_bodies_destroy(b);
}

static void gives_all_memory_back(void **state) {
  (void)state;
  assert_int_equal(scree_memory_now().blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(clouds_of_equal_spheres),
    cmocka_unit_test(clouds_of_discs),
    cmocka_unit_test(clouds_of_very_different_spheres),
    cmocka_unit_test(few_cells_in_a_period),
    cmocka_unit_test(bodies_on_the_borders_of_cells),
    cmocka_unit_test(bodies_just_below_the_upper_end_of_a_period),
    cmocka_unit_test(cells_wider_than_the_cloud),
    cmocka_unit_test(a_body_far_away_costs_no_memory),
    cmocka_unit_test(a_long_period_costs_no_memory),
    cmocka_unit_test(none_one_and_two_bodies),
    cmocka_unit_test(a_pair_across_the_corner),
    cmocka_unit_test(gives_all_memory_back),
};
SCREE_TEST_MAIN(tests)
