// Writers of journals: the format is the documented one, and what was appended is there, whatever becomes of the writer
// and of the disk.
#define _DEFAULT_SOURCE // RLIMIT_FSIZE, MAP_ANONYMOUS
#include "study/journal.h"

#include "study/bytes.h"

#include "journal_rows.h"
#include "whole_file.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

// Byte for byte what journal.h tells, the sums by another program; it has the answers that are published for CRC-32.
static void the_format_is_the_documented_one(void **state)
{
  assert_int_equal(journal_crc((const unsigned char *)"123456789", 9), 0xcbf43926);
  assert_int_equal(journal_crc((const unsigned char *)"", 0), 0);
  assert_int_equal(journal_crc((const unsigned char[32]){0}, 32), 0x190a55ad);
  static const unsigned char payload[] = {0x08, 7, 6, 5, 4, 3, 2, 1, 'r', 'o', 'w'};
  size_t bytes;
  ts_journal *journal = journal_create(((scratch_folder *)*state)->path, "w");
  char path[JOURNAL_PATH];
  snprintf(path, sizeof path, "%s", ts_journal_path(journal));
  assert_int_equal(ts_journal_append(journal, payload, sizeof payload, NULL), TS_OK);
  assert_int_equal(ts_journal_close(journal, NULL), TS_OK);
  unsigned char *content = (unsigned char *)read_bytes(path, &bytes);
  unsigned char head[JOURNAL_HEAD] = {'T', 'S', 'J', 'O', 'U', 'R', 'N', 'L', 1, 0, 0, 0},
                summed[4 + sizeof payload] = {11};
  memcpy(head + 12, journal_identity.bytes, TS_JOURNAL_IDENTITY);
  ts_bytes_put_32(head + 44, journal_crc(head, 44));
  memcpy(summed + 4, payload, sizeof payload);
  assert_int_equal(bytes, JOURNAL_HEAD + JOURNAL_ROW_HEAD + sizeof payload);
  assert_memory_equal(content, head, JOURNAL_HEAD);
  assert_memory_equal(content + JOURNAL_HEAD, summed, 4);
  assert_int_equal(ts_bytes_get_32(content + JOURNAL_HEAD + 4), journal_crc(summed, sizeof summed));
  assert_memory_equal(content + JOURNAL_HEAD + JOURNAL_ROW_HEAD, payload, sizeof payload);
  assert_int_equal(ts_bytes_get_64(content + JOURNAL_HEAD + JOURNAL_ROW_HEAD), UINT64_C(0x0102030405060708));
  free(content);
}

static void rows_have_8_bytes_to_1_mib(void **state)
{
  enum { LARGEST = TS_JOURNAL_LARGEST, ROWS = 30 };
  scratch_folder *folder = *state;
  unsigned char *payload = calloc(LARGEST + 1, 1);
  ts_error error = {0};
  ts_journal *journal = journal_create(folder->path, "w");
  assert_int_equal(ts_journal_append(journal, payload, LARGEST + 1, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "too large"));
  assert_int_equal(ts_journal_append(journal, payload, 7, &error), TS_INVALID);
  journal_append(journal, 0, ROWS, LARGEST);
  journal_told *t = journal_told_create(LARGEST);
  ts_journal_counts counts;
  assert_int_equal(journal_scan(folder->path, t, &counts, &error), TS_OK);
  assert_true(counts.rows == ROWS && counts.torn == 0 && counts.damaged == 0);
  // The very largest and the very least one follow.
  struct stat about;
  ts_journal_set *set;
  ts_journal_row row;
  assert_int_equal(stat(ts_journal_path(journal), &about), 0);
  for (size_t k = 0; k < LARGEST; ++k) payload[k] = (unsigned char)(k % 251);
  assert_int_equal(ts_journal_append(journal, payload, LARGEST, &error), TS_OK);
  assert_int_equal(ts_journal_append(journal, payload, 8, &error), TS_OK);
  assert_int_equal(ts_journal_set_open(ts_journal_path(journal), &journal_identity, &set, &error), TS_OK);
  ts_journal_place place = {0, (uint64_t)about.st_size};
  assert_int_equal(ts_journal_set_read(set, place, &row, &error), TS_OK);
  assert_int_equal(row.size, LARGEST);
  assert_memory_equal(row.payload, payload, LARGEST);
  place.offset += JOURNAL_ROW_HEAD + LARGEST;
  assert_int_equal(ts_journal_set_read(set, place, &row, &error), TS_OK);
  assert_true(row.size == 8 && row.trial == ts_bytes_get_64(payload));
  ts_journal_set_close(set);
  assert_int_equal(ts_journal_close(journal, &error), TS_OK);
  free(payload);
  free(t);
}

