#define _GNU_SOURCE // SEEK_DATA
#include "record/seal.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

// The mark, then the sum as 8 bytes, lowest first.
enum { MARK_SIZE = 8, SEAL_SIZE = 16, BLOCK_SIZE = 1 << 16 };
static const char mark[MARK_SIZE + 1] = "TSRUNSUM";

// Fletcher's idea with 64 bits: a sum of words, and a sum of its values that makes their order count. A change of a
// single byte always changes the first sum.
typedef struct sums {
  uint64_t plain, weighted;
} sums;

static uint64_t both(const sums *s)
{
  return s->plain ^ (s->weighted << 1 | s->weighted >> 63);
}

static void add_bytes(sums *s, const unsigned char *bytes, size_t count)
{
  for (size_t at = 0; at < count; at += 8) {
    uint64_t word = 0;
    for (size_t k = 0; k < 8 && at + k < count; ++k) word |= (uint64_t)bytes[at + k] << (8 * k);
    s->plain += word;
    s->weighted += s->plain;
  }
}

// As many zeros.
static void add_zeros(sums *s, off_t count)
{
  s->weighted += s->plain * (((uint64_t)count + 7) / 8);
}

// From where the file is. Blocks have a multiple of 8 bytes, but for the last.
static void add_stretch(sums *s, FILE *file, off_t bytes)
{
  unsigned char block[BLOCK_SIZE];
  while (bytes > 0) {
    const size_t wanted = bytes < BLOCK_SIZE ? (size_t)bytes : BLOCK_SIZE;
    if (fread(block, 1, wanted, file) != wanted) break;
    add_bytes(s, block, wanted);
    bytes -= (off_t)wanted;
  }
}

static uint64_t sum_of_all(FILE *file, off_t bytes)
{
  sums s = {1, 0};
  add_stretch(&s, file, bytes);
  return both(&s);
}

// The next place from `at` on where something is stored (SEEK_DATA), or where nothing is (SEEK_HOLE): a multiple of 8,
// or the end.
static off_t next_place(FILE *file, off_t at, int what, off_t end)
{
  const off_t found = lseek(fileno(file), at, what);
  if (found < 0) return what == SEEK_DATA && errno != ENXIO ? at : end;
  const off_t whole = what == SEEK_DATA ? found / 8 * 8 : (found + 7) / 8 * 8;
  return whole < end ? whole : end;
}

// The same sum of a sparse file: zeros that are not stored are not read.
static uint64_t sum_of_stored(FILE *file, off_t bytes)
{
  sums s = {1, 0};
  for (off_t at = 0; at < bytes;) {
    const off_t data = next_place(file, at, SEEK_DATA, bytes), hole = next_place(file, data, SEEK_HOLE, bytes);
    add_zeros(&s, data - at);
    if (fseeko(file, data, SEEK_SET) != 0) break;
    add_stretch(&s, file, hole - data);
    at = hole > at ? hole : bytes;
  }
  return both(&s);
}

static bool is_sparse(FILE *file)
{
  struct stat about;
  return fstat(fileno(file), &about) == 0 && about.st_blocks < about.st_size / 512;
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

static ts_seal check_file(FILE *file, uint64_t bytes)
{
  unsigned char found[SEAL_SIZE], expected[SEAL_SIZE];
  const off_t size = size_of(file), sealed = size - SEAL_SIZE;
  if (size < 0) return TS_SEAL_UNREADABLE;
  if (size < SEAL_SIZE) return TS_SEAL_MISSING;
  if (fseeko(file, sealed, SEEK_SET) != 0 || fread(found, 1, SEAL_SIZE, file) != SEAL_SIZE) return TS_SEAL_UNREADABLE;
  if (memcmp(found, mark, MARK_SIZE) != 0) return TS_SEAL_MISSING;
  if ((uint64_t)sealed != bytes) return TS_SEAL_BROKEN;
  if (fseeko(file, 0, SEEK_SET) != 0) return TS_SEAL_UNREADABLE;
  make_seal(is_sparse(file) ? sum_of_stored(file, sealed) : sum_of_all(file, sealed), expected);
  return memcmp(found, expected, SEAL_SIZE) == 0 ? TS_SEAL_INTACT : TS_SEAL_BROKEN;
}

ts_seal ts_seal_check(const char *path, uint64_t bytes)
{
  FILE *file = fopen(path, "rb");
  if (!file) return TS_SEAL_UNREADABLE;
  const ts_seal seal = check_file(file, bytes);
  fclose(file);
  return seal;
}

static int write_behind(FILE *file)
{
  unsigned char seal[SEAL_SIZE];
  const off_t size = size_of(file);
  if (size < 0) return errno;
  make_seal(sum_of_all(file, size), seal);
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
