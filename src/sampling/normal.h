// The standard normal distribution: its distribution function and the inverse, the same bits everywhere (elementary.h).
#ifndef TS_SAMPLING_NORMAL_H
#define TS_SAMPLING_NORMAL_H

double ts_normal_probability(double x); // of values below x, infinite ones as well; to 5e-15 of it down to 1e-307
double ts_normal_quantile(double p);    // x with ts_normal_probability(x) = p, 0 < p < 1; to 1e-15 of it for p <= 1/2

#endif
