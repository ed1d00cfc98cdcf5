// Random numbers without a state: Philox4x32-10, a keyed bijection of 128-bit counters (Salmon et al. 2011). A number
// is a function of seed, stream, index and dimension alone, in integers: any order, any thread, the same bits
// everywhere.
//
// key     = seed, low word first
// counter = index, low word first; dimension; stream
// result  = the first two words of the block, low word first, as 64 bits; a uniform number has the upper 53 of them
#ifndef TS_SAMPLING_PHILOX_H
#define TS_SAMPLING_PHILOX_H

#include <stdint.h>

// Streams keep purposes apart that have a seed in common. Those from here on belong to this layer.
#define TS_STREAM_OWN      UINT32_C(0xffffff00)
#define TS_STREAM_STRATA   (TS_STREAM_OWN + 0) // which stratum of a Latin hypercube
#define TS_STREAM_JITTER   (TS_STREAM_OWN + 1) // where in the stratum
#define TS_STREAM_SCRAMBLE (TS_STREAM_OWN + 2) // bits of Sobol's points
#define TS_STREAM_DIGITS   (TS_STREAM_OWN + 3) // digits of Halton's points

// One block: ten rounds.
void ts_philox_block(const uint32_t counter[4], const uint32_t key[2], uint32_t block[4]);

uint64_t ts_philox_bits(uint64_t seed, uint32_t stream, uint64_t index, uint32_t dimension);
double ts_philox_uniform(uint64_t seed, uint32_t stream, uint64_t index, uint32_t dimension); // in [0, 1), k 2^-53

#endif
