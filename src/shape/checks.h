// Checks of the numbers that shapes are given by (ts_shape_check()).
#ifndef TS_SHAPE_CHECKS_H
#define TS_SHAPE_CHECKS_H

#include "touchstone/shape.h"

#include "base/status.h"

// Lengths between these leave room for what is computed from them: inertias go with their fifth power.
#define TS_SMALLEST_LENGTH 1e-30
#define TS_LARGEST_LENGTH  1e30

// A length of the shape; `quantity` is its name in the sentence of a refusal.
ts_status ts_check_length(const ts_shape *shape, const char *quantity, double value, ts_error *error);

// All three components of `size`.
ts_status ts_check_size(const ts_shape *shape, const char *quantity, ts_error *error);

// The first `count` exponents of a superellipsoid.
ts_status ts_check_exponents(const ts_shape *shape, int count, ts_error *error);

// Numbers of moderate size, not all at one place.
ts_status ts_check_vertices(const ts_shape *shape, ts_error *error);

bool ts_is_moderate(double coordinate);

#endif
