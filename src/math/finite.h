// Whether numbers are finite, many at a time.
#ifndef TS_MATH_FINITE_H
#define TS_MATH_FINITE_H

#include <stdbool.h>
#include <stddef.h>

bool ts_all_finite(const double *values, size_t count);

#endif
