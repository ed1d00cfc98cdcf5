// Readers of journals: all whole rows are told, and nothing that was not appended, whatever has become of the files.
#define _POSIX_C_SOURCE 200809L // mkfifo
#include "study/journal.h"

#include "study/bytes.h"

#include "journal_rows.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static void many_rows_are_read_back_and_found_again(void **state)
{
  enum { ROWS = 100000, MOST = 300 };
  char path[JOURNAL_PATH];
  size_t bytes;
  free(journal_make(*state, ROWS, MOST, path, &bytes));
  ts_journal_set *set;
  ts_journal_row row;
  journal_told *t = journal_told_create(MOST);
  const ts_journal_listener listener = journal_listener(t);
  t->places = malloc(ROWS * sizeof *t->places);
  ts_journal_counts counts;
  assert_int_equal(ts_journal_set_open(((scratch_folder *)*state)->path, &journal_identity, &set, NULL), TS_OK);
  assert_int_equal(ts_journal_set_scan(set, &listener, &counts, NULL), TS_OK);
  assert_true(counts.rows == ROWS && counts.torn == 0 && counts.damaged == 0);
  for (uint64_t k = 0; k < ROWS; ++k) { // in a disorder
    const uint64_t trial = k * 61803 % ROWS;
    assert_int_equal(ts_journal_set_read(set, t->places[trial], &row, NULL), TS_OK);
    assert_int_equal(row.trial, trial);
    assert_int_equal(row.size, journal_payload(trial, MOST, t->payload));
    assert_memory_equal(row.payload, t->payload, row.size);
  }
  ts_error error = {0};
  t->places[0].offset += 1;
  assert_int_equal(ts_journal_set_read(set, t->places[0], &row, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "no whole row at byte 49"));
  ts_journal_set_close(set);
  free(t->places);
  free(t);
}

// The lowest descriptor that is free.
static int free_descriptor(void)
{
  const int descriptor = dup(STDERR_FILENO);
  assert_true(descriptor >= 0);
  close(descriptor);
  return descriptor;
}

static void sets_close_all_files(void **state)
{
  char path[JOURNAL_PATH];
  size_t bytes;
  ts_journal_counts counts;
  journal_told *t = journal_told_create(50);
  free(journal_make(*state, 3, 50, path, &bytes));
  const int before = free_descriptor();
  assert_int_equal(journal_scan(path, t, &counts, NULL), TS_OK);
  assert_int_equal(counts.rows, 3);
  assert_int_equal(free_descriptor(), before);
  free(t);
}

// Workers of one process, or of two that had the same number, have files of their own. Twice the same trial is legal.
static void every_worker_has_a_file_and_all_are_read(void **state)
{
  enum { WORKERS = 3, ROWS = 10, COPIES = 70 }; // more than are kept open
  scratch_folder *folder = *state;
  journal_told *t = journal_told_create(50);
  unsigned char seen[WORKERS + ROWS] = {0};
  ts_journal_counts counts;
  ts_error error = {0};
  size_t bytes;
  for (uint64_t k = 0; k < WORKERS; ++k) {
    ts_journal *journal = journal_create(folder->path, "same-name_1");
    journal_append(journal, k, ROWS, 50);
    assert_int_equal(ts_journal_close(journal, &error), TS_OK);
  }
  char path[JOURNAL_PATH], name[32];
  unsigned char *content = journal_make(folder, ROWS, 50, path, &bytes);
  for (int k = 1; k < COPIES; ++k) {
    snprintf(name, sizeof name, "%d.journal", k);
    scratch_write(scratch_path(folder, name), content, bytes);
  }
  assert_int_equal(scratch_count(folder), WORKERS + COPIES);
  scratch_write(scratch_path(folder, "notes.txt"), "not a journal", 13);
  scratch_write(scratch_path(folder, ".journal"), "neither", 7);
  t->any_order = true;
  t->seen = seen;
  const int least_free = dup(STDERR_FILENO);
  assert_int_equal(close(least_free), 0);
  assert_int_equal(journal_scan(folder->path, t, &counts, &error), TS_OK);
  assert_int_equal(dup(STDERR_FILENO), least_free); // no file stayed open
  assert_int_equal(close(least_free), 0);
  assert_int_equal(counts.rows, ROWS * (WORKERS + COPIES));
  for (int k = 0; k < WORKERS + ROWS; ++k) {
    int expected = k < ROWS ? COPIES : 0;
    for (int worker = 0; worker < WORKERS; ++worker) expected += k >= worker && k < worker + ROWS;
    assert_int_equal(seen[k], expected);
  }
  free(content);
  free(t);
}

