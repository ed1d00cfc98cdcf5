// First-order Sobol' indices (sensitivity.h) from trials of any random sample: parameters drawn independently, whatever
// their distributions. How a parameter acts together with others cannot be told from its own column: total indices need
// the design of sensitivity.h. What the S of all parameters leave of 1 is due to interactions, and to chance.
//
// Rows where x or y is NaN are left out and counted; infinite values are refused with TS_INVALID. `error` may be NULL.
#ifndef TS_STATISTICS_GIVEN_DATA_H
#define TS_STATISTICS_GIVEN_DATA_H

#include "base/arena.h"
#include "statistics/bootstrap.h"
#include "touchstone/status.h"

#include <stddef.h>

typedef struct ts_given_data_index {
  ts_estimate first; // NaN of fewer than four rows, or where all y are equal; may be below 0 by chance
  size_t count;      // rows that have both
  size_t missing;
  int classes; // of x
} ts_given_data_index;

// S of one parameter x from `count` rows. They are put into about 2 sqrt(n) classes of neighbours in x, as many rows
// each, equal x together; where x has no more values than that, each is a class. S is the share of the variance of y
// between classes, less what chance alone makes of it (Kelley's epsilon squared, 1935). The interval is by the
// bootstrap over rows.
ts_status ts_given_data_sensitivity(size_t count, const double *x, const double *y, const ts_bootstrap *bootstrap,
                                    ts_arena *arena, ts_given_data_index *index, ts_error *error);

// S of one axis x of a full grid of which nothing is drawn at random: y of all its points, equally likely. The plain
// share of the variance between the values of x (eta squared), which is no estimate then. NaN where all y are equal.
ts_status ts_grid_sensitivity(size_t count, const double *x, const double *y, ts_arena *arena, double *first,
                              ts_error *error);

#endif
