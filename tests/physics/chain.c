/// \file
/// The pseudo-elastic chain against its theory (theory §4): the constant q of both orders, sound and damping after a hit, and stiffness.
#include "scree/fit.h"
#include "support.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/// q of the random sweep (E appendix): (4 sqrt(e) - 5)/2 = 0.79744.
static double q_random(void) {
  return 0.5 * (4 * sqrt(exp(1)) - 5);
}

/// q of order `tiled`, as measured by tiled_order_has_its_own_q; docs/verification.md.
static const double q_tiled = 0.801;

/// By how much the mean over fewer seeds is less sure.
static double fewer_seeds(int full) {
  return sqrt((double)full / effort(full));
}

// ---- q ----------------------------------------------------------------------

/// Mean of the first forces in a chain that is compressed evenly, in units of the force of a parallel update: 2 q.
static double first_force(const char *order, int seed) {
  enum { count = 4000, border = 50 };
  world w =
      begin("packing: {dimension: 2, chain: {count: %d, radius: 0.5}}\n"
            "solver: {time_step: 1, order: %s, seed: %d, sweeps: {fixed: 1}}\nrun: {steps: 1}\n",
            count, order, seed);
  const double approach = 1e-6, mass = pi / 4; // of neighbours
  for (scree_local i = 0; i < count; i++)
    w.s->bodies->motion[i].velocity.x = -approach * (double)w.s->bodies->id[i];
  steps(w, 1);
  double sum = 0;
  int contacts = 0;
  for (int32_t k = 0; k < w.s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *b = &w.s->contacts->batch[k];
      if (b->mass[l] == 0) continue;
      const scree_global id = w.s->bodies->id[b->i[l]];
      if (id < border || id >= count - border) continue;
      sum += b->px[l];
      contacts++;
    }
  end(w);
  return sum / contacts / (0.5 * mass * approach);
}

static double mean_first_force(const char *order) {
  double sum = 0;
  const int seeds = effort(16);
  for (int seed = 0; seed < seeds; seed++) sum += first_force(order, seed) / seeds;
  return sum;
}

static void random_sweep_has_the_q_of_the_theory(void **state) {
  (void)state;
  const double measured = mean_first_force("random");
  print_message("random: 2q = %.4f, theory %.4f\n", measured, 2 * q_random());
  assert_near(measured, 2 * q_random(), fewer_seeds(16) * 0.006);
}

static void tiled_order_has_its_own_q(void **state) {
  (void)state;
  const double measured = mean_first_force("tiled");
  print_message("tiled: 2q = %.4f, documented %.4f\n", measured, 2 * q_tiled);
  assert_near(measured, 2 * q_tiled, fewer_seeds(16) * 0.006);
}

// ---- the hit ----------------------------------------------------------------

/// Fifty discs thrown against a wall and pressed there; the motion of the last one after the last contact has opened, fitted by a damped sine.
static scree_damped_sine hit(const char *order, int sweeps, int seed) {
  enum { count = 50, most = 6000 };
  // F = 0.05 d m/dt^2 towards the wall at x = 0, which is one diameter away from the first disc.
  world w =
      begin("packing: {dimension: 2, chain: {count: %d, radius: 0.5, origin: [1.5, 0]}, names: "
            "[{name: tip, id: %d}]}\n"
            "walls: [{name: wall, plane: {point: [0, 0], normal: [1, 0]}}]\n"
            "forces: {constant: [{body: tip, force: [%.17g, 0]}]}\n"
            "solver: {time_step: 1, order: %s, seed: %d, sweeps: {fixed: %d}}\nrun: {steps: 1}\n",
            count, count - 1, -0.05 * pi / 4, order, seed, sweeps);
  double *t = malloc(most * sizeof *t), *x = malloc(most * sizeof *x);
  const double decay = 2 / (q_random() * sweeps * pow(0.5 * pi / count, 2));
  const int steps_wanted = (int)fmin(most, 400 + 12 * decay);
  int last_open = 0;
  for (int n = 0; n < steps_wanted; n++) {
    steps(w, 1);
    t[n] = n;
    x[n] = position(w, count - 1).x;
    if (scree_simulation_observe(w.s).contacts < count) last_open = n;
  }
  // What the last opening left behind dies out; the next mode decays nine times faster than the longest.
  int from = last_open + (int)(2 * decay), to = from + (int)(3 * decay);
  if (to > steps_wanted) to = steps_wanted;
  scree_damped_sine fit;
  scree_error error;
  if (!scree_fit_damped_sine(t + from, x + from, to - from, &fit, &error))
    fail_msg("%s", error.text);
  free(t);
  free(x);
  end(w);
  return fit;
}

