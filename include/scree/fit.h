/// \file
/// Fits to time series: a damped sine by Levenberg–Marquardt. The only caller of cminpack is fit.c.
#pragma once
#include "scree/check.h"

/// x(t) = offset + amplitude exp(-t/decay) sin(frequency t + phase); t counts from the first point.
typedef struct scree_damped_sine {
  double offset, amplitude, frequency, decay, phase;
  double
      residual; ///< root mean square of what the curve misses, over that of the data about their mean
} scree_damped_sine;

/// Fit `count` points. Returns false with `error` (exit code 2) if they hold no oscillation to fit.
bool scree_fit_damped_sine(const double *t, const double *x, int count, scree_damped_sine *fit,
                           scree_error *error);
