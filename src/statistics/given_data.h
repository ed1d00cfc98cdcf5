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
  double by_ranks;   // S again by another method: a second opinion
  size_t count;      // rows that have both
  size_t missing;
  int classes;   // of x
  bool by_value; // a class is a value of x, for there are few
} ts_given_data_index;

// S of one parameter x from `count` rows. They are put into about 2 sqrt(n) classes of neighbours in
// x, as many rows each, equal x together; where x has no more values than that, each is a class. S is the share of the
// variance of y between classes, less what chance alone makes of it (Kelley's epsilon squared, 1935). The interval is
// by the bootstrap over rows. `by_ranks` is the estimator of Gamboa et al. (2022) from products of neighbours; it needs
// no classes, scatters more, and has no interval, for the bootstrap, which draws rows twice, fails for it.
ts_status ts_given_data_sensitivity(size_t count, const double *x, const double *y, const ts_bootstrap *bootstrap,
                                    ts_arena *arena, ts_given_data_index *index, ts_error *error);

#endif
