#include "sampling/philox.h"

// Multipliers, and increments of the keys: Salmon et al. (2011).
static const uint32_t MULTIPLIERS[2] = {UINT32_C(0xd2511f53), UINT32_C(0xcd9e8d57)};
static const uint32_t INCREMENTS[2] = {UINT32_C(0x9e3779b9), UINT32_C(0xbb67ae85)};

enum { ROUNDS = 10 };

void ts_philox_block(const uint32_t counter[4], const uint32_t key[2], uint32_t block[4])
{
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int round = 0; round < ROUNDS; ++round) {
    const uint64_t first = (uint64_t)MULTIPLIERS[0] * c[0], second = (uint64_t)MULTIPLIERS[1] * c[2];
    c[0] = (uint32_t)(second >> 32) ^ c[1] ^ k[0];
    c[1] = (uint32_t)second;
    c[2] = (uint32_t)(first >> 32) ^ c[3] ^ k[1];
    c[3] = (uint32_t)first;
    k[0] += INCREMENTS[0];
    k[1] += INCREMENTS[1];
  }
  for (int i = 0; i < 4; ++i) block[i] = c[i];
}

uint64_t ts_philox_bits(uint64_t seed, uint32_t stream, uint64_t index, uint32_t dimension)
{
  const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), dimension, stream};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t block[4];
  ts_philox_block(counter, key, block);
  return (uint64_t)block[1] << 32 | block[0];
}

double ts_philox_uniform(uint64_t seed, uint32_t stream, uint64_t index, uint32_t dimension)
{
  return (double)(ts_philox_bits(seed, stream, index, dimension) >> 11) * 0x1p-53;
}
