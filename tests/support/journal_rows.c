#include "journal_rows.h"

#include "study/bytes.h"

#include "whole_file.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

const ts_journal_identity journal_identity = {"a study of these tests"};

size_t journal_payload(uint64_t trial, size_t most, unsigned char *payload)
{
  ts_random random;
  ts_random_init(&random, trial);
  const size_t size = 8 + (size_t)(ts_random_bits(&random) % (most - 7));
  for (size_t k = 8; k < size; ++k) payload[k] = (unsigned char)ts_random_bits(&random);
  ts_bytes_put_64(payload, trial);
  return size;
}

ts_journal *journal_create(const char *folder, const char *worker)
{
  ts_journal *journal;
  ts_error error = {0};
  if (ts_journal_create(folder, worker, &journal_identity, &journal, &error) != TS_OK) fail_msg("%s", error.text);
  return journal;
}

void journal_append(ts_journal *journal, uint64_t first, uint64_t count, size_t most)
{
  unsigned char *payload = malloc(most);
  for (uint64_t trial = first; trial < first + count; ++trial) {
    ts_error error = {0};
    if (ts_journal_append(journal, payload, journal_payload(trial, most, payload), &error) != TS_OK)
      fail_msg("%s", error.text);
  }
  free(payload);
}

unsigned char *journal_make(scratch_folder *folder, uint64_t count, size_t most, char path[static JOURNAL_PATH],
                            size_t *bytes)
{
  ts_journal *journal = journal_create(folder->path, "w");
  journal_append(journal, 0, count, most);
  snprintf(path, JOURNAL_PATH, "%s", ts_journal_path(journal));
  assert_int_equal(ts_journal_close(journal, NULL), TS_OK);
  unsigned char *content = (unsigned char *)read_bytes(path, bytes);
  assert_non_null(content);
  return content;
}

static ts_status hear_row(void *user, const ts_journal_row *row, ts_error *error)
{
  journal_told *t = user;
  (void)error;
  if (!t->any_order) assert_int_equal(row->trial, t->next++);
  assert_int_equal(row->size, journal_payload(row->trial, t->most, t->payload));
  assert_memory_equal(row->payload, t->payload, row->size);
  if (t->seen) ++t->seen[row->trial];
  if (t->places) t->places[t->rows] = row->place;
  ++t->rows;
  return TS_OK;
}

static void hear_damage(void *user, const char *path, uint64_t offset)
{
  journal_told *t = user;
  assert_non_null(strstr(path, ".journal"));
  t->damage_at = offset;
  ++t->damages;
}

ts_journal_listener journal_listener(journal_told *told)
{
  return (ts_journal_listener){told, hear_row, hear_damage};
}

ts_status journal_scan(const char *path, journal_told *t, ts_journal_counts *counts, ts_error *error)
{
  ts_journal_set *set;
  const ts_journal_listener listener = journal_listener(t);
  t->rows = t->next = 0;
  t->damages = 0;
  assert_int_equal(ts_journal_set_open(path, &journal_identity, &set, error), TS_OK);
  const ts_status status = ts_journal_set_scan(set, &listener, counts, error);
  assert_true(counts->rows == t->rows && counts->damaged == (uint64_t)t->damages);
  ts_journal_set_close(set);
  return status;
}

journal_told *journal_told_create(size_t most)
{
  journal_told *t = calloc(1, sizeof *t);
  assert_non_null(t);
  t->most = most;
  return t;
}

uint32_t journal_crc(const unsigned char *bytes, size_t count)
{
  uint32_t sum = 0xffffffff;
  for (size_t k = 0; k < count; ++k) {
    sum ^= bytes[k];
    for (int bit = 0; bit < 8; ++bit) sum = sum & 1 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
  }
  return ~sum;
}
