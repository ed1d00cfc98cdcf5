// Two columns of a table, row by row, without the rows where one is missing.
#ifndef TS_STATISTICS_PAIRS_H
#define TS_STATISTICS_PAIRS_H

#include "base/arena.h"
#include "touchstone/status.h"

#include <stddef.h>

typedef struct ts_pair {
  double x, y;
  size_t row; // in the columns
} ts_pair;

typedef struct ts_pairs {
  size_t count;
  size_t missing; // rows left out because x or y is NaN
  ts_pair *list;  // count, in the arena
} ts_pairs;

// Infinite numbers in two columns of `count` are refused with TS_INVALID; `error` may be NULL.
ts_status ts_check_columns(size_t count, const double *x, const double *y, ts_error *error);

// Gathers the rows of two columns that ts_check_columns() has nothing against.
ts_status ts_pairs_gather(size_t count, const double *x, const double *y, ts_arena *arena, ts_pairs *pairs,
                          ts_error *error);

// By x, equal ones in the order of their rows.
void ts_pairs_sort(ts_pairs *pairs);

#endif
