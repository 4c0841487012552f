/// \file
/// Sums of doubles that do not depend on the order of their terms: a fixed-point number wide enough
/// for every double. The result is the exact sum, rounded once. Adding costs a few nanoseconds.
#pragma once
#include <stdint.h>

/// Digits of 32 bits, each in a 64-bit integer so that carries can wait. Digit k has the weight
/// 2^(32 k - 1088).
enum { SCREE_EXACT_DIGITS = 68 };

typedef struct scree_exact {
  int64_t digit[SCREE_EXACT_DIGITS];
  int64_t pending;    ///< terms since the last carry
  int64_t not_finite; ///< terms that were infinite or NaN; the sum is then NaN
} scree_exact;

/// An empty sum is `(scree_exact){0}`.
void scree_exact_add(scree_exact *sum, double term);
/// The sum so far, correctly rounded (to nearest, ties to even).
double scree_exact_value(const scree_exact *sum);
/// Bring the digits into their normal range, which every sum must be in before it is added to others
/// digit by digit; the value stays.
void scree_exact_carry(scree_exact *sum);
/// Add `other` to `sum`: this is how ranks combine theirs.
void scree_exact_merge(scree_exact *sum, const scree_exact *other);
