// FNV-1a of 64 bits: quick numbers for texts, the same on every machine. Not proof against those who look for equal ones.
#ifndef TS_BASE_HASH_H
#define TS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TS_HASH_BEGIN UINT64_C(14695981039346656037)

// The number of all bytes so far, `hash`, with further ones.
static inline uint64_t ts_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
  const unsigned char *from = bytes;
  for (size_t i = 0; i < count; ++i) hash = (hash ^ from[i]) * UINT64_C(1099511628211);
  return hash;
}

// Of a text with its end, so that "ab", "c" is not "a", "bc".
static inline uint64_t ts_hash_text(uint64_t hash, const char *text)
{
  return ts_hash_bytes(hash, text, strlen(text) + 1);
}

#endif
