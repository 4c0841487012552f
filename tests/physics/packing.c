/// \file
/// Many contacts: what must hold in any packing (theory §1-2).
#include "support.h"

#include <stdlib.h>

/// Some 400 frictional spheres of two sizes dropped into a box that is periodic along x.
static world dropped(const char *solver) {
  return begin("packing: {dimension: 3, loose: {count: 400, fraction: 0.25, radius: [0.3, 0.5], "
               "width: 6}, seed: 5, velocity: [0.3, 0, 0]}\n"
               "domain: {periodic: [true, false, false]}\n"
               "walls: [{name: box, box: {low: [0, 0, 0], high: [6, 6, 40]}}]\n"
               "material: {friction: 0.4}\nforces: {gravity: [0.05, 0, -1]}\n"
               "solver: {time_step: 0.02, %s}\nrun: {steps: 1}\n",
               solver);
}

/// Relative velocity at the contact point, theory §1.
static scree_vec contact_velocity(world w, const scree_batch *b, int l) {
  const scree_motion *i = &w.s->bodies->motion[b->i[l]], *j = &w.s->bodies->motion[b->j[l]];
  const double x = i->spin.x + j->spin.x, y = i->spin.y + j->spin.y, z = i->spin.z + j->spin.z;
  return (scree_vec){j->velocity.x - i->velocity.x - (y * b->nz[l] - z * b->ny[l]),
                     j->velocity.y - i->velocity.y - (z * b->nx[l] - x * b->nz[l]),
                     j->velocity.z - i->velocity.z - (x * b->ny[l] - y * b->nx[l])};
}

static void converged_packing_obeys_signorini_and_coulomb(void **state) {
  (void)state;
  world w = dropped("sweeps: {local: {epsilon: 1e-6, cutoff: 1e-6, most: 50000}}");
  const double tolerance =
      1e-5; // as a velocity; the rule bounds changes per sweep, what is left adds up
  int touching = 0, sticking = 0;
  const int shown = effort(160) < 160 ? 110 : 160; // the first contacts come after some 30 steps
  for (int n = 0; n < shown; n++) {
    steps(w, 1);
    assert_true(w.s->solved.converged);
    for (int32_t k = 0; k < w.s->contacts->batch_count; k++)
      for (int l = 0; l < SCREE_LANES; l++) {
        const scree_batch *b = &w.s->contacts->batch[k];
        if (b->mass[l] == 0) continue;
        const scree_vec nv = {b->nx[l], b->ny[l], b->nz[l]}, p = {b->px[l], b->py[l], b->pz[l]};
        const scree_vec v = contact_velocity(w, b, l);
        const double pn = scree_vec_dot(p, nv), vn = scree_vec_dot(v, nv);
        const scree_vec pt = scree_vec_add(p, scree_vec_scale(-pn, nv)),
                        vt = scree_vec_add(v, scree_vec_scale(-vn, nv));
        const double friction = 0.4 * pn, tangential = sqrt(scree_vec_dot(pt, pt));
        assert_true(pn >= 0);
        assert_true(tangential <= friction * (1 + 1e-12) + 1e-300);
        assert_true(vn + b->bias[l] > -tolerance); // no approach beyond the gap
        if (pn > 1e-9)
          assert_near(vn + b->bias[l], 0, tolerance); // who pushes is closed at the end of the step
        if (pn > 1e-9 && tangential < friction * (1 - 1e-6)) {
          sticking++;
          assert_near(sqrt(scree_vec_dot(vt, vt)), 0, tolerance); // who sticks does not slide
        } else if (pn > 1e-6 && scree_vec_dot(vt, vt) > 1e-8) {
          assert_true(scree_vec_dot(pt, vt) < 0); // friction on j opposes the motion of j
        }
        touching += pn > 1e-9;
      }
  }
  assert_true(touching > effort(20000) && sticking > effort(5000));
  end(w);
}

static void coulomb_holds_after_few_sweeps_too(void **state) {
  (void)state;
  static const char *const solver[] = {"order: tiled, sweeps: {fixed: 3}",
                                       "order: random, sweeps: {fixed: 3}"};
  for (int o = 0; o < 2; o++) {
    world w = dropped(solver[o]);
    for (int n = 0; n < 300; n++) {
      steps(w, 1);
      for (int32_t k = 0; k < w.s->contacts->batch_count; k++)
        for (int l = 0; l < SCREE_LANES; l++) {
          const scree_batch *b = &w.s->contacts->batch[k];
          const scree_vec nv = {b->nx[l], b->ny[l], b->nz[l]}, p = {b->px[l], b->py[l], b->pz[l]};
          const double pn = scree_vec_dot(p, nv);
          assert_true(pn >= -1e-16);
          assert_true(scree_vec_dot(p, p) - pn * pn <= 0.16 * pn * pn * (1 + 1e-9) + 1e-20);
        }
    }
    end(w);
  }
}

