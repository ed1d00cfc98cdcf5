// A trend that follows the points: locally weighted regression (LOESS; Cleveland, 1979), made robust against outliers.
// At an abscissa the nearest share of the points gets a line by least squares, near ones with more weight.
#ifndef TS_STATISTICS_LOCAL_REGRESSION_H
#define TS_STATISTICS_LOCAL_REGRESSION_H

#include "base/arena.h"
#include "touchstone/status.h"

#include <stddef.h>

typedef struct ts_local_regression {
  double span;    // share of the points that a line goes by, in (0, 1]: 0.5 is usual
  int passes;     // beyond the first, each with less weight for points far from the last one's trend: 3 is usual, 0 not
                  // robust
  size_t count;   // out: points
  size_t missing; // out: rows where x or y is NaN
} ts_local_regression;

// The trend through the points of two columns of `count` numbers at `places` abscissae `at`, to `trend`. NaN beyond the
// points and where there are fewer than two. Where the neighbours all have one x, the trend is their mean. A pass costs
// span count times the nodes that residuals are taken at, at most 200; between them the trend is a line. Infinite x or
// y are refused with TS_INVALID; `error` may be NULL.
ts_status ts_local_regression_fit(ts_local_regression *fit, size_t count, const double *x, const double *y,
                                  size_t places, const double *at, ts_arena *arena, double *trend, ts_error *error);

#endif
