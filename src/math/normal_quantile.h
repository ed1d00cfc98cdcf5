// The inverse of the normal distribution.
#ifndef TS_MATH_NORMAL_QUANTILE_H
#define TS_MATH_NORMAL_QUANTILE_H

// The z that a normal variable of mean 0 and variance 1 stays below with probability p, to a few units in the last
// place. -INFINITY and INFINITY for p = 0 and 1, NaN for any other p that is not between.
double ts_normal_quantile(double p);

#endif
