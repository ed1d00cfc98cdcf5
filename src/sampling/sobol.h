// Sobol's sequence with the direction numbers of Joe and Kuo (2008), plain and with the nested uniform scrambling of
// Owen (1995). Point i depends on no number of points: a study grows by going on. The first 2^m points are the most
// even ones.
#ifndef TS_SAMPLING_SOBOL_H
#define TS_SAMPLING_SOBOL_H

#include "sampling/sobol_numbers.h"

#include <stdint.h>

#define TS_SOBOL_LIMIT (UINT64_C(1) << 53) // of indices

// A coordinate of point `index` < TS_SOBOL_LIMIT, dimension < TS_SOBOL_DIMENSIONS: a multiple of 2^-53 in [0, 1). Point
// 0 is the origin. In the order of indices, not in that of a Gray code: where others list point i, this is point i ^ (i
// >> 1).
double ts_sobol(uint64_t index, uint32_t dimension);

// The same point scrambled: each bit is changed or not, at random for each value of the bits before it. Each point
// alone is then uniform in [0, 1), and intervals of 2^-m hold as many of the points as before.
double ts_sobol_scrambled(uint64_t seed, uint64_t index, uint32_t dimension);

#endif
