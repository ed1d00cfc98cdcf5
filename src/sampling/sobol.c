#include "sampling/sobol.h"

#include "base/assert.h"
#include "sampling/philox.h"

enum { BITS = 53 };

// v_j, j = 1 .. count, as multiples of 2^-53: m_j 2^-j for j <= s, then by the recurrence of the polynomial (Joe and
// Kuo 2008): v_j = a_1 v_(j-1) + .. + a_(s-1) v_(j-s+1) + v_(j-s) + v_(j-s) / 2^s, bit by bit modulo 2.
static void direction_numbers(uint32_t dimension, int count, uint64_t v[BITS])
{
  if (dimension == 0) {
    for (int j = 0; j < count; ++j) v[j] = UINT64_C(1) << (BITS - 1 - j);
    return;
  }
  const ts_sobol_numbers *row = &ts_sobol_table[dimension - 1];
  const int s = row->degree;
  for (int j = 0; j < count; ++j) {
    if (j < s) {
      v[j] = (uint64_t)row->initial[j] << (BITS - 1 - j);
      continue;
    }
    v[j] = v[j - s] ^ (v[j - s] >> s);
    for (int k = 1; k < s; ++k)
      if (row->coefficients >> (s - 1 - k) & 1) v[j] ^= v[j - k];
  }
}

static uint64_t point_bits(uint64_t index, uint32_t dimension)
{
  TS_ASSERT(index < TS_SOBOL_LIMIT && dimension < TS_SOBOL_DIMENSIONS);
  int count = 0;
  while (index >> count) ++count;
  uint64_t v[BITS], x = 0;
  direction_numbers(dimension, count, v);
  for (int j = 0; j < count; ++j)
    if (index >> j & 1) x ^= v[j];
  return x;
}

// Bits are the branches of a binary tree, and each node has a random bit that changes what follows. 64 random bits
// serve the 63 nodes of six levels below a node. Nodes count as in a heap: the root is 1, below n are 2 n and 2 n + 1.
enum { LEVELS = 6 };

static uint64_t scrambled(uint64_t seed, uint32_t dimension, uint64_t x)
{
  uint64_t node = 1, place = 1, flips = 0, result = 0; // the place of the node among the 63
  for (int level = 0; level < BITS; ++level) {
    if (level % LEVELS == 0) {
      flips = ts_philox_bits(seed, TS_STREAM_SCRAMBLE, node, dimension);
      place = 1;
    }
    const uint64_t bit = x >> (BITS - 1 - level) & 1;
    result = result << 1 | (bit ^ (flips >> place & 1));
    node = node << 1 | bit;
    place = place << 1 | bit;
  }
  return result;
}

double ts_sobol(uint64_t index, uint32_t dimension)
{
  return (double)point_bits(index, dimension) * 0x1p-53;
}

double ts_sobol_scrambled(uint64_t seed, uint64_t index, uint32_t dimension)
{
  return (double)scrambled(seed, dimension, point_bits(index, dimension)) * 0x1p-53;
}