static void further_scans_tell_what_is_new(void **state)
{
  scratch_folder *folder = *state;
  ts_journal_set *set;
  ts_journal_counts counts;
  journal_told *t = journal_told_create(50);
  const ts_journal_listener listener = journal_listener(t);
  ts_journal *first = journal_create(folder->path, "b");
  assert_int_equal(ts_journal_set_open(folder->path, &journal_identity, &set, NULL), TS_OK);
  assert_int_equal(ts_journal_set_count(set), 0);
  for (uint64_t k = 0; k < 5; ++k) {
    journal_append(first, 4 * k, 3, 50);
    assert_int_equal(ts_journal_set_scan(set, &listener, &counts, NULL), TS_OK);
    assert_int_equal(counts.rows, 3);
    ts_journal *second = journal_create(folder->path, "a"); // its name comes before the others
    journal_append(second, 4 * k + 3, 1, 50);
    ts_journal_close(second, NULL);
    assert_int_equal(ts_journal_set_scan(set, &listener, &counts, NULL), TS_OK);
    assert_int_equal(counts.rows, 1);
    assert_int_equal(ts_journal_set_count(set), 2 + (int)k);
  }
  assert_string_equal(ts_journal_set_path(set, 0), ts_journal_path(first));
  assert_int_equal(ts_journal_set_scan(set, &listener, &counts, NULL), TS_OK);
  assert_int_equal(counts.rows, 0);
  ts_journal_set_close(set);
  ts_journal_close(first, NULL);
  free(t);
}

static ts_status refuse_fourth(void *user, const ts_journal_row *row, ts_error *error)
{
  uint64_t *rows = user;
  *rows += 1;
  return row->trial == 3 && *rows == 4 ? ts_fail(error, TS_INTERRUPTED, "enough") : TS_OK;
}

static void a_listener_ends_a_scan(void **state)
{
  char path[JOURNAL_PATH];
  size_t bytes;
  free(journal_make(*state, 9, 50, path, &bytes));
  uint64_t rows = 0;
  ts_journal_set *set;
  ts_error error = {0};
  const ts_journal_listener listener = {&rows, refuse_fourth, NULL};
  assert_int_equal(ts_journal_set_open(path, &journal_identity, &set, NULL), TS_OK);
  assert_int_equal(ts_journal_set_scan(set, &listener, NULL, &error), TS_INTERRUPTED);
  assert_string_equal(error.text, "enough");
  assert_int_equal(rows, 4);
  assert_int_equal(ts_journal_set_scan(set, &listener, NULL, &error), TS_OK);
  assert_int_equal(rows, 4 + 6);
  ts_journal_set_close(set);
}

// ---- torn and damaged files -----------------------------------------------------------------------------------------

// A new file each time: file systems bring one that was emptied to the disk.
static void rewrite(const char *path, const unsigned char *content, size_t bytes)
{
  unlink(path);
  scratch_write(path, content, bytes);
}

static void a_file_cut_anywhere_has_its_whole_rows(void **state)
{
  enum { ROWS = 12, MOST = 40 };
  char path[JOURNAL_PATH];
  size_t bytes, end = JOURNAL_HEAD;
  unsigned char *content = journal_make(*state, ROWS, MOST, path, &bytes);
  journal_told *t = journal_told_create(MOST);
  uint64_t whole = 0;
  for (size_t size = 0; size <= bytes; ++size) {
    ts_journal_counts counts;
    ts_error error = {0};
    rewrite(path, content, size);
    size_t next = end + JOURNAL_ROW_HEAD + journal_payload(whole, MOST, t->payload);
    if (size == next) {
      ++whole;
      end = next;
    }
    assert_int_equal(journal_scan(path, t, &counts, &error), TS_OK);
    assert_int_equal(counts.rows, whole);
    assert_int_equal(counts.torn, size != end);
    assert_int_equal(counts.damaged, 0);
  }
  assert_int_equal(whole, ROWS);
  free(content);
  free(t);
}

// A row that is not as it was written is never told, nor are those behind it; those before it always are.
static void a_changed_byte_never_makes_a_row(void **state)
{
  enum { ROWS = 8, MOST = 40 };
  static const unsigned char changes[] = {0x01, 0x80, 0xff, 0x10, 0x55};
  char path[JOURNAL_PATH];
  size_t bytes, end = JOURNAL_HEAD;
  unsigned char *content = journal_make(*state, ROWS, MOST, path, &bytes);
  journal_told *t = journal_told_create(MOST);
  uint64_t whole = 0;
  int damages = 0;
  for (size_t at = 0; at < bytes; ++at)
    for (size_t k = 0; k < sizeof changes; ++k) {
      ts_journal_counts counts;
      ts_error error = {0};
      const size_t next = end + JOURNAL_ROW_HEAD + journal_payload(whole, MOST, t->payload);
      if (at == next) {
        ++whole;
        end = next;
      }
      content[at] ^= changes[k];
      rewrite(path, content, bytes);
      content[at] ^= changes[k];
      const ts_status status = journal_scan(path, t, &counts, &error);
      assert_int_equal(counts.rows, whole);
      assert_int_equal(status == TS_OK, at >= 12); // mark and version
      if (status == TS_OK) assert_int_equal(counts.torn + counts.damaged, 1);
      if (counts.damaged) assert_int_equal(t->damage_at, at < JOURNAL_HEAD ? 0 : end);
      damages += counts.damaged > 0;
      // Behind a spoiled payload come more rows, unless it is the last.
      if (at >= end + JOURNAL_ROW_HEAD && at >= JOURNAL_HEAD) assert_int_equal(counts.damaged, whole < ROWS - 1);
    }
  assert_true(damages > 0);
  free(content);
  free(t);
}

