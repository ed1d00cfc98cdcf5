// Count, mean, variance and extremes of a column of numbers, one number at a time (Welford, 1962): a million rows need
// no memory. The variance of numbers that lie close together far from 0 keeps its digits; the mean of equal ones is
// that number.
#ifndef TS_STATISTICS_MOMENTS_H
#define TS_STATISTICS_MOMENTS_H

#include "statistics/interval.h"

#include <stddef.h>

typedef struct ts_moments {
  size_t count;     // numbers
  size_t missing;   // NaN: left out of all else
  double mean;      // 0 of none
  double squares;   // sum of squared deviations from the mean
  double low, high; // INFINITY and -INFINITY of none
} ts_moments;

ts_moments ts_moments_of_none(void);

// An infinite number makes mean and variance infinite or NaN from then on; low and high show it.
void ts_moments_add(ts_moments *moments, double value);
void ts_moments_add_column(ts_moments *moments, size_t count, const double *values);

// Of the distribution that the numbers were drawn from: over count - 1. NaN of fewer than two.
double ts_moments_variance(const ts_moments *moments);
double ts_moments_deviation(const ts_moments *moments);

// Of the mean of that distribution, as ts_mean_interval() has it.
ts_confidence_interval ts_moments_mean_interval(const ts_moments *moments, double level);

#endif