static void stopping_rules_keep_their_word(void **state) {
  (void)state;
  world fixed = dropped("sweeps: {fixed: 7}"),
        local = dropped("sweeps: {local: {epsilon: 1e-3, cutoff: 1e-4}}"),
        global = dropped("sweeps: {global: {epsilon: 1e-4}}"),
        capped = dropped("sweeps: {local: {epsilon: 1e-12, most: 4}}");
  int64_t locals = 0, globals = 0;
  for (int n = 0; n < 200; n++) {
    steps(fixed, 1);
    steps(local, 1);
    steps(global, 1);
    steps(capped, 1);
    assert_int_equal(fixed.s->solved.sweeps, 7);
    assert_true(local.s->solved.converged && global.s->solved.converged);
    assert_true(capped.s->solved.sweeps <= 4);
    locals += local.s->solved.sweeps;
    globals += global.s->solved.sweeps;
  }
  assert_true(locals > 400 && globals > 400); // they had to work
  assert_true(capped.s->counts.unconverged > 50);
  end(fixed);
  end(local);
  end(global);
  end(capped);
}

static void bagnold_scaling_is_exact(void **state) {
  (void)state;
  // Forces x4, velocities x2, time x1/2: the same path, bit for bit; only powers of two are involved.
  static const char form[] =
      "packing: {dimension: 3, loose: {count: 200, fraction: 0.3, radius: [0.4, 0.5]}, velocity: "
      "[%g, 0, 0]}\n"
      "domain: {periodic: [true, true, false]}\n"
      "walls: [{name: base, plane: {point: [0, 0, 0], normal: [0, 0, 1]}},"
      " {name: lid, plane: {normal: [0, 0, -1]}, mass: 20, force: [[0, %g], [%g, %g]]}]\n"
      "material: {friction: 0.3}\nforces: {gravity: [0, 0.1, %g]}\n"
      "solver: {time_step: %g, sweeps: {fixed: 20}}\nrun: {steps: 1}\n";
  char text[2000];
  snprintf(text, sizeof text, form, 0.5, 8., 1., 16., -1., 0.01);
  world slow = begin("%s", text);
  snprintf(text, sizeof text, form, 1., 32., 0.5, 64., -4., 0.005);
  char *gravity = strstr(text, "gravity: [0, 0.1");
  memcpy(gravity, "gravity: [0, 0.4", 16);
  world fast = begin("%s", text);
  steps(slow, 300);
  steps(fast, 300);
  const size_t n = (size_t)slow.s->bodies->count;
  assert_memory_equal(slow.s->bodies->id, fast.s->bodies->id, n * sizeof(scree_global));
  assert_memory_equal(slow.s->bodies->position, fast.s->bodies->position, n * sizeof(scree_vec));
  assert_memory_equal(slow.s->bodies->orientation, fast.s->bodies->orientation,
                      n * sizeof(scree_turn));
  assert_true(slow.s->scene.walls.wall[1].position == fast.s->scene.walls.wall[1].position);
  assert_true(scree_simulation_observe(slow.s).contacts > 150);
  end(slow);
  end(fast);
}

/// A deck that lists `count` discs of a heap in the order given by `order`, each with its own id.
static world listed(const int *order, int count) {
  char text[15000] = "packing:\n  dimension: 2\n  list:\n";
  for (int k = 0; k < count; k++) {
    const int id = order[k];
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used,
             "    - {id: %d, position: [%.17g, %.17g], radius: %.17g}\n", 3 * id + 7,
             1.3 * (id % 10) + 0.1 * (id % 3), 0.7 + 1.2 * (id / 10), 0.4 + 0.015 * (id % 11));
  }
  return begin("%swalls: [{name: base, plane: {point: [0, 0], normal: [0, 1]}}, {name: left, "
               "plane: {point: [-1, 0], normal: [1, 0]}}]\n"
               "material: {friction: 0.3}\nforces: {gravity: [-0.2, -1]}\n"
               "solver: {time_step: 0.02, sweeps: {fixed: 15}}\nrun: {steps: 1}\n",
               text);
}

