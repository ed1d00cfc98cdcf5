// libFuzzer target: any bytes, read as a journal, behind a right head where the first one is odd. All rows that are
// told can be read again, and lie behind each other; a refusal has a sentence.
#include "study/journal_format.h"

#include "fuzz_files.h"

#include <string.h>

enum { LARGEST_INPUT = 1 << 16, MOST_ROWS = LARGEST_INPUT / TS_JOURNAL_ROW_HEAD };

typedef struct heard {
  ts_journal_place places[MOST_ROWS];
  uint64_t trials[MOST_ROWS];
  int rows, damages;
  uint64_t end; // of the last row
} heard;

static ts_status hear_row(void *user, const ts_journal_row *row, ts_error *error)
{
  heard *h = user;
  (void)error;
  volatile unsigned sum = 0;
  for (size_t k = 0; k < row->size; ++k) sum = sum + row->payload[k];
  if (row->place.offset != h->end || row->size < TS_JOURNAL_LEAST || h->rows == MOST_ROWS) abort();
  h->places[h->rows] = row->place;
  h->trials[h->rows++] = row->trial;
  h->end += TS_JOURNAL_ROW_HEAD + row->size;
  return TS_OK;
}

static void hear_damage(void *user, const char *path, uint64_t offset)
{
  heard *h = user;
  if (!path[0] || (offset != h->end && offset != 0)) abort();
  ++h->damages;
}

static void put_right_sums(unsigned char *file, size_t size)
{
  for (size_t at = TS_JOURNAL_HEAD; at + TS_JOURNAL_ROW_HEAD <= size;) {
    const size_t payload = ts_bytes_get_32(file + at);
    if (payload > size - at - TS_JOURNAL_ROW_HEAD) break;
    ts_bytes_put_32(file + at + 4, ts_journal_row_sum(file + at, payload));
    at += TS_JOURNAL_ROW_HEAD + payload;
  }
}

static void write_journal(const uint8_t *data, size_t size, const ts_journal_identity *identity)
{
  static unsigned char file[TS_JOURNAL_HEAD + LARGEST_INPUT];
  const size_t head = size > 0 && data[0] & 1 ? TS_JOURNAL_HEAD : 0;
  if (head > 0) ts_journal_make_head(identity, file);
  if (size > 1) memcpy(file + head, data + 1, size - 1);
  const size_t bytes = head + (size > 1 ? size - 1 : 0);
  if (size > 0 && data[0] & 2) put_right_sums(file, bytes);
  fuzz_write("fuzz.journal", file, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static heard h;
  static const ts_journal_identity identity = {"fuzz"};
  const ts_journal_listener listener = {&h, hear_row, hear_damage};
  ts_journal_set *set;
  ts_journal_counts counts;
  ts_journal_row row;
  ts_error error = {0};
  if (size > LARGEST_INPUT) return 0;
  write_journal(data, size, &identity);
  h.rows = h.damages = 0;
  h.end = TS_JOURNAL_HEAD;
  if (ts_journal_set_open(fuzz_folder(), &identity, &set, &error) != TS_OK) abort();
  const ts_status status = ts_journal_set_scan(set, &listener, &counts, &error);
  if (status != TS_OK && (error.status != status || !error.text[0] || h.rows > 0)) abort();
  if (counts.rows != (uint64_t)h.rows || counts.torn + counts.damaged > 1 || counts.damaged != (uint64_t)h.damages)
    abort();
  for (int k = h.rows - 1; k >= 0; --k)
    if (ts_journal_set_read(set, h.places[k], &row, &error) != TS_OK || row.trial != h.trials[k]) abort();
  const int known = h.rows;
  if (status == TS_OK && (ts_journal_set_scan(set, &listener, &counts, &error) != TS_OK || h.rows != known)) abort();
  ts_journal_set_close(set);
  return 0;
}
