/// \file
/// Exact sums: see scree/exact_sum.h.
#include "scree/exact_sum.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { lowest_exponent = 1088 }; // digit 0 has the weight 2^-1088, below the last bit of any double
static const int64_t most_pending = INT64_C(1) << 30; // a digit grows by less than 2^33 per term

// All digits but the last come into [0, 2^32); the last carries the sign.
void scree_exact_carry(scree_exact *sum) {
  for (int k = 0; k < SCREE_EXACT_DIGITS - 1; k++) {
    const int64_t over = sum->digit[k] >> 32; // rounds down: an arithmetic shift
    sum->digit[k] -= over * (INT64_C(1) << 32);
    sum->digit[k + 1] += over;
  }
  sum->pending = 0;
}

void scree_exact_add(scree_exact *sum, double term) {
  uint64_t bits;
  memcpy(&bits, &term, sizeof bits);
  const int biased = (int)(bits >> 52 & 0x7ff);
  if (biased == 0x7ff) {
    sum->not_finite++;
    return;
  }
  // term = mantissa * 2^(exponent - 1075), with exponent 1 for subnormals
  const uint64_t hidden = biased ? UINT64_C(1) << 52 : 0;
  const uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | hidden;
  const int position = (biased ? biased : 1) - 1075 + lowest_exponent;
  const int k = position >> 5, shift = position & 31;
  // The shifted mantissa has at most 53 + 31 bits: three digits.
  const unsigned __int128 wide = (unsigned __int128)mantissa << shift;
  const int64_t low = (int64_t)((uint64_t)wide & 0xffffffff),
                middle = (int64_t)((uint64_t)(wide >> 32) & 0xffffffff),
                high = (int64_t)(wide >> 64);
  const int64_t sign = bits >> 63 ? -1 : 1;
  sum->digit[k] += sign * low;
  sum->digit[k + 1] += sign * middle;
  sum->digit[k + 2] += sign * high;
  if (++sum->pending == most_pending) scree_exact_carry(sum);
}

void scree_exact_merge(scree_exact *sum, const scree_exact *other) {
  scree_exact_carry(sum);
  scree_exact carried = *other;
  scree_exact_carry(&carried);
  for (int k = 0; k < SCREE_EXACT_DIGITS; k++) sum->digit[k] += carried.digit[k];
  sum->pending = 2;
  sum->not_finite += other->not_finite;
}

/// Value of non-negative, carried digits, rounded once: the leading 64 bits with a sticky bit for
/// all below.
static double round_digits(const int64_t *digit) {
  int top = SCREE_EXACT_DIGITS - 1;
  while (top >= 0 && digit[top] == 0) top--;
  if (top < 0) return 0;
  unsigned __int128 lead = 0; // the leading four digits; a missing digit below the first is zero
  for (int k = top; k > top - 4; k--) lead = lead << 32 | (uint64_t)(k >= 0 ? digit[k] : 0);
  int shift = 0;
  while (!(lead >> 127)) {
    lead <<= 1;
    shift++;
  }
  int exponent = 32 * (top - 3) - lowest_exponent - shift; // lead * 2^exponent
  uint64_t sticky = (uint64_t)lead != 0;
  for (int k = top - 4; k >= 0 && !sticky; k--) sticky = digit[k] != 0;
  uint64_t head = (uint64_t)(lead >> 64);
  exponent += 64;
  // Every sum is a multiple of the smallest subnormal, so a subnormal result is exact and 53 bits are always right to keep.
  const uint64_t kept = head >> 11, rest = head << 53, half = UINT64_C(1) << 63;
  const uint64_t up = rest > half || (rest == half && (sticky || (kept & 1)));
  return ldexp((double)(kept + up), exponent + 11);
}

double scree_exact_value(const scree_exact *sum) {
  if (sum->not_finite) return (double)NAN;
  scree_exact s = *sum;
  scree_exact_carry(&s);
  const bool negative = s.digit[SCREE_EXACT_DIGITS - 1] < 0;
  if (negative) {
    for (int k = 0; k < SCREE_EXACT_DIGITS; k++) s.digit[k] = -s.digit[k];
    scree_exact_carry(&s);
  }
  const double magnitude = round_digits(s.digit);
  return negative ? -magnitude : magnitude;
}
