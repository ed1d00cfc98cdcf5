// Seals: a sum of all bytes behind a file, and what is read to find that it does not fit.
#define _GNU_SOURCE // SEEK_HOLE
#include "record/seal.h"

#include "scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { SEAL_SIZE = 16 };
static const long long TEBIBYTE = 1LL << 40;

static void write_at(const char *path, long long at, const void *bytes, size_t count)
{
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  assert_true(file >= 0);
  assert_int_equal(pwrite(file, bytes, count, at), count);
  close(file);
}

// A file of zeros of which nothing is stored; the test is skipped where the file system stores them, or has no room.
static void make_hole(const char *path, long long size)
{
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0);
  const int cut = ftruncate(file, size);
  struct stat about;
  fstat(file, &about);
  const bool sparse = cut == 0 && about.st_blocks < size / 512 && lseek(file, 0, SEEK_HOLE) == 0;
  close(file);
  if (sparse) return;
  unlink(path);
  skip();
}

// Sealed by a sum over all bytes, checked by one over those that are stored.
static void sparse_files_have_the_same_sum(void **state)
{
  static const char text[] = "numbers between zeros";
  static const long long sizes[] = {1 << 20, (1 << 20) + 3, (1 << 20) + 8};
  const char *path = scratch_path(*state, "run.h5");
  for (int k = 0; k < 3; ++k)
    for (int where = 0; where < 4; ++where) {
      make_hole(path, sizes[k]);
      write_at(path,
               where == 0   ? 0
               : where == 1 ? 5 * 4096 - 7
               : where == 2 ? sizes[k] - 30
                            : 77777,
               text, sizeof text);
      if (where == 3) write_at(path, 0, text, sizeof text);
      assert_int_equal(ts_seal_write(path), 0);
      assert_int_equal(ts_seal_check(path, (uint64_t)sizes[k]), TS_SEAL_INTACT);
      write_at(path, 500000, "x", 1);
      assert_int_equal(ts_seal_check(path, (uint64_t)sizes[k]), TS_SEAL_BROKEN);
    }
}

// Files that claim a tebibyte: nobody waits until that is read.
static void what_is_not_stored_is_not_read(void **state)
{
  const char *path = scratch_path(*state, "run.h5");
  make_hole(path, TEBIBYTE);
  assert_int_equal(ts_seal_check(path, (uint64_t)(TEBIBYTE - SEAL_SIZE)), TS_SEAL_MISSING);
  write_at(path, TEBIBYTE - SEAL_SIZE, "TSRUNSUM", 8);
  assert_int_equal(ts_seal_check(path, (uint64_t)(TEBIBYTE - SEAL_SIZE)), TS_SEAL_BROKEN);
  // The sum of n words of zeros, which begins with 1, is 1, and that of its values n.
  const uint64_t n = (uint64_t)(TEBIBYTE - SEAL_SIZE) / 8, sum = 1 ^ (n << 1 | n >> 63);
  unsigned char bytes[8];
  for (int k = 0; k < 8; ++k) bytes[k] = (unsigned char)(sum >> (8 * k));
  write_at(path, TEBIBYTE - 8, bytes, sizeof bytes);
  assert_int_equal(ts_seal_check(path, (uint64_t)(TEBIBYTE - SEAL_SIZE)), TS_SEAL_INTACT);
}

static void seals_stand_where_the_file_ends(void **state)
{
  const char *path = scratch_path(*state, "run.h5");
  scratch_write(path, "12345", 5);
  assert_int_equal(ts_seal_check(path, 5), TS_SEAL_MISSING);
  assert_int_equal(ts_seal_write(path), 0);
  assert_int_equal(ts_seal_check(path, 5), TS_SEAL_INTACT);
  assert_int_equal(ts_seal_check(path, 4), TS_SEAL_BROKEN);
  assert_int_equal(ts_seal_check(scratch_path(*state, "none.h5"), 5), TS_SEAL_UNREADABLE);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(sparse_files_have_the_same_sum),
      scratch_test(what_is_not_stored_is_not_read),
      scratch_test(seals_stand_where_the_file_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
