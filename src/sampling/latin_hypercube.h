// Latin hypercubes (McKay, Beckman and Conover 1979): of n points, in each dimension each stratum [k/n, (k+1)/n) holds
// one. Unlike the sequences beside it the number of points is decided beforehand: with another n all points are others.
#ifndef TS_SAMPLING_LATIN_HYPERCUBE_H
#define TS_SAMPLING_LATIN_HYPERCUBE_H

#include <stdint.h>

// A coordinate of point `index` < n of n points, n <= TS_PERMUTATION_LIMIT, strictly between 0 and 1. It lies inside
// its stratum k by so much that k < n x < k + 1 holds of rounded products, too.
double ts_latin_hypercube(uint64_t seed, uint64_t n, uint64_t index, uint32_t dimension);

#endif