static void a_journal_without_a_place_is_refused(void **state)
{
  static const char *const names[] = {"",    "a/b", "..",
                                      "w.1", "w w", "0123456789012345678901234567890123456789012345678"};
  scratch_folder *folder = *state;
  ts_journal *journal;
  ts_error error = {0};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    assert_int_equal(ts_journal_create(folder->path, names[k], &journal_identity, &journal, &error), TS_INVALID);
    assert_true(!journal && strstr(error.text, "names no worker"));
  }
  assert_int_equal(ts_journal_create(scratch_path(folder, "nowhere"), "w", &journal_identity, &journal, &error), TS_IO);
  assert_true(!journal && strstr(error.text, "nowhere: No such file"));
  assert_int_equal(scratch_count(folder), 0);
  assert_int_equal(ts_journal_close(NULL, NULL), TS_OK);
  ts_journal_set_close(NULL);
}

enum { ENOUGH = 2000 };

// Rows that ts_journal_append() has returned from; the parent sees it.
static _Noreturn void append_until_killed(const char *folder, atomic_uint *appended)
{
  ts_journal *journal;
  unsigned char payload[5000];
  if (ts_journal_create(folder, "victim", &journal_identity, &journal, NULL) != TS_OK) _exit(1);
  for (uint64_t trial = 0; trial < ENOUGH; ++trial) { // for readers that are slower
    if (ts_journal_append(journal, payload, journal_payload(trial, sizeof payload, payload), NULL) != TS_OK) _exit(2);
    atomic_store(appended, (unsigned)trial + 1);
  }
  for (;;) pause();
}

static void the_killed_lose_nothing(void **state)
{
  enum { TIMES = 20 };
  scratch_folder *folder = *state;
  atomic_uint *appended = mmap(NULL, sizeof *appended, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(appended != MAP_FAILED);
  journal_told *t = journal_told_create(5000);
  ts_random random;
  ts_random_init(&random, 2);
  for (int k = 0; k < TIMES; ++k) {
    ts_journal_counts counts;
    ts_error error = {0};
    int status;
    const unsigned least = (unsigned)ts_random_below(&random, 300);
    atomic_store(appended, 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) append_until_killed(folder->path, appended);
    while (atomic_load(appended) < least) { // read while it grows
      assert_int_equal(journal_scan(folder->path, t, &counts, &error), TS_OK);
      assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    }
    usleep((useconds_t)ts_random_below(&random, 3000));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(journal_scan(folder->path, t, &counts, &error), TS_OK);
    assert_int_equal(counts.damaged, 0);
    const unsigned known = atomic_load(appended); // one more may be there whose append had not returned
    assert_true(counts.rows == known || counts.rows == known + 1);
    char line[128];
    snprintf(line, sizeof line, "rm -f '%s'/*.journal", folder->path);
    assert_int_equal(system(line), 0);
  }
  munmap(appended, sizeof *appended);
  free(t);
}

// Files may not become longer than what the child is told: as on a disk that is full.
static _Noreturn void append_until_full(const char *folder, rlim_t limit)
{
  ts_journal *journal;
  ts_error error = {0};
  unsigned char payload[200];
  uint64_t trial = 0;
  const struct rlimit small = {limit, RLIM_INFINITY}, large = {RLIM_INFINITY, RLIM_INFINITY};
  signal(SIGXFSZ, SIG_IGN);
  if (ts_journal_create(folder, "full", &journal_identity, &journal, NULL) != TS_OK) _exit(1);
  if (setrlimit(RLIMIT_FSIZE, &small) != 0) _exit(2);
  while (ts_journal_append(journal, payload, journal_payload(trial, sizeof payload, payload), &error) == TS_OK) ++trial;
  if (!strstr(error.text, "cannot take another row: File too large") || error.status != TS_IO) _exit(3);
  size_t bytes;
  char *content = read_bytes(ts_journal_path(journal), &bytes); // it ends with a row
  if (!content) _exit(4);
  free(content);
  size_t expected = JOURNAL_HEAD;
  for (uint64_t k = 0; k < trial; ++k) expected += JOURNAL_ROW_HEAD + journal_payload(k, sizeof payload, payload);
  if (bytes != expected) _exit(4);
  if (setrlimit(RLIMIT_FSIZE, &large) != 0) _exit(5); // now there is room again
  if (ts_journal_append(journal, payload, journal_payload(trial, sizeof payload, payload), &error) != TS_OK) _exit(6);
  if (ts_journal_close(journal, &error) != TS_OK) _exit(7);
  _exit(0);
}

static void a_full_disk_leaves_whole_rows(void **state)
{
  scratch_folder *folder = *state;
  journal_told *t = journal_told_create(200);
  ts_journal_counts counts;
  for (rlim_t limit = 1000; limit < 1040; limit += 3) {
    int status;
    ts_error error = {0};
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) append_until_full(folder->path, limit);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    t->any_order = true;
    assert_int_equal(journal_scan(folder->path, t, &counts, &error), TS_OK);
    assert_true(counts.torn == 0 && counts.damaged == 0);
  }
  free(t);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(the_format_is_the_documented_one),     scratch_test(rows_have_8_bytes_to_1_mib),
      scratch_test(a_journal_without_a_place_is_refused), scratch_test(the_killed_lose_nothing),
      scratch_test(a_full_disk_leaves_whole_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
