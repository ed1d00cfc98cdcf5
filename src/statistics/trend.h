// What goes with what in a table: lines through scattered points, with their uncertainty, and correlations. Rows where
// one of the two columns is NaN are left out and counted; infinite values are refused with TS_INVALID, and `error` may
// be NULL.
#ifndef TS_STATISTICS_TREND_H
#define TS_STATISTICS_TREND_H

#include "base/arena.h"
#include "statistics/interval.h"
#include "touchstone/status.h"

#include <stddef.h>

// y = mean_y + slope (x - mean_x) by least squares.
typedef struct ts_trend_line {
  size_t count, missing;   // rows that have both numbers, and the others
  double mean_x, mean_y;   // NaN of no rows
  double slope, intercept; // NaN where all x are equal
  double correlation;      // Pearson's r; NaN where all x or all y are equal
  double deviation;        // of y from the line: standard deviation over count - 2; NaN of fewer than three rows
  double spread;           // sum of (x - mean_x)^2
} ts_trend_line;

ts_status ts_trend_line_fit(size_t count, const double *x, const double *y, ts_trend_line *line, ts_error *error);

double ts_trend_line_at(const ts_trend_line *line, double x);

// Of the mean of y at this x, where y scatters about a line alike for all x. NaN of fewer than three rows, or where all
// x are equal.
ts_confidence_interval ts_trend_line_band(const ts_trend_line *line, double x, double level);

// Spearman's: Pearson's r of the ranks, equal numbers sharing the mean of theirs. NaN where all of a column are equal.
ts_status ts_rank_correlation(size_t count, const double *x, const double *y, ts_arena *arena, double *correlation,
                              ts_error *error);

#endif