static void input_order_does_not_matter(void **state) {
  (void)state;
  enum { count = 80 };
  int order[count];
  uint64_t hash[3];
  srand(7);
  for (int run = 0; run < 3; run++) {
    for (int k = 0; k < count; k++) order[k] = k;
    for (int k = count - 1; run > 0 && k > 0; k--) {
      const int other = rand() % (k + 1), kept = order[k];
      order[k] = order[other];
      order[other] = kept;
    }
    world w = listed(order, count);
    steps(w, 300);
    hash[run] = scree_hash_state(w.s->bodies, &scree_alone);
    assert_true(scree_simulation_observe(w.s).contacts > 60);
    end(w);
  }
  assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

static void both_kernels_give_the_same_bits(void **state) {
  (void)state;
  static const char *const solver[] = {
      "order: tiled, sweeps: {fixed: 12}", "order: random, sweeps: {fixed: 5}",
      "order: tiled, sweeps: {local: {epsilon: 1e-3}}", "order: tiled, law: g, sweeps: {fixed: 5}"};
  for (int o = 0; o < 4; o++) {
    char one[200];
    snprintf(one, sizeof one, "kernel: scalar, %s", solver[o]);
    world lanes = dropped(solver[o]), scalar = dropped(one);
    steps(lanes, 250);
    steps(scalar, 250);
    assert_true(scree_simulation_observe(lanes.s).contacts > 300);
    assert_true(scree_hash_state(lanes.s->bodies, &scree_alone) ==
                scree_hash_state(scalar.s->bodies, &scree_alone));
    end(lanes);
    end(scalar);
  }
}

static void energy_never_grows_by_itself(void **state) {
  (void)state;
  // A gas of grains in a periodic box: no work from outside, so collisions can only take energy.
  for (int dimension = 2; dimension <= 3; dimension++) {
    world w =
        begin("packing: {dimension: %d, loose: {count: 300, fraction: 0.28, radius: [0.4, 0.5]}}\n"
              "domain: {periodic: [true, true%s]}\nmaterial: {friction: 0.3}\n"
              "solver: {time_step: 0.02, sweeps: {fixed: 10}}\nrun: {steps: 1}\n",
              dimension, dimension == 3 ? ", true" : ", false");
    for (scree_local i = 0; i < w.s->bodies->count; i++) { // some velocities, by id
      const double id = (double)w.s->bodies->id[i];
      w.s->bodies->motion[i].velocity =
          (scree_vec){sin(12.9898 * id), sin(78.233 * id), dimension == 3 ? sin(37.719 * id) : 0};
    }
    scree_observables before = scree_simulation_observe(w.s);
    const double start = before.kinetic_translation;
    for (int n = 0; n < 500; n++) {
      steps(w, 1);
      const scree_observables now = scree_simulation_observe(w.s);
      const double energy = now.kinetic_translation + now.kinetic_rotation;
      assert_true(energy <= (before.kinetic_translation + before.kinetic_rotation) * (1 + 1e-12));
      assert_near(now.momentum.x, before.momentum.x, 1e-11); // and momentum stays
      assert_near(now.momentum.y, before.momentum.y, 1e-11);
      before = now;
    }
    assert_true(before.kinetic_translation < 0.5 * start);
    assert_int_equal(w.s->counts.missed, 0);
    end(w);
  }
}

static void sizes_of_one_to_ten_pack(void **state) {
  (void)state;
  world w =
      begin("packing:\n  dimension: 3\n  list:\n"
            "    - {position: [5, 5, 3.1], radius: 3}\n    - {position: [2, 2, 8], radius: 0.3}\n"
            "    - {position: [5, 5, 7], radius: 0.3}\n    - {position: [5.2, 5, 8], radius: 0.5}\n"
            "    - {position: [8, 8, 5], radius: 1}\n    - {position: [5, 5.1, 12], radius: 1.5}\n"
            "walls: [{name: box, box: {low: [0, 0, 0], high: [10, 10, 20]}}]\n"
            "material: {friction: 0.2}\nforces: {gravity: [0, 0, -1]}\n"
            "solver: {time_step: 0.01, sweeps: {fixed: 100}}\nrun: {steps: 1}\n");
  steps(w, 4000);
  const scree_observables o = scree_simulation_observe(w.s);
  assert_true(o.overlap_max < 0.02);
  assert_true(o.kinetic_translation < 1e-3 * 113);
  // All the weight ends on the floor.
  double weight = 0;
  for (scree_local i = 0; i < 6; i++) weight += 1 / w.s->bodies->motion[i].inverse_mass;
  assert_near(w.s->scene.walls.wall[4].contact_force / weight, 1, 0.05);
  end(w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(converged_packing_obeys_signorini_and_coulomb),
    cmocka_unit_test(coulomb_holds_after_few_sweeps_too),
    cmocka_unit_test(stopping_rules_keep_their_word),
    cmocka_unit_test(bagnold_scaling_is_exact),
    cmocka_unit_test(input_order_does_not_matter),
    cmocka_unit_test(both_kernels_give_the_same_bits),
    cmocka_unit_test(energy_never_grows_by_itself),
    cmocka_unit_test(sizes_of_one_to_ten_pack),
};
SCREE_TEST_MAIN(tests)