static void hostile_files_are_survived(void **state)
{
  enum { SIZE = 4096 };
  static const uint32_t sizes[] = {0, 1, 7, TS_JOURNAL_LARGEST + 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8};
  char path[JOURNAL_PATH];
  size_t bytes;
  unsigned char *content = journal_make(*state, 1, 40, path, &bytes);
  unsigned char *file = calloc(SIZE, 1);
  journal_told *t = journal_told_create(40);
  ts_journal_counts counts;
  ts_error error = {0};
  memcpy(file, content, bytes);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) { // sums are right, sizes are not
    ts_bytes_put_32(file + bytes, sizes[k]);
    ts_bytes_put_32(file + bytes + 4, journal_crc(file + bytes, 4));
    rewrite(path, file, k % 2 ? SIZE : bytes + JOURNAL_ROW_HEAD);
    assert_int_equal(journal_scan(path, t, &counts, &error), TS_OK);
    assert_true(counts.rows == 1 && counts.damaged == 1 && t->damage_at == bytes);
  }
  memset(file + bytes, 0, SIZE - bytes); // room that never got its content
  rewrite(path, file, SIZE);
  assert_int_equal(journal_scan(path, t, &counts, &error), TS_OK);
  assert_true(counts.rows == 1 && counts.damaged == 0 && counts.torn == 1);
  ts_random random;
  ts_random_init(&random, 1);
  for (int k = 0; k < 1000; ++k) { // random rows, then random files
    const size_t from = k < 500 ? bytes : 0, size = from + (size_t)ts_random_below(&random, SIZE - (int)from);
    for (size_t i = from; i < size; ++i) file[i] = (unsigned char)ts_random_bits(&random);
    rewrite(path, file, size);
    const ts_status status = journal_scan(path, t, &counts, &error);
    assert_int_equal(status, from > 0 || size < JOURNAL_HEAD ? TS_OK : TS_INVALID);
    assert_int_equal(counts.rows, from > 0);
  }
  free(file);
  free(content);
  free(t);
}

static void assert_refused(const char *path, ts_status expected, const char *words)
{
  ts_error error = {0};
  ts_journal_counts counts;
  journal_told *t = journal_told_create(64);
  assert_int_equal(journal_scan(path, t, &counts, &error), expected);
  if (!strstr(error.text, words) || !strstr(error.text, ".journal"))
    fail_msg("'%s' and the file are not in '%s'", words, error.text);
  assert_int_equal(t->rows, 0);
  free(t);
}

static void strangers_are_refused_by_name(void **state)
{
  char path[JOURNAL_PATH];
  size_t bytes;
  scratch_folder *folder = *state;
  unsigned char *content = journal_make(folder, 3, 40, path, &bytes);
  content[12] ^= 1; // another study
  ts_bytes_put_32(content + 44, journal_crc(content, 44));
  scratch_write(path, content, bytes);
  assert_refused(folder->path, TS_INVALID, "belongs to another study");
  content[8] = 2; // a format of days to come, where the sum may be elsewhere
  scratch_write(path, content, bytes);
  assert_refused(folder->path, TS_UNSUPPORTED, "version 2");
  content[0] = 't';
  scratch_write(path, content, bytes);
  assert_refused(path, TS_INVALID, "is no journal");
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0); // nobody waits for its other end
  assert_refused(folder->path, TS_IO, "cannot be read");
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_refused(folder->path, TS_IO, "cannot be read");
  ts_journal_set *set;
  ts_error error = {0};
  assert_int_equal(ts_journal_set_open(scratch_path(folder, "nothing"), &journal_identity, &set, &error), TS_IO);
  assert_true(!set && strstr(error.text, "nothing cannot be read"));
  free(content);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(many_rows_are_read_back_and_found_again),
      scratch_test(sets_close_all_files),
      scratch_test(every_worker_has_a_file_and_all_are_read),
      scratch_test(further_scans_tell_what_is_new),
      scratch_test(a_listener_ends_a_scan),
      scratch_test(a_file_cut_anywhere_has_its_whole_rows),
      scratch_test(a_changed_byte_never_makes_a_row),
      scratch_test(hostile_files_are_survived),
      scratch_test(strangers_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
