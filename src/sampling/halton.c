#include "sampling/halton.h"

#include "base/assert.h"
#include "sampling/permutation.h"
#include "sampling/philox.h"

#include <stddef.h>

static const uint64_t PRIMES[TS_HALTON_DIMENSIONS] = {
    2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,  59,  61,  67,  71,  73,  79,
    83,  89,  97,  101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193,
    197, 199, 211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311, 313, 317,
    331, 337, 347, 349, 353, 359, 367, 373, 379, 383, 389, 397, 401, 409, 419, 421, 431, 433, 439, 443, 449, 457,
    461, 463, 467, 479, 487, 491, 499, 503, 509, 521, 523, 541, 547, 557, 563, 569, 571, 577, 587, 593, 599, 601,
    607, 613, 617, 619, 631, 641, 643, 647, 653, 659, 661, 673, 677, 683, 691, 701, 709, 719};

// x = N / b^K with integers below 2^53, rounded once: N <= b^K - 1 keeps x below 1. K is the largest that fits, so that
// b^K > 2^53 / b > TS_HALTON_LIMIT and no digit of an index is lost. Without `seed` the digits stay as they are.
static double mirrored(const uint64_t *seed, uint64_t index, uint32_t dimension)
{
  TS_ASSERT(index < TS_HALTON_LIMIT && dimension < TS_HALTON_DIMENSIONS);
  const uint64_t base = PRIMES[dimension], largest = (UINT64_C(1) << 53) / base;
  uint64_t numerator = 0, denominator = 1;
  for (uint32_t place = 0; denominator <= largest; ++place) {
    uint64_t digit = index % base;
    if (seed) digit = ts_permutation(*seed, TS_STREAM_DIGITS, dimension << 6 | place, base, digit);
    numerator = numerator * base + digit;
    denominator *= base;
    index /= base;
  }
  return (double)numerator / (double)denominator;
}

double ts_halton(uint64_t index, uint32_t dimension)
{
  return mirrored(NULL, index, dimension);
}

double ts_halton_permuted(uint64_t seed, uint64_t index, uint32_t dimension)
{
  return mirrored(&seed, index, dimension);
}