static void check_hits(const char *order, double q) {
  static const int sweeps[] = {10, 20, 40, 80};
  for (int k = 0; k < 4; k++) {
    double frequency = 0, decay = 0;
    const int seeds = effort(8);
    for (int seed = 0; seed < seeds; seed++) {
      const scree_damped_sine fit = hit(order, sweeps[k], seed);
      frequency += fit.frequency / seeds;
      decay += fit.decay / seeds;
    }
    const double wave = 0.5 * pi / 50, c = sqrt(q * sweeps[k]), d = q * sweeps[k];
    const double omega = wave * sqrt(c * c - 0.25 * d * d * wave * wave),
                 tau = 2 / (d * wave * wave);
    print_message("%s N=%d: omega %.5f (theory %.5f, %+.2f %%), tau %.2f (theory %.2f, %+.2f %%)\n",
                  order, sweeps[k], frequency, omega, 100 * (frequency / omega - 1), decay, tau,
                  100 * (decay / tau - 1));
    assert_near(frequency / omega, 1, fewer_seeds(8) * 0.005);
    assert_near(decay / tau, 1, fewer_seeds(8) * 0.03);
  }
}

static void hit_chain_rings_as_the_theory_says_random(void **state) {
  (void)state;
  check_hits("random", q_random());
}

static void hit_chain_rings_as_the_theory_says_tiled(void **state) {
  (void)state;
  check_hits("tiled", q_tiled);
}

// ---- stiffness --------------------------------------------------------------

/// How much the contacts of a closed chain shorten under a little more load, in units of the prediction dF/kappa. Within some
/// sqrt(q N) diameters of the loaded end the force gets there by diffusion, without any motion: those contacts do not count.
static double shrinkage(const char *order, double q, int seed) {
  enum { count = 24, sweeps = 10, first = 1, last = 14 };
  world w =
      begin("packing: {dimension: 2, chain: {count: %d, radius: 0.5, origin: [0.5, 0]}, names: "
            "[{name: tip, id: %d}]}\n"
            "walls: [{name: wall, plane: {point: [0, 0], normal: [1, 0]}}]\n"
            "forces: {constant: [{body: tip, force: [-0.01, 0]}]}\n"
            "solver: {time_step: 1, order: %s, seed: %d, sweeps: {fixed: %d}}\nrun: {steps: 1}\n",
            count, count - 1, order, seed, sweeps);
  steps(w, 600);
  const double before = position(w, last).x - position(w, first).x;
  w.s->force[0].force.x = -0.012;
  steps(w, 600);
  const double shorter = before - (position(w, last).x - position(w, first).x);
  end(w);
  return shorter / (last - first) / (0.002 / (q * (pi / 4) * sweeps));
}

static void loaded_chain_shrinks_as_the_theory_says(void **state) {
  (void)state;
  const int seeds =
      effort(200); // each contact is off by some 60 %: the order of updates leaves its trace
  double random = 0, tiled = 0;
  for (int seed = 0; seed < seeds; seed++) {
    random += shrinkage("random", q_random(), seed) / seeds;
    tiled += shrinkage("tiled", q_tiled, seed) / seeds;
  }
  print_message("shrinkage over theory: random %.4f, tiled %.4f\n", random, tiled);
  assert_near(random, 1, fewer_seeds(200) * 0.02);
  assert_near(tiled, 1, fewer_seeds(200) * 0.02);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_sweep_has_the_q_of_the_theory),
    cmocka_unit_test(tiled_order_has_its_own_q),
    cmocka_unit_test(hit_chain_rings_as_the_theory_says_random),
    cmocka_unit_test(hit_chain_rings_as_the_theory_says_tiled),
    cmocka_unit_test(loaded_chain_shrinks_as_the_theory_says),
};
SCREE_TEST_MAIN(tests)
