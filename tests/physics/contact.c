/// \file
/// One or a few contacts against the mechanics of rigid bodies (theory §1).
#include "support.h"

static const double pi = 3.14159265358979323846;

static void collision_closes_in_two_steps(void **state) {
  (void)state;
  // Surfaces 0.05 apart, approaching by 0.2 per step: the first step closes the gap, the second stops the approach.
  world w = begin(
      "packing: {dimension: 3, list: [{position: [0, 0, 0], radius: 0.5, velocity: [1, 0, 0]},"
      " {position: [1.3, 0, 0], radius: 0.75, velocity: [-1, 0, 0]}]}\n"
      "solver: {time_step: 0.1, sweeps: {fixed: 5}}\nrun: {steps: 1}\n");
  const double m0 = 1 / motion(w, 0)->inverse_mass, m1 = 1 / motion(w, 1)->inverse_mass,
               momentum = m0 - m1;
  steps(w, 1);
  assert_near(position(w, 1).x - position(w, 0).x, 1.25, 1e-15);
  assert_near(motion(w, 1)->velocity.x - motion(w, 0)->velocity.x, -0.05 / 0.1, 1e-14);
  assert_near(m0 * motion(w, 0)->velocity.x + m1 * motion(w, 1)->velocity.x, momentum, 1e-15);
  steps(w, 1);
  assert_near(motion(w, 1)->velocity.x - motion(w, 0)->velocity.x, 0, 1e-15);
  assert_near(motion(w, 0)->velocity.x, momentum / (m0 + m1), 1e-15);
  assert_near(position(w, 1).x - position(w, 0).x, 1.25, 1e-15);
  end(w);
}

static void bodies_part_freely(void **state) {
  (void)state;
  world w = begin(
      "packing: {dimension: 2, list: [{position: [0, 0], radius: 0.5, velocity: [-1, 0]},"
      " {position: [1, 0], radius: 0.5, velocity: [1, 0]}]}\n"
      "material: {friction: 0.5}\nsolver: {time_step: 0.1, sweeps: {fixed: 5}}\nrun: {steps: 1}\n");
  steps(w, 3);
  assert_true(motion(w, 0)->velocity.x == -1 && motion(w, 1)->velocity.x == 1);
  end(w);
}

/// Kinetic energy after some steps of two bodies that overlap at rest.
static double energy_of_overlapping_pair(const char *law) {
  world w = begin("packing: {dimension: 3, overlap: 0.1, list: [{position: [0, 0, 0], radius: "
                  "0.5}, {position: [0.98, 0, 0], radius: 0.5}]}\n"
                  "solver: {time_step: 0.1, law: %s, sweeps: {fixed: 5}}\nrun: {steps: 1}\n",
                  law);
  steps(w, 5);
  const double energy = scree_simulation_observe(w.s).kinetic_translation;
  end(w);
  return energy;
}

static void only_the_signed_gap_gains_energy(void **state) {
  (void)state;
  assert_true(energy_of_overlapping_pair("g+") == 0);
  // The pair parts with 0.02 in one step of 0.1: each with 0.1.
  assert_near(energy_of_overlapping_pair("g"), pi / 6 * 0.1 * 0.1, 1e-12);
}

/// Acceleration along a slope of `degrees`, measured over 200 steps, in units of g.
static double slope_acceleration(int dimension, double degrees, double friction) {
  const double angle = degrees * pi / 180;
  world w = dimension == 3
                ? begin("packing: {dimension: 3, list: [{position: [0, 0, 0.5], radius: 0.5}]}\n"
                        "walls: [{name: slope, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
                        "material: {friction: %.17g}\nforces: {gravity: [%.17g, 0, %.17g]}\n"
                        "solver: {time_step: 0.01, sweeps: {fixed: 10}}\nrun: {steps: 1}\n",
                        friction, sin(angle), -cos(angle))
                : begin("packing: {dimension: 2, list: [{position: [0, 0.5], radius: 0.5}]}\n"
                        "walls: [{name: slope, plane: {point: [0, 0], normal: [0, 1]}}]\n"
                        "material: {friction: %.17g}\nforces: {gravity: [%.17g, %.17g]}\n"
                        "solver: {time_step: 0.01, sweeps: {fixed: 10}}\nrun: {steps: 1}\n",
                        friction, sin(angle), -cos(angle));
  steps(w, 200);
  const double acceleration = motion(w, 0)->velocity.x / 2;
  end(w);
  return acceleration;
}

