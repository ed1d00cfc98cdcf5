// Distributions by their quantile functions: a number u of [0, 1), random or of a sequence, becomes a value. Larger u
// give larger values, or equal ones; where u is even in [0, 1), values are as the distribution says. The same bits
// everywhere.
//
// A ts_distribution is filled in by one of the functions below, which refuse parameters that make none: TS_INVALID,
// with a sentence in `error`, which may be NULL. It is a plain struct: nothing is released.
#ifndef TS_SAMPLING_DISTRIBUTION_H
#define TS_SAMPLING_DISTRIBUTION_H

#include "base/status.h"

typedef struct ts_distribution ts_distribution;

struct ts_distribution {
  double (*quantile)(const ts_distribution *distribution, double u);
  double low, high;            // all values lie between, where the kind has such ends
  double mode;                 // of the triangle
  double log_ratio;            // ln(high / low) of the log-uniform one
  double mean, deviation;      // of the normal one before it is cut
  double below, inside, above; // and its probabilities of values below `low`, between, and above `high`
  int count;                   // of discrete values
  const double *values, *sums; // those, and sums of their weights
};

// 0 <= u < 1
double ts_distribution_quantile(const ts_distribution *distribution, double u);

// Uniform in [low, high): `low` comes of u = 0, `high` of none.
ts_status ts_distribution_uniform(ts_distribution *distribution, double low, double high, ts_error *error);

// Uniform in the logarithm, in [low, high), low > 0.
ts_status ts_distribution_log_uniform(ts_distribution *distribution, double low, double high, ts_error *error);

// The density rises in a straight line from `low` to `mode` and falls to `high`; the mode may be one of the ends.
ts_status ts_distribution_triangular(ts_distribution *distribution, double low, double mode, double high,
                                     ts_error *error);

// Normal; `deviation` is the standard deviation. u = 0 counts as 2^-54, the middle of what was rounded to it: values
// are finite, and lie within 8.3 deviations.
ts_status ts_distribution_normal(ts_distribution *distribution, double mean, double deviation, ts_error *error);

// Normal, but only what lies in [low, high]; one end may be infinite, or both. Mean and deviation are those before the
// cut. Values are told apart by 1e-16 of probability: a range of 1e-10 deviations gives no more than some 100,000.
ts_status ts_distribution_truncated_normal(ts_distribution *distribution, double mean, double deviation, double low,
                                           double high, ts_error *error);

// One of `count` values, each as often as its weight says: weights need no sum of 1, and a value of weight 0 never
// comes. `values` is borrowed, and so is `sums`, room for `count` numbers that this fills.
ts_status ts_distribution_discrete(ts_distribution *distribution, int count, const double *values,
                                   const double *weights, double *sums, ts_error *error);

#endif
