// Random numbers with a seed: the same sequence everywhere (xoshiro256**, seeded by splitmix64).
#ifndef TS_BASE_RANDOM_H
#define TS_BASE_RANDOM_H

#include <stdint.h>

typedef struct ts_random {
  uint64_t state[4];
} ts_random;

void ts_random_init(ts_random *random, uint64_t seed);
uint64_t ts_random_bits(ts_random *random);
double ts_random_uniform(ts_random *random, double low, double high); // in [low, high)
double ts_random_normal(ts_random *random);                           // mean 0, variance 1
int ts_random_below(ts_random *random, int limit);                    // 0 .. limit-1, limit > 0

#endif