static void rolls_or_slides_down_a_slope(void **state) {
  (void)state;
  for (int degrees = 10; degrees <= 60; degrees += 10) {
    const double angle = degrees * pi / 180;
    for (double friction = 0; friction < 0.7; friction += 0.1) {
      const double sliding = sin(angle) - friction * cos(angle);
      const bool rolls = friction >= 2.0 / 7 * tan(angle), disc_rolls = friction >= tan(angle) / 3;
      assert_near(slope_acceleration(3, degrees, friction), rolls ? 5.0 / 7 * sin(angle) : sliding,
                  1e-12);
      assert_near(slope_acceleration(2, degrees, friction),
                  disc_rolls ? 2.0 / 3 * sin(angle) : sliding, 1e-12);
    }
  }
}

static void thrown_sphere_slides_then_rolls(void **state) {
  (void)state;
  // v0 = 2, mu = 0.2, g = 1: rolls with 5/7 v0 after 2 v0/(7 mu g) = 2.857.
  world w = begin(
      "packing: {dimension: 3, list: [{position: [0, 0, 0.5], radius: 0.5, velocity: [2, 0, 0]}]}\n"
      "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
      "material: {friction: 0.2}\nforces: {gravity: [0, 0, -1]}\n"
      "solver: {time_step: 0.001, sweeps: {fixed: 5}}\nrun: {steps: 1}\n");
  const double rolls_after = 2 * 2 / (7 * 0.2);
  int n = 0;
  // Rolling: the contact point rests, v = w r (about y).
  while (motion(w, 0)->velocity.x - motion(w, 0)->spin.y > 1e-9 && n < 5000) {
    assert_near(motion(w, 0)->velocity.x, 2 - 0.2 * 0.001 * n, 1e-10);
    steps(w, 1);
    n++;
  }
  assert_near(0.001 * n, rolls_after, 0.0011);
  assert_near(motion(w, 0)->velocity.x, 5.0 / 7 * 2, 1e-12);
  steps(w, 1000);
  assert_near(motion(w, 0)->velocity.x, 5.0 / 7 * 2, 1e-12);
  end(w);
}

/// Normal force of the contact between two ids (a wall's id is that of its index), from the batches.
static double normal_force(world w, scree_global low, scree_global high) {
  for (int32_t k = 0; k < w.s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *b = &w.s->contacts->batch[k];
      if (b->mass[l] > 0 && w.s->bodies->id[b->i[l]] == low &&
          scree_line_id(w.s->bodies, b->j[l]) == high)
        return (b->px[l] * b->nx[l] + b->py[l] * b->ny[l] + b->pz[l] * b->nz[l]) /
               w.deck->solver.time_step;
    }
  fail_msg("no such contact");
  return 0;
}

static void column_carries_its_weight(void **state) {
  (void)state;
  static const char *const order[] = {"tiled", "random"};
  for (int o = 0; o < 2; o++) {
    world w = begin("packing: {dimension: 3, chain: {count: 20, radius: 0.5, origin: [0, 0, 0.5], "
                    "direction: [0, 0, 1]}}\n"
                    "walls: [{name: base, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
                    "forces: {gravity: [0, 0, -1]}\nmaterial: {friction: 0.3}\n"
                    "solver: {time_step: 0.01, order: %s, sweeps: {local: {epsilon: 1e-13, cutoff: "
                    "1e-13}}}\nrun: {steps: 1}\n",
                    order[o]);
    steps(w, 1);
    const double weight = pi / 6;
    assert_near(normal_force(w, 0, scree_wall_first_id), 20 * weight, 1e-8);
    for (scree_global i = 0; i < 19; i++)
      assert_near(normal_force(w, i, i + 1), (double)(19 - i) * weight, 1e-8);
    assert_near(scree_simulation_observe(w.s).kinetic_translation, 0, 1e-18);
    assert_near(w.s->scene.walls.wall[0].contact_force, 20 * weight, 1e-8);
    end(w);
  }
}

/// A column of five discs between a base and a piston, without gravity.
static world pressed_column(double mass, const char *force) {
  return begin("packing: {dimension: 2, chain: {count: 5, radius: 0.5, origin: [0, 0.5], "
               "direction: [0, 1]}}\n"
               "walls: [{name: base, plane: {point: [0, 0], normal: [0, 1]}},"
               " {name: piston, plane: {normal: [0, -1]}, mass: %.17g, force: %s}]\n"
               "solver: {time_step: 0.01, sweeps: {fixed: 200}}\nrun: {steps: 1}\n",
               mass, force);
}

