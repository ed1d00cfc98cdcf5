// Journals whose rows are known beforehand, a reader that checks every row, and the checksum by another program.
#ifndef TS_SUPPORT_JOURNAL_ROWS_H
#define TS_SUPPORT_JOURNAL_ROWS_H

#include "study/journal.h"

#include "scratch_folder.h"

#include <stdbool.h>

enum { JOURNAL_HEAD = 48, JOURNAL_ROW_HEAD = 8, JOURNAL_PATH = 256 }; // bytes

extern const ts_journal_identity journal_identity; // of the study that all of these belong to

// What a trial has in its row, `most` bytes at most: sizes and bytes look random, and are the same everywhere.
size_t journal_payload(uint64_t trial, size_t most, unsigned char *payload);

ts_journal *journal_create(const char *folder, const char *worker);
void journal_append(ts_journal *journal, uint64_t first, uint64_t count, size_t most); // trials from `first` on

// A journal with trials 0 to count - 1, and its bytes; free them.
unsigned char *journal_make(scratch_folder *folder, uint64_t count, size_t most, char path[static JOURNAL_PATH],
                            size_t *bytes);

typedef struct journal_told {
  size_t most;
  uint64_t rows, next; // told; trial expected, where they are in order
  bool any_order;
  unsigned char *seen;      // how often a trial was told; may be NULL
  ts_journal_place *places; // of rows; may be NULL
  uint64_t damage_at;
  int damages;
  unsigned char payload[TS_JOURNAL_LARGEST];
} journal_told;

journal_told *journal_told_create(size_t most);           // free() it
ts_journal_listener journal_listener(journal_told *told); // stops the test when a row is not what its trial has

// All of a folder or a file, by a set of its own.
ts_status journal_scan(const char *path, journal_told *told, ts_journal_counts *counts, ts_error *error);

// CRC-32 from its definition: the remainder by the polynomial 0x04c11db7, bits in reverse, bit by bit.
uint32_t journal_crc(const unsigned char *bytes, size_t count);

#endif
