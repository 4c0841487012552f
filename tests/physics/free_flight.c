/// \file
/// Free flight with implicit Euler against its closed form: after n steps of length h under
/// constant acceleration a,
///   v = v0 + n h a,   x = x0 + n h v0 + h^2 a n(n+1)/2
/// (theory §1, U1-U2). Also energy, momentum, and Bagnold's scaling bit for bit.
#include "scree/hash.h"
#include "scree/memory.h"
#include "scree/simulation.h"
#include "scree_test.h"

#include <math.h>
#include <string.h>

static scree_deck *load(const char *text) {
  scree_error error;
  char *resolved;
  if (!scree_deck_resolve(text, strlen(text), "deck", NULL, 0, &resolved, &error))
    fail_msg("%s", error.text);
  scree_deck *deck = scree_deck_load(resolved);
  scree_free(resolved);
  return deck;
}

static scree_simulation *start(const scree_deck *deck) {
  scree_error error;
  scree_simulation *s = scree_simulation_create(deck, &scree_alone, &error);
  if (!s) fail_msg("%s", error.text);
  return s;
}

static void finish(scree_simulation *s, scree_deck *deck) {
  scree_simulation_destroy(s);
  scree_deck_destroy(deck);
}

static void falls_as_implicit_euler_says(void **state) {
  (void)state;
  scree_deck *deck = load(
      "packing: {dimension: 3, list: [{position: [1, 2, 3], radius: 0.5, velocity: [4, 5, 6]}]}\n"
      "forces: {gravity: [0.5, 0, -9.81]}\n"
      "solver: {time_step: 0.001, sweeps: {fixed: 10}}\n"
      "run: {steps: 1000}\n");
  scree_simulation *s = start(deck);
  for (int n = 1; n <= 1000; n++) {
    scree_simulation_step(s);
    const double t = 0.001 * n, sum = 0.5e-6 * n * (n + 1);
    assert_true(fabs(s->bodies->motion[0].velocity.z - (6 - 9.81 * t)) < 1e-12);
    assert_true(fabs(s->bodies->position[0].x - (1 + 4 * t + 0.5 * sum)) < 1e-12);
    assert_true(fabs(s->bodies->position[0].y - (2 + 5 * t)) < 1e-12);
    assert_true(fabs(s->bodies->position[0].z - (3 + 6 * t - 9.81 * sum)) < 1e-12);
  }
  assert_true(scree_simulation_time(s) == 1000 * 0.001);
  finish(s, deck);
}

static void force_moves_the_named_body_only(void **state) {
  (void)state;
  scree_deck *deck =
      load("packing: {dimension: 2, chain: {count: 5, radius: 0.5, gap: 0.5}, names: [{name: tip, "
           "id: 4}]}\n"
           "material: {density: 2}\n"
           "forces: {constant: [{body: tip, force: [0.3, -0.4]}, {body: tip, force: [0, 0.1]}]}\n"
           "solver: {time_step: 0.01, sweeps: {fixed: 10}}\n"
           "run: {steps: 100}\n");
  scree_simulation *s = start(deck);
  for (int n = 0; n < 100; n++) scree_simulation_step(s);
  const double mass = 2 * 3.14159265358979323846 * 0.25;
  for (scree_local i = 0; i < 5; i++) {
    const scree_vec v = s->bodies->motion[i].velocity, x = s->bodies->position[i];
    if (s->bodies->id[i] == 4)
      assert_true(fabs(v.x - 0.3 / mass) < 1e-13 && fabs(v.y + 0.3 / mass) < 1e-13);
    else
      assert_true(x.x == 1.5 * (double)s->bodies->id[i] && x.y == 0 && v.x == 0 && v.y == 0);
  }
  // Momentum is the impulse of all forces.
  const scree_observables o = scree_simulation_observe(s);
  assert_true(fabs(o.momentum.x - 0.3) < 1e-13 && fabs(o.momentum.y + 0.3) < 1e-13);
  finish(s, deck);
}

