// Uncertainty by drawing again from what there is (Efron, 1979): rows are drawn with replacement, and what was
// estimated from the rows is estimated again, many times over. How often each row is drawn is a Poisson number of mean
// 1 (Hanley and MacGibbon, 2006), so that a million rows are met in their order, not all over the memory.
//
// Of n rows that are too many for that, m are picked without replacement and drawn from; the estimate scatters by
// sqrt(m/n) of what it scatters by then (m out of n: Bickel, Götze and van Zwet, 1997).
#ifndef TS_STATISTICS_BOOTSTRAP_H
#define TS_STATISTICS_BOOTSTRAP_H

#include "base/random.h"
#include "statistics/interval.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ts_bootstrap {
  int replicates;   // 1000 is usual; 0: no intervals, they are NaN
  double level;     // of the intervals, in (0, 1)
  uint64_t seed;    // the same seed, the same intervals
  size_t most_rows; // that are drawn from: m; 0: all
} ts_bootstrap;

// An estimate and its interval.
typedef struct ts_estimate {
  double value; // NaN: the data say nothing about it
  ts_confidence_interval interval;
} ts_estimate;

// How many of `count` rows are drawn from.
size_t ts_bootstrap_row_count(const ts_bootstrap *bootstrap, size_t count);
// Moves as many of the rows to the front, by chance and in their order; returns how many.
size_t ts_bootstrap_pick(const ts_bootstrap *bootstrap, size_t count, void *rows, size_t row_size, ts_random *random);

// How often a row is drawn: 0, 1, 2, ...; a Poisson number of mean 1.
double ts_bootstrap_weight(ts_random *random);

// From the quantile (1 - level)/2 of the replicates to that of (1 + level)/2. Replicates that are NaN are left out; the
// others are put into another order.
ts_confidence_interval ts_percentile_interval(const ts_bootstrap *bootstrap, double *replicates);

#endif
