// How often the values of a column lie in bins of equal width.
#ifndef TS_STATISTICS_HISTOGRAM_H
#define TS_STATISTICS_HISTOGRAM_H

#include "base/arena.h"
#include "touchstone/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ts_histogram {
  double low, high; // edges of the first bin and of the last
  int bins;         // 0: no value
  size_t *counts;   // bins; bin i has its lower edge, not its upper one, but for the last
  size_t count;     // values in all bins
  size_t missing;   // NaN
  bool integers;    // all values are whole numbers; edges lie halfway between such
} ts_histogram;

// Bins from 1 to `most` after Freedman and Diaconis (1981), 2 IQR/n^(1/3) wide; where half of the values are equal, as
// many as Sturges (1926) says. Whole numbers get bins of as many whole numbers each. `counts` is in the arena. Infinite
// values are refused with TS_INVALID; `error` may be NULL.
ts_status ts_histogram_make(size_t count, const double *values, int most, ts_arena *arena, ts_histogram *histogram,
                            ts_error *error);

// Lower edge of bin i; of i = bins the upper edge of the last.
double ts_histogram_edge(const ts_histogram *histogram, int i);

#endif
