// A trial as a row of a journal:
//   u64 trial, u32 generation, u32 attempt, u32 end, u64 steps, u64 uncertified, f64 residual, f64 seconds,
//   u32 results, f64 each of them, u32 length of the text, text
#ifndef TS_STUDY_ROW_H
#define TS_STUDY_ROW_H

#include "touchstone/study.h"

#include <stddef.h>

typedef struct ts_trial_row {
  uint64_t trial;
  uint32_t generation; // of rows of one trial the one with the highest counts
  uint32_t attempt;    // that the outcome is of
  double seconds;      // that all attempts took
  ts_trial_outcome outcome;
} ts_trial_row;

// Bytes that a row with so many results takes at most.
size_t ts_row_size(int results);

// Returns the bytes written.
size_t ts_row_write(const ts_trial_row *row, int results, unsigned char *bytes);

// False where the bytes are no row of so many results. row->outcome.results has room for them.
bool ts_row_read(const unsigned char *bytes, size_t size, int results, ts_trial_row *row);

// A checksum of all of a row but the seconds.
uint32_t ts_row_sum(const unsigned char *bytes, size_t size);

// Whether it is to be tried again, where that is asked for.
bool ts_row_has_failed(const ts_trial_row *row);

#endif
