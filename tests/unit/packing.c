/// \file
/// Packings against brute force: distances and numbers of neighbours are those of the lattice, and
/// a part of a packing is the same as that part of the whole.
#include "scree/packing.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <math.h>
#include <string.h>

static double distance(const scree_bodies *b, scree_local i, scree_local j) {
  const scree_vec d = scree_vec_add(b->position[i], scree_vec_scale(-1, b->position[j]));
  return sqrt(scree_vec_dot(d, d));
}

/// Smallest distance of any pair, and the largest number of bodies at that distance from one body.
static void neighbours(const scree_bodies *b, double *nearest, int *most) {
  *nearest = INFINITY;
  for (scree_local i = 0; i < b->count; i++)
    for (scree_local j = 0; j < i; j++) *nearest = fmin(*nearest, distance(b, i, j));
  *most = 0;
  for (scree_local i = 0; i < b->count; i++) {
    int count = 0;
    for (scree_local j = 0; j < b->count; j++)
      count += i != j && distance(b, i, j) < *nearest * (1 + 1e-9);
    if (count > *most) *most = count;
  }
}

static void lattices_have_their_neighbours(void **state) {
  (void)state;
  static const struct {
    scree_lattice_kind kind;
    int dimension, bodies, neighbours;
  } expected[] = {{SCREE_LATTICE_SQUARE, 2, 25, 4},
                  {SCREE_LATTICE_HEXAGONAL, 2, 25, 6},
                  {SCREE_LATTICE_CUBIC, 3, 125, 6},
                  {SCREE_LATTICE_FCC, 3, 500, 12}};
  for (size_t k = 0; k < 4; k++) {
    scree_deck_lattice lattice = {.kind = expected[k].kind,
                                  .cells = {5, 5, expected[k].dimension == 2 ? 1 : 5},
                                  .radius = 0.5,
                                  .gap = 0.25,
                                  .origin = {1, 2, 0}};
    const scree_deck deck = {.packing = {.dimension = expected[k].dimension, .lattice = &lattice},
                             .material = {.density = 1}};
    assert_int_equal(scree_deck_body_count(&deck), expected[k].bodies);
    scree_bodies *b = scree_packing_create(&deck, 0, expected[k].bodies);
    double nearest;
    int most;
    neighbours(b, &nearest, &most);
    assert_true(fabs(nearest - 1.25) < 1e-12);
    assert_int_equal(most, expected[k].neighbours);
    assert_true(b->position[0].x == 1 && b->position[0].y == 2);
    scree_bodies_destroy(b);
  }
}

static void chain_is_straight_and_even(void **state) {
  (void)state;
  scree_deck_chain chain = {.count = 20, .radius = 0.5, .gap = 0.5, .direction = {0, 3, 4}};
  const scree_deck deck = {.packing = {.dimension = 3, .chain = &chain},
                           .material = {.density = 1}};
  scree_bodies *b = scree_packing_create(&deck, 0, 20);
  for (scree_local i = 0; i < 20; i++) {
    assert_true(fabs(b->position[i].y - 0.6 * 1.5 * i) < 1e-12);
    assert_true(fabs(b->position[i].z - 0.8 * 1.5 * i) < 1e-12);
  }
  scree_bodies_destroy(b);
}

static void a_part_equals_that_part_of_the_whole(void **state) {
  (void)state;
  scree_deck_lattice lattice = {
      .kind = SCREE_LATTICE_FCC, .cells = {3, 4, 5}, .radius = 0.7, .gap = 0.1};
  const scree_deck deck = {
      .packing = {.dimension = 3, .lattice = &lattice, .angular_velocity = {1, 2, 3}},
      .material = {.density = 2}};
  scree_bodies *whole = scree_packing_create(&deck, 0, 240),
               *part = scree_packing_create(&deck, 101, 57);
  assert_memory_equal(part->id, whole->id + 101, 57 * sizeof *part->id);
  assert_memory_equal(part->position, whole->position + 101, 57 * sizeof *part->position);
  assert_memory_equal(part->motion, whole->motion + 101, 57 * sizeof *part->motion);
  scree_bodies_destroy(whole);
  scree_bodies_destroy(part);
}

static void masses_follow_the_radius(void **state) {
  (void)state;
  assert_true(fabs(scree_body_mass(3, 0.5, 2) - 2 * 3.14159265358979 / 6) < 1e-12);
  assert_true(fabs(scree_body_mass(2, 0.5, 2) - 2 * 3.14159265358979 / 4) < 1e-12);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lattices_have_their_neighbours),
    cmocka_unit_test(chain_is_straight_and_even),
    cmocka_unit_test(a_part_equals_that_part_of_the_whole),
    cmocka_unit_test(masses_follow_the_radius),
};
SCREE_TEST_MAIN(tests)
