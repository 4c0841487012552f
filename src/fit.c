/// \file
/// Damped sine: a first guess from the crossings of the rest value and the shrinking of the peaks, refined by cminpack. See scree/fit.h.
#include "scree/fit.h"

#include "scree/memory.h"

#include <cminpack.h>
#include <math.h>

typedef struct data {
  const double *t, *x;
} data;

enum { parameters = 5 }; // offset, two amplitudes, frequency, rate of decay

static const double pi = 3.14159265358979323846;

/// With amplitudes of sine and cosine instead of amplitude and phase only two parameters enter nonlinearly.
static int misses(void *context, int m, int n, const double *p, double *miss, int flag) {
  (void)n;
  (void)flag;
  const data *d = context;
  for (int i = 0; i < m; i++) {
    const double t = d->t[i] - d->t[0];
    miss[i] = p[0] + exp(-p[4] * t) * (p[1] * sin(p[3] * t) + p[2] * cos(p[3] * t)) - d->x[i];
  }
  return 0;
}

/// The value it swings about: mean of the last whole swing would need the period, so take the middle between the last two extremes.
static double rest_value(const double *x, int count) {
  double extreme[2] = {x[count - 1], x[count - 1]};
  int found = 0;
  for (int i = count - 2; i > 0 && found < 2; i--)
    if ((x[i] - x[i - 1]) * (x[i + 1] - x[i]) < 0) extreme[found++] = x[i];
  return found == 2 ? 0.5 * (extreme[0] + extreme[1]) : x[count - 1];
}

/// Frequency from the crossings of the rest value; 0 if there are fewer than three.
static double guess_frequency(const data *d, int count, double rest) {
  double first = 0, last = 0;
  int crossings = 0;
  for (int i = 1; i < count; i++) {
    const double a = d->x[i - 1] - rest, b = d->x[i] - rest;
    if (!((a < 0 && b >= 0) || (a >= 0 && b < 0))) continue;
    const double at = d->t[i - 1] + (d->t[i] - d->t[i - 1]) * a / (a - b);
    if (crossings++ == 0) first = at;
    last = at;
  }
  return crossings < 3 ? 0 : pi * (crossings - 1) / (last - first);
}

/// Rate of decay from the largest swings of the first and the second half.
static double guess_rate(const data *d, int count, double rest) {
  double largest[2] = {0, 0};
  for (int i = 0; i < count; i++) {
    double *half = &largest[2 * i / count];
    *half = fmax(*half, fabs(d->x[i] - rest));
  }
  const double span = d->t[count - 1] - d->t[0];
  if (!(largest[1] > 0) || largest[1] >= largest[0]) return 0.1 / span;
  return 2 * log(largest[0] / largest[1]) / span;
}

static double spread(const double *x, int count) {
  double mean = 0, square = 0;
  for (int i = 0; i < count; i++) mean += x[i] / count;
  for (int i = 0; i < count; i++) square += (x[i] - mean) * (x[i] - mean) / count;
  return sqrt(square);
}

static bool no_oscillation(scree_error *error, const char *reason) {
  return scree_error_set(error, SCREE_EXIT_INPUT, "no damped oscillation found: %s", reason);
}

bool scree_fit_damped_sine(const double *t, const double *x, int count, scree_damped_sine *fit,
                           scree_error *error) {
  if (count < 4 * parameters) return no_oscillation(error, "fewer than 20 points");
  for (int i = 0; i < count; i++)
    if (!isfinite(t[i]) || !isfinite(x[i]) || (i > 0 && t[i] <= t[i - 1]))
      return no_oscillation(error, "a value is not finite, or times do not ascend");
  data d = {t, x};
  const double rest = rest_value(x, count), frequency = guess_frequency(&d, count, rest);
  if (frequency == 0)
    return no_oscillation(error, "it crosses its rest value less than three times");
  double p[parameters] = {rest, 0, x[0] - rest, frequency, guess_rate(&d, count, rest)};
  p[1] = (x[1] - x[0]) / (t[1] - t[0]) / frequency;

  const int work = count * parameters + 5 * parameters + count;
  double *miss = scree_alloc((size_t)count, sizeof *miss),
         *room = scree_alloc((size_t)work, sizeof *room);
  int index[parameters];
  const int info = lmdif1(misses, &d, count, parameters, p, miss, 1e-12, index, room, work);
  double square = 0;
  for (int i = 0; i < count; i++) square += miss[i] * miss[i] / count;
  scree_free(room);
  scree_free(miss);
  if (info < 1 || info > 4) return no_oscillation(error, "the fit does not converge");

  *fit = (scree_damped_sine){.offset = p[0],
                             .amplitude = hypot(p[1], p[2]),
                             .frequency = fabs(p[3]),
                             .decay = 1 / p[4],
                             .phase = atan2(p[3] < 0 ? -p[2] : p[2], p[3] < 0 ? -p[1] : p[1]),
                             .residual = sqrt(square) / spread(x, count)};
  if (!(fit->residual < 0.5)) return no_oscillation(error, "a damped sine does not describe it");
  return true;
}
