#include "base/random.h"

#include <math.h>

static uint64_t splitmix(uint64_t *x)
{
  uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

void ts_random_init(ts_random *random, uint64_t seed)
{
  for (int i = 0; i < 4; ++i) random->state[i] = splitmix(&seed);
}

static uint64_t rotate(uint64_t x, int k)
{
  return (x << k) | (x >> (64 - k));
}

uint64_t ts_random_bits(ts_random *random)
{
  uint64_t *s = random->state;
  const uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

double ts_random_uniform(ts_random *random, double low, double high)
{
  const double unit = (double)(ts_random_bits(random) >> 11) * 0x1p-53;
  const double x = low + (high - low) * unit;
  return x < high ? x : nextafter(high, low); // the sum may round up to the end that is excluded
}

// Marsaglia's polar method; the second of the pair is dropped, so that the state is the integers alone.
double ts_random_normal(ts_random *random)
{
  for (;;) {
    const double x = ts_random_uniform(random, -1.0, 1.0), y = ts_random_uniform(random, -1.0, 1.0);
    const double s = x * x + y * y;
    if (s > 0.0 && s < 1.0) return x * sqrt(-2.0 * log(s) / s);
  }
}

int ts_random_below(ts_random *random, int limit)
{
  const uint64_t n = (uint64_t)limit, largest = UINT64_MAX - UINT64_MAX % n;
  uint64_t bits;
  do bits = ts_random_bits(random);
  while (bits >= largest);
  return (int)(bits % n);
}
