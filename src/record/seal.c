#define _POSIX_C_SOURCE 200809L // fseeko
#include "record/seal.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

// The mark, then the sum as 8 bytes, lowest first.
enum { MARK_SIZE = 8, SEAL_SIZE = 16, BLOCK_SIZE = 1 << 16 };
static const char mark[MARK_SIZE + 1] = "TSRUNSUM";

// Fletcher's idea with 64 bits: a sum of words, and a sum of its values that makes their order count. A change of a
// single byte always changes the first sum.
typedef struct sums {
  uint64_t plain, weighted;
} sums;

static void add_bytes(sums *s, const unsigned char *bytes, size_t count)
{
  for (size_t at = 0; at < count; at += 8) {
    uint64_t word = 0;
    for (size_t k = 0; k < 8 && at + k < count; ++k) word |= (uint64_t)bytes[at + k] << (8 * k);
    s->plain += word;
    s->weighted += s->plain;
  }
}

// Blocks have a multiple of 8 bytes, but for the last.
static uint64_t sum_of(FILE *file, off_t bytes)
{
  unsigned char block[BLOCK_SIZE];
  sums s = {1, 0};
  while (bytes > 0) {
    const size_t wanted = bytes < BLOCK_SIZE ? (size_t)bytes : BLOCK_SIZE;
    if (fread(block, 1, wanted, file) != wanted) break;
    add_bytes(&s, block, wanted);
    bytes -= (off_t)wanted;
  }
  return s.plain ^ (s.weighted << 1 | s.weighted >> 63);
}

static void make_seal(uint64_t sum, unsigned char seal[static SEAL_SIZE])
{
  memcpy(seal, mark, MARK_SIZE);
  for (int k = 0; k < 8; ++k) seal[MARK_SIZE + k] = (unsigned char)(sum >> (8 * k));
}

// -1 when the file cannot be measured.
static off_t size_of(FILE *file)
{
  if (fseeko(file, 0, SEEK_END) != 0) return -1;
  const off_t size = ftello(file);
  return fseeko(file, 0, SEEK_SET) == 0 ? size : -1;
}

static ts_seal check_file(FILE *file)
{
  unsigned char found[SEAL_SIZE], expected[SEAL_SIZE];
  const off_t size = size_of(file);
  if (size < 0) return TS_SEAL_UNREADABLE;
  if (size < SEAL_SIZE) return TS_SEAL_MISSING;
  make_seal(sum_of(file, size - SEAL_SIZE), expected);
  if (fread(found, 1, SEAL_SIZE, file) != SEAL_SIZE) return TS_SEAL_UNREADABLE;
  if (memcmp(found, mark, MARK_SIZE) != 0) return TS_SEAL_MISSING;
  return memcmp(found, expected, SEAL_SIZE) == 0 ? TS_SEAL_INTACT : TS_SEAL_BROKEN;
}

ts_seal ts_seal_check(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file) return TS_SEAL_UNREADABLE;
  const ts_seal seal = check_file(file);
  fclose(file);
  return seal;
}

static int write_behind(FILE *file)
{
  unsigned char seal[SEAL_SIZE];
  const off_t size = size_of(file);
  if (size < 0) return errno;
  make_seal(sum_of(file, size), seal);
  if (ferror(file) || fseeko(file, 0, SEEK_END) != 0) return errno;
  return fwrite(seal, 1, SEAL_SIZE, file) == SEAL_SIZE ? 0 : errno;
}

int ts_seal_write(const char *path)
{
  FILE *file = fopen(path, "r+b");
  if (!file) return errno;
  const int failure = write_behind(file);
  return fclose(file) == 0 || failure ? failure : errno;
}
