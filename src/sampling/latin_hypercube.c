#include "sampling/latin_hypercube.h"

#include "base/assert.h"
#include "sampling/permutation.h"
#include "sampling/philox.h"

// x = (k + (j + 1/2) 2^-m) / n: a permutation says k, random bits say j < 2^m. m leaves 51 bits to the numerator, which
// is an integer times 2^-(m+1): from the ends of the stratum x is away by 2^-51 of its size at least, and the division
// rounds by no more than 2^-53 of it.
enum { BITS = 50 };

double ts_latin_hypercube(uint64_t seed, uint64_t n, uint64_t index, uint32_t dimension)
{
  TS_ASSERT(index < n && n <= TS_PERMUTATION_LIMIT);
  int m = BITS;
  while ((n - 1) >> (BITS - m)) --m;
  const uint64_t k = ts_permutation(seed, TS_STREAM_STRATA, dimension, n, index);
  const uint64_t j = ts_philox_bits(seed, TS_STREAM_JITTER, index, dimension) >> (64 - m);
  return (double)(k << (m + 1) | j << 1 | 1) / (double)(n << (m + 1));
}