static void piston_balances_its_force(void **state) {
  (void)state;
  // From a millionth of a grain to two hundred times the column.
  for (double mass = 1e-6; mass < 1e4; mass *= 1000) {
    world w = pressed_column(mass, "[[0, 2]]");
    steps(w, 3000);
    scree_simulation_observe(w.s);
    const scree_wall *base = &w.s->scene.walls.wall[0], *piston = &w.s->scene.walls.wall[1];
    assert_near(piston->contact_force, 2, 1e-9);
    assert_near(base->contact_force, 2, 1e-9);
    for (scree_global i = 0; i < 4; i++) assert_near(normal_force(w, i, i + 1), 2, 1e-9);
    assert_near(scree_vec_dot(piston->velocity, piston->normal), 0, 1e-9);
    assert_near(-piston->position, 5, 1e-4); // still on the column
    end(w);
  }
}

static void stress_of_a_pressed_column_is_force_over_width(void **state) {
  (void)state;
  world w = pressed_column(1, "[[0, 2]]");
  steps(w, 3000);
  const scree_observables o = scree_simulation_observe(w.s);
  assert_near(o.stress[1], 2 / 1.0, 1e-6); // five diameters high, one wide
  assert_near(o.stress[0], 0, 1e-12);
  assert_near(o.stress[3], 0, 1e-12);
  assert_int_equal(o.contacts, 6);
  assert_near(o.coordination, (2 * 4 + 2) / 5.0, 1e-15);
  assert_near(o.force_mean, 2, 1e-9);
  end(w);
}

static void very_heavy_piston_stays_calm(void **state) {
  (void)state;
  // It swings on the pseudo-elastic column (theory §4) for longer than a test can wait, but never faster than it would fall in a
  // quarter of a swing.
  world w = pressed_column(1e6, "[[0, 2]]");
  const double mass = pi / 4, stiffness = 0.8 * mass * 200 / (0.01 * 0.01) / 6;
  const double quarter = 0.5 * pi * sqrt(1e6 / stiffness);
  double fastest = 0;
  for (int n = 0; n < 3000; n++) {
    steps(w, 1);
    fastest = fmax(fastest, fabs(w.s->scene.walls.wall[1].velocity.y));
  }
  assert_true(fastest < 2 / 1e6 * quarter);
  end(w);
}

static void piston_follows_the_steps_of_its_force(void **state) {
  (void)state;
  world w = pressed_column(10, "[[0, 2], [5, 3]]");
  steps(w, 499);
  scree_simulation_observe(w.s);
  assert_near(w.s->scene.walls.wall[1].contact_force, 2, 1e-3);
  steps(w, 1000);
  scree_simulation_observe(w.s);
  assert_near(w.s->scene.walls.wall[1].contact_force, 3, 1e-6);
  end(w);
}

static void free_piston_falls_as_a_body(void **state) {
  (void)state;
  world w = begin("packing: {dimension: 3, list: [{position: [0, 0, 0], radius: 0.5}]}\n"
                  "walls: [{name: p, plane: {point: [0, 0, 100], normal: [0, 0, -1]}, mass: 4, "
                  "force: [[0, 0], [1, 8]], force_shape: ramps}]\n"
                  "solver: {time_step: 0.01, sweeps: {fixed: 5}}\nrun: {steps: 1}\n");
  steps(w, 100);
  // F = 8 t, a = 2 t: the sum of 2 t dt over the ends of the steps is 1.01.
  const scree_wall *p = &w.s->scene.walls.wall[0];
  assert_near(scree_vec_dot(p->velocity, p->normal), 1.01, 1e-12);
  end(w);
}

static void light_piston_catches_what_it_meets(void **state) {
  (void)state;
  // It would fly 200 diameters in the first step; it must stop at the first body, not behind it.
  world w = begin("packing: {dimension: 3, list: [{position: [0, 0, 0], radius: 0.5}, {position: "
                  "[5, 0, -3], radius: 0.5}]}\n"
                  "walls: [{name: p, plane: {point: [0, 0, 10], normal: [0, 0, -1]}, mass: 1e-6, "
                  "force: [[0, 2]]}]\n"
                  "solver: {time_step: 0.01, sweeps: {fixed: 50}}\nrun: {steps: 1}\n");
  steps(w, 5);
  const scree_wall *p = &w.s->scene.walls.wall[0];
  assert_true(scree_wall_gap(p, position(w, 0), 0.5) > -1e-9);
  assert_true(scree_wall_gap(p, position(w, 1), 0.5) > -1e-9);
  end(w);
}

