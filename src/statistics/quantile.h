// Quantiles of numbers that are all there: exact, by selection.
#ifndef TS_STATISTICS_QUANTILE_H
#define TS_STATISTICS_QUANTILE_H

#include <stddef.h>

// Copies what is not NaN to `kept` (room for `count`; may be `values` itself) in its order, and returns how many.
size_t ts_drop_missing(size_t count, const double *values, double *kept);

// The number that `share` (0 to 1) of `count` values are below, between neighbours by a line: place share (count - 1)
// in their order, from 0 (Hyndman and Fan's definition 7, 1996). Takes time in proportion to count; the values, none of
// them NaN, are put into another order. NaN of no values.
double ts_quantile(size_t count, double *values, double share);

#endif
