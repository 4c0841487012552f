/// \file
/// Damped sine: recovers what was put in, with and without noise, and refuses what holds no oscillation.
#include "scree/fit.h"
#include "scree_test.h"

#include <math.h>
#include <string.h>

enum { count = 400 };
static double t[count], x[count];

static void make(double omega, double tau, double phase, double noise) {
  unsigned long long state = 88172645463325252ULL;
  for (int i = 0; i < count; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    t[i] = 100 + 0.5 * i;
    const double s = t[i] - t[0], random = (double)(state >> 11) * 0x1p-53 - 0.5;
    x[i] = 3 + 0.2 * exp(-s / tau) * sin(omega * s + phase) + noise * random;
  }
}

static void recovers_exact_data(void **state) {
  (void)state;
  for (double omega = 0.1; omega < 3; omega *= 2)
    for (double tau = 20; tau < 500; tau *= 3)
      for (double phase = 0; phase < 6; phase += 1.1) {
        scree_damped_sine fit;
        scree_error error;
        make(omega, tau, phase, 0);
        if (!scree_fit_damped_sine(t, x, count, &fit, &error))
          fail_msg("%g %g %g: %s", omega, tau, phase, error.text);
        assert_true(fabs(fit.frequency / omega - 1) < 1e-6 && fabs(fit.decay / tau - 1) < 1e-5);
        assert_true(fabs(fit.offset - 3) < 1e-6 && fabs(fit.amplitude / 0.2 - 1) < 1e-5 &&
                    fit.residual < 1e-5);
        assert_true(fabs(sin(fit.phase) - sin(phase)) < 1e-4 &&
                    fabs(cos(fit.phase) - cos(phase)) < 1e-4);
      }
}

static void bears_noise(void **state) {
  (void)state;
  scree_damped_sine fit;
  scree_error error;
  make(0.3, 60, 1, 0.02);
  assert_true(scree_fit_damped_sine(t, x, count, &fit, &error));
  assert_true(fabs(fit.frequency / 0.3 - 1) < 0.01 && fabs(fit.decay / 60 - 1) < 0.1);
}

static void assert_refused(int points, const char *reason) {
  scree_damped_sine fit;
  scree_error error = {.text = ""};
  assert_false(scree_fit_damped_sine(t, x, points, &fit, &error));
  assert_int_equal(error.exit_code, SCREE_EXIT_INPUT);
  if (!strstr(error.text, reason)) fail_msg("'%s' is not in '%s'", reason, error.text);
}

static void refuses_what_does_not_swing(void **state) {
  (void)state;
  make(0.3, 60, 1, 0);
  assert_refused(10, "fewer than 20 points");
  x[7] = NAN;
  assert_refused(count, "not finite");
  for (int i = 0; i < count; i++) x[i] = 5;
  assert_refused(count, "less than three times");
  for (int i = 0; i < count; i++) x[i] = exp(-0.01 * i);
  assert_refused(count, "less than three times");
  make(0.3, 60, 1, 0);
  t[5] = t[4];
  assert_refused(count, "times do not ascend");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(recovers_exact_data),
    cmocka_unit_test(bears_noise),
    cmocka_unit_test(refuses_what_does_not_swing),
};
SCREE_TEST_MAIN(tests)
