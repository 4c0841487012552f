/// \file
/// The state hash sees every bit that counts and nothing else.
#include "scree/hash.h"
#include "scree_test.h"

static scree_bodies *some_bodies(void) {
  scree_bodies *b = scree_bodies_create(3, 3, 0);
  for (scree_local i = 0; i < 3; i++) {
    b->id[i] = (scree_global)i;
    b->radius[i] = 1 + i;
    b->position[i] = (scree_vec){i, 2.0 * i, 3};
    b->orientation[i].w = 1;
    b->motion[i] = (scree_motion){.velocity = {1, 2, 3}, .inverse_mass = 1, .spin = {4, 5, 6}};
  }
  return b;
}

static void flip(double *x) {
  unsigned char *bytes = (unsigned char *)x;
  bytes[0] ^= 1; // last bit of the mantissa
}

static void every_field_counts(void **state) {
  (void)state;
  scree_bodies *b = some_bodies();
  const uint64_t before = scree_hash_state(b, &scree_alone);
  double *fields[] = {&b->radius[1],
                      &b->position[1].x,
                      &b->position[1].z,
                      &b->orientation[1].w,
                      &b->orientation[1].z,
                      &b->motion[1].velocity.x,
                      &b->motion[1].velocity.z,
                      &b->motion[1].spin.x,
                      &b->motion[1].spin.z};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    flip(fields[i]);
    assert_true(scree_hash_state(b, &scree_alone) != before);
    flip(fields[i]);
    assert_true(scree_hash_state(b, &scree_alone) == before);
  }
  b->id[2] = 7;
  assert_true(scree_hash_state(b, &scree_alone) != before);
  scree_bodies_destroy(b);
}

static void what_is_not_state_does_not_count(void **state) {
  (void)state;
  scree_bodies *b = some_bodies();
  const uint64_t before = scree_hash_state(b, &scree_alone);
  b->motion[1].friction = 9;
  assert_true(scree_hash_state(b, &scree_alone) == before);
  scree_bodies_destroy(b);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_field_counts),
    cmocka_unit_test(what_is_not_state_does_not_count),
};
SCREE_TEST_MAIN(tests)
