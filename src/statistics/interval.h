// Confidence intervals of what many trials have in common. A level is the share of such intervals that hold the truth,
// in (0, 1): 0.95.
#ifndef TS_STATISTICS_INTERVAL_H
#define TS_STATISTICS_INTERVAL_H

#include <stddef.h>

typedef struct ts_confidence_interval {
  double low, high; // NaN: the data say nothing about it
} ts_confidence_interval;

// Of a probability that came true in `hits` of `trials` independent trials: Wilson's score interval (1927), which stays
// within 0 and 1 and is not empty where none or all came true. Of no trials: all of [0, 1].
ts_confidence_interval ts_share_interval(size_t hits, size_t trials, double level);

// Of the mean of a distribution from `count` values of this mean and this standard deviation (of count - 1): Student's,
// exact for normal values and nearly so for the mean of many others. NaN from fewer than two.
ts_confidence_interval ts_mean_interval(size_t count, double mean, double deviation, double level);

#endif