static void energy_is_that_of_rigid_bodies(void **state) {
  (void)state;
  // Sphere: m = 4/3 pi r^3, I = 2/5 m r^2. Disc: m = pi r^2, I = 1/2 m r^2.
  static const char *const text[] = {
      "packing: {dimension: 3, list: [{position: [0, 0, 0], radius: "
      "2, velocity: [3, 0, 4], angular_velocity: [0, 1, 2]}]}\n"
      "solver: {time_step: 0.01, sweeps: {fixed: 10}}\nrun: {steps: 1}\n",
      "packing: {dimension: 2, list: [{position: [0, 0], radius: 2, "
      "velocity: [3, 4], angular_velocity: [0, 0, 2]}]}\n"
      "solver: {time_step: 0.01, sweeps: {fixed: 10}}\nrun: {steps: 1}\n"};
  const double pi = 3.14159265358979323846, mass[] = {4.0 / 3 * pi * 8, 4 * pi};
  const double spin_energy[] = {0.5 * 0.4 * mass[0] * 4 * 5, 0.5 * 0.5 * mass[1] * 4 * 4};
  for (int i = 0; i < 2; i++) {
    scree_deck *deck = load(text[i]);
    scree_simulation *s = start(deck);
    scree_simulation_step(s);
    const scree_observables o = scree_simulation_observe(s);
    assert_true(fabs(o.kinetic_translation / (12.5 * mass[i]) - 1) < 1e-14);
    assert_true(fabs(o.kinetic_rotation / spin_energy[i] - 1) < 1e-14);
    finish(s, deck);
  }
}

static void bagnold_scaling_is_exact(void **state) {
  (void)state;
  // Forces x4, velocities x2, time x1/2: the same path, bit for bit; only powers of two are
  // involved.
  scree_deck *slow = load(
      "packing: {dimension: 3, lattice: {kind: fcc, cells: [3, 3, 3], radius: 0.37, gap: 0.2}, "
      "velocity: [0.1, 0.2, 0.3], "
      "angular_velocity: [0.3, 0.7, 0.9], names: [{name: a, id: 17}]}\n"
      "forces: {gravity: [0, 0.1, -9.81], constant: [{body: a, force: [0.7, 0, 0]}]}\n"
      "solver: {time_step: 0.01, sweeps: {fixed: 10}}\nrun: {steps: 1}\n");
  scree_deck *fast = load(
      "packing: {dimension: 3, lattice: {kind: fcc, cells: [3, 3, 3], radius: 0.37, gap: 0.2}, "
      "velocity: [0.2, 0.4, 0.6], "
      "angular_velocity: [0.6, 1.4, 1.8], names: [{name: a, id: 17}]}\n"
      "forces: {gravity: [0, 0.4, -39.24], constant: [{body: a, force: [2.8, 0, 0]}]}\n"
      "solver: {time_step: 0.005, sweeps: {fixed: 10}}\nrun: {steps: 1}\n");
  scree_simulation *s = start(slow), *f = start(fast);
  for (int n = 0; n < 500; n++) {
    scree_simulation_step(s);
    scree_simulation_step(f);
  }
  const size_t count = (size_t)s->bodies->count;
  assert_memory_equal(s->bodies->position, f->bodies->position,
                      count * sizeof *s->bodies->position);
  assert_memory_equal(s->bodies->orientation, f->bodies->orientation,
                      count * sizeof *s->bodies->orientation);
  finish(s, slow);
  finish(f, fast);
}

static void same_deck_same_state(void **state) {
  (void)state;
  uint64_t hash[2];
  for (int i = 0; i < 2; i++) {
    scree_deck *deck = load("packing: {dimension: 2, lattice: {kind: hexagonal, cells: [4, 4], "
                            "radius: 1}, velocity: [1, 1]}\n"
                            "solver: {time_step: 0.1, sweeps: {fixed: 10}}\nrun: {steps: 1}\n");
    scree_simulation *s = start(deck);
    for (int n = 0; n < 10; n++) scree_simulation_step(s);
    hash[i] = scree_hash_state(s->bodies, &scree_alone);
    finish(s, deck);
  }
  assert_true(hash[0] == hash[1]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(falls_as_implicit_euler_says),
    cmocka_unit_test(force_moves_the_named_body_only),
    cmocka_unit_test(energy_is_that_of_rigid_bodies),
    cmocka_unit_test(bagnold_scaling_is_exact),
    cmocka_unit_test(same_deck_same_state),
};
SCREE_TEST_MAIN(tests)
