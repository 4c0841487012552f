/// \file
/// Bodies: motion of one step, orientation over many.
#include "scree/bodies.h"
#include "scree_test.h"

#include <math.h>

static void orientation_turns_by_the_angle(void **state) {
  (void)state;
  // About a fixed axis the Cayley step turns by 2 atan(w dt / 2) each time.
  scree_bodies *b = scree_bodies_create(3, 1, 0);
  b->radius[0] = 2;
  b->orientation[0].w = 1;
  b->motion[0].spin = (scree_vec){0, 2 * 3.0, 0}; // w = 3
  const int steps = 1000;
  const double time_step = 0.01;
  for (int i = 0; i < steps; i++) scree_bodies_move(b, time_step);
  const double angle = steps * 2 * atan(0.5 * 3.0 * time_step);
  assert_true(fabs(b->orientation[0].w - cos(angle / 2)) < 1e-12);
  assert_true(fabs(b->orientation[0].y - sin(angle / 2)) < 1e-12);
  assert_true(b->orientation[0].x == 0 && b->orientation[0].z == 0);
  assert_true(fabs(angle - 30) < 30 * 3e-4); // third order in the step
  scree_bodies_destroy(b);
}

static void orientation_stays_a_rotation(void **state) {
  (void)state;
  scree_bodies *b = scree_bodies_create(3, 1, 0);
  b->radius[0] = 1;
  b->orientation[0].w = 1;
  for (int i = 0; i < 100000; i++) {
    b->motion[0].spin = (scree_vec){sin(0.1 * i), cos(0.3 * i), 5 * sin(0.7 * i)};
    scree_bodies_move(b, 0.1);
  }
  const scree_turn q = b->orientation[0];
  assert_true(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-14);
  scree_bodies_destroy(b);
}

static void turns_do_not_commute(void **state) {
  (void)state;
  // A quarter turn about x, then one about y: half the rotation vector has length tan(90/2 degrees)
  // = 1.
  scree_bodies *b = scree_bodies_create(3, 1, 0);
  b->radius[0] = 1;
  b->orientation[0].w = 1;
  b->motion[0].spin = (scree_vec){2, 0, 0};
  scree_bodies_move(b, 1);
  b->motion[0].spin = (scree_vec){0, 2, 0};
  scree_bodies_move(b, 1);
  const scree_turn q = b->orientation[0]; // product (cos45 + j sin45)(cos45 + i sin45)
  assert_true(fabs(q.w - 0.5) < 1e-12 && fabs(q.x - 0.5) < 1e-12);
  assert_true(fabs(q.y - 0.5) < 1e-12 && fabs(q.z + 0.5) < 1e-12);
  scree_bodies_destroy(b);
}

static void discs_count_their_turns(void **state) {
  (void)state;
  scree_bodies *b = scree_bodies_create(2, 1, 0);
  b->radius[0] = 0.5;
  b->motion[0].spin.z = 0.5 * 4; // w = 4
  for (int i = 0; i < 1024; i++) scree_bodies_move(b, 0.0625);
  assert_true(b->orientation[0].w == 4 * 64); // exact: powers of two
  scree_bodies_destroy(b);
}

static void lookup_finds_lines_by_id(void **state) {
  (void)state;
  scree_bodies *b = scree_bodies_create(2, 50, 0);
  for (scree_local i = 0; i < 50; i++)
    b->id[i] = (scree_global)((7 * i + 3) % 50 * 2); // even, shuffled
  const scree_global wanted[] = {98, 4, 4, 5, 0};
  scree_lookup *lookup = scree_lookup_create(wanted, 5);
  scree_lookup_update(lookup, b);
  assert_int_equal(lookup->count, 4);
  for (int k = 0; k < 5; k++) {
    const scree_local line = scree_lookup_line(lookup, wanted[k]);
    if (wanted[k] == 5)
      assert_int_equal(line, -1);
    else
      assert_int_equal(b->id[line], wanted[k]);
  }
  scree_lookup_destroy(lookup);
  scree_bodies_destroy(b);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(orientation_turns_by_the_angle),
    cmocka_unit_test(orientation_stays_a_rotation),
    cmocka_unit_test(turns_do_not_commute),
    cmocka_unit_test(discs_count_their_turns),
    cmocka_unit_test(lookup_finds_lines_by_id),
};
SCREE_TEST_MAIN(tests)