static void moving_wall_drags_and_pushes(void **state) {
  (void)state;
  // A belt under a sphere: it ends rolling or carried; without rotation resisted by anything, v -> 2/7 of the belt's speed.
  world w = begin("packing: {dimension: 3, list: [{position: [0, 0, 0.5], radius: 0.5}]}\n"
                  "walls: [{name: belt, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, velocity: "
                  "[1.4, 0, 0.1]}]\n"
                  "material: {friction: 0.5}\nforces: {gravity: [0, 0, -1]}\n"
                  "solver: {time_step: 0.01, sweeps: {fixed: 5}}\nrun: {steps: 1}\n");
  steps(w, 1000);
  assert_near(motion(w, 0)->velocity.x, 2.0 / 7 * 1.4, 1e-12);
  assert_near(motion(w, 0)->velocity.z, 0.1, 1e-12);
  assert_near(position(w, 0).z, 0.5 + 0.1 * 10, 1e-9);
  end(w);
}

static void fast_bodies_are_not_missed(void **state) {
  (void)state;
  // 1.9 radii per step, nearly the limit, aimed at a resting body: they must meet and stop each other.
  world w = begin("packing: {dimension: 3, list: [{position: [0, 0, 0], radius: 0.5, velocity: "
                  "[95, 0, 0]}, {position: [20.37, 0, 0], radius: 0.5}]}\n"
                  "solver: {time_step: 0.01, sweeps: {fixed: 5}}\nrun: {steps: 1}\n");
  steps(w, 60);
  assert_near(motion(w, 0)->velocity.x, 47.5, 1e-10);
  assert_near(motion(w, 1)->velocity.x, 47.5, 1e-10);
  assert_int_equal(w.s->counts.missed, 0);
  end(w);
}

static void fast_piston_misses_nobody(void **state) {
  (void)state;
  // A heavy piston at 0.9 diameters per step runs into a chain at rest with gaps of half a diameter.
  world w = begin("packing: {dimension: 2, chain: {count: 6, radius: 0.5, gap: 0.5}}\n"
                  "walls: [{name: p, plane: {point: [-9.5, 0], normal: [1, 0]}, mass: 1000, force: "
                  "[[0, 90000], [0.15, 0]]}]\n"
                  "solver: {time_step: 0.1, sweeps: {fixed: 50}}\nrun: {steps: 1}\n");
  for (int n = 0; n < 25; n++) {
    steps(w, 1);
    assert_true(scree_simulation_observe(w.s).overlap_max < 0.02);
  }
  assert_int_equal(w.s->counts.missed, 0);
  assert_true(motion(w, 5)->velocity.x > 8); // it has met them all
  end(w);
}

static void missed_contacts_are_counted_at_once(void **state) {
  (void)state;
  // Between two steps a body is made to jump into another that its list does not hold: what no forecast can know.
  world w = begin("packing: {dimension: 2, list: [{position: [0, 0], radius: 0.5}, {position: [3, "
                  "0], radius: 0.5}]}\n"
                  "solver: {time_step: 0.1, sweeps: {fixed: 5}}\nrun: {steps: 1}\n");
  steps(w, 1);
  w.s->bodies->position[line(w, 1)].x = 0.9;
  steps(w, 1);
  assert_int_equal(w.s->counts.missed, 1);
  assert_near(scree_simulation_observe(w.s).overlap_max, 0.1, 1e-12);
  end(w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(collision_closes_in_two_steps),
    cmocka_unit_test(bodies_part_freely),
    cmocka_unit_test(only_the_signed_gap_gains_energy),
    cmocka_unit_test(rolls_or_slides_down_a_slope),
    cmocka_unit_test(thrown_sphere_slides_then_rolls),
    cmocka_unit_test(column_carries_its_weight),
    cmocka_unit_test(piston_balances_its_force),
    cmocka_unit_test(stress_of_a_pressed_column_is_force_over_width),
    cmocka_unit_test(very_heavy_piston_stays_calm),
    cmocka_unit_test(piston_follows_the_steps_of_its_force),
    cmocka_unit_test(free_piston_falls_as_a_body),
    cmocka_unit_test(light_piston_catches_what_it_meets),
    cmocka_unit_test(moving_wall_drags_and_pushes),
    cmocka_unit_test(fast_bodies_are_not_missed),
    cmocka_unit_test(fast_piston_misses_nobody),
    cmocka_unit_test(missed_contacts_are_counted_at_once),
};
SCREE_TEST_MAIN(tests)
