// Halton's sequence (Halton 1960): the digits of i in a prime base, mirrored at the point; plain and with random digits
// as in Owen (2017). Point i depends on no number of points. Without random digits, points in large bases lie on lines.
#ifndef TS_SAMPLING_HALTON_H
#define TS_SAMPLING_HALTON_H

#include <stdint.h>

#define TS_HALTON_DIMENSIONS 128 // the base is the first prime for dimension 0, 719 for the last dimension
#define TS_HALTON_LIMIT      (UINT64_C(1) << 40) // of indices

// A coordinate of point `index` < TS_HALTON_LIMIT, dimension < TS_HALTON_DIMENSIONS, in [0, 1): the radical inverse,
// correctly rounded. Point 0 is the origin.
double ts_halton(uint64_t index, uint32_t dimension);

// The same point with each digit replaced by its image in a random permutation, another one for each place: as many
// places as a double tells apart. Each point alone is then uniform, and intervals b^-m hold as many of the points as
// before.
double ts_halton_permuted(uint64_t seed, uint64_t index, uint32_t dimension);

#endif
