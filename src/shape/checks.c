#include "shape/checks.h"

#include "schema/range.h"

#include <math.h>

ts_status ts_check_length(const ts_shape *shape, const char *quantity, double value, ts_error *error)
{
  if (value >= TS_SMALLEST_LENGTH && value <= TS_LARGEST_LENGTH) return TS_OK;
  if (!(value > 0.0))
    return ts_fail(error, TS_INVALID, "the %s of a %s must be a positive number, not %g", quantity,
                   ts_shape_name(shape->kind), value);
  return ts_fail(error, TS_INVALID, "the %s of a %s must be between %g and %g, not %g", quantity,
                 ts_shape_name(shape->kind), TS_SMALLEST_LENGTH, TS_LARGEST_LENGTH, value);
}

ts_status ts_check_size(const ts_shape *shape, const char *quantity, ts_error *error)
{
  const double sizes[3] = {shape->size.x, shape->size.y, shape->size.z};
  for (int k = 0; k < 3; ++k) TS_TRY(ts_check_length(shape, quantity, sizes[k], error));
  return TS_OK;
}

ts_status ts_check_exponents(const ts_shape *shape, int count, ts_error *error)
{
  const double exponents[3] = {shape->exponents.x, shape->exponents.y, shape->exponents.z};
  for (int k = 0; k < count; ++k)
    if (!ts_range_holds(TS_RANGE_EXPONENT, exponents[k]))
      return ts_fail(error, TS_INVALID, "the exponents of a %s must be %s, not %g", ts_shape_name(shape->kind),
                     ts_range_text(TS_RANGE_EXPONENT), exponents[k]);
  return TS_OK;
}

bool ts_is_moderate(double coordinate)
{
  return fabs(coordinate) <= TS_LARGEST_LENGTH; // and a number
}

ts_status ts_check_vertices(const ts_shape *shape, ts_error *error)
{
  if (shape->vertex_count > 0 && !shape->vertices)
    return ts_fail(error, TS_INVALID, "a %s has no vertices", ts_shape_name(shape->kind));
  double extent = 0.0;
  for (int i = 0; i < shape->vertex_count; ++i) {
    const ts_vec3 v = shape->vertices[i], first = shape->vertices[0];
    if (!ts_is_moderate(v.x) || !ts_is_moderate(v.y) || !ts_is_moderate(v.z))
      return ts_fail(error, TS_INVALID, "vertex %d of a %s must be numbers of at most %g, not [%g, %g, %g]", i + 1,
                     ts_shape_name(shape->kind), TS_LARGEST_LENGTH, v.x, v.y, v.z);
    extent = fmax(extent, fmax(fmax(fabs(v.x - first.x), fabs(v.y - first.y)), fabs(v.z - first.z)));
  }
  if (shape->vertex_count > 1 && extent < TS_SMALLEST_LENGTH)
    return ts_fail(error, TS_INVALID, "the vertices of a %s lie within %g of each other", ts_shape_name(shape->kind),
                   TS_SMALLEST_LENGTH);
  return TS_OK;
}
