// Numbers in files, lowest byte first on every machine.
#ifndef TS_STUDY_BYTES_H
#define TS_STUDY_BYTES_H

#include <stdint.h>
#include <string.h>

static inline void ts_bytes_put_32(unsigned char *at, uint32_t value)
{
  for (int k = 0; k < 4; ++k) at[k] = (unsigned char)(value >> (8 * k));
}

static inline void ts_bytes_put_64(unsigned char *at, uint64_t value)
{
  for (int k = 0; k < 8; ++k) at[k] = (unsigned char)(value >> (8 * k));
}

static inline void ts_bytes_put_double(unsigned char *at, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  ts_bytes_put_64(at, bits);
}

static inline uint32_t ts_bytes_get_32(const unsigned char *at)
{
  uint32_t value = 0;
  for (int k = 0; k < 4; ++k) value |= (uint32_t)at[k] << (8 * k);
  return value;
}

static inline uint64_t ts_bytes_get_64(const unsigned char *at)
{
  uint64_t value = 0;
  for (int k = 0; k < 8; ++k) value |= (uint64_t)at[k] << (8 * k);
  return value;
}

#endif
