// What a run holds beside its tables: numbers that have names, which are its parameters and its results, and what a
// watch had gathered when it ended.
#ifndef TS_RECORD_OUTCOME_H
#define TS_RECORD_OUTCOME_H

#include "touchstone/record.h"

typedef struct ts_run_numbers {
  ts_record_number *items; // names and units belong to it
  int count, capacity;
} ts_run_numbers;

typedef enum ts_run_list { TS_RUN_PARAMETERS, TS_RUN_RESULTS, TS_RUN_LIST_COUNT } ts_run_list;
extern const char *const ts_run_list_names[TS_RUN_LIST_COUNT]; // "parameters", "results"

typedef struct ts_run_ending {
  ts_run_numbers lists[TS_RUN_LIST_COUNT];
  double *watched; // watched_size numbers, or NULL
  size_t watched_size;
  double *interval; // interval_size numbers of contacts since the last recorded state, or NULL
  size_t interval_size;
} ts_run_ending;

// A zeroed struct is empty.
void ts_run_ending_release(ts_run_ending *ending);

// Add a number; texts are copied. False: memory ran out.
bool ts_run_numbers_add(ts_run_numbers *numbers, const char *name, const char *unit, double value);

// A copy of what callers have. On failure `ending` is empty.
ts_status ts_run_ending_copy(const ts_run_outcome *outcome, ts_run_ending *ending, ts_error *error);

#endif
