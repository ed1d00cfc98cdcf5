// A random permutation of 0 .. n-1 that is nowhere stored: each image is a function of seed, stream, dimension and n.
#ifndef TS_SAMPLING_PERMUTATION_H
#define TS_SAMPLING_PERMUTATION_H

#include <stdint.h>

#define TS_PERMUTATION_LIMIT (UINT64_C(1) << 40) // the largest n

// The image of `index` < n. Stream and dimension choose the permutation, as they choose numbers of ts_philox_bits().
uint64_t ts_permutation(uint64_t seed, uint32_t stream, uint32_t dimension, uint64_t n, uint64_t index);

#endif
