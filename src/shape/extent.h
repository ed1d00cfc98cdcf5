// Half extents of round things along the world's axes, by rows of the rotation.
#ifndef TS_SHAPE_EXTENT_H
#define TS_SHAPE_EXTENT_H

#include "math/vec3.h"

// |A R^T e_i| of an ellipsoid
TS_INLINE ts_vec3 ts_ellipsoid_extent(const ts_mat3 *R, ts_vec3 half)
{
  const ts_vec3 x = ts_scale(half.x, R->x), y = ts_scale(half.y, R->y), z = ts_scale(half.z, R->z);
  return ts_vec3_make(sqrt(x.x * x.x + y.x * y.x + z.x * z.x), sqrt(x.y * x.y + y.y * y.y + z.y * z.y),
                      sqrt(x.z * x.z + y.z * y.z + z.z * z.z));
}

// A flat disc about local z is an ellipsoid without height.
TS_INLINE ts_vec3 ts_disc_extent(const ts_mat3 *R, double radius)
{
  return ts_ellipsoid_extent(R, ts_vec3_make(radius, radius, 0.0));
}

TS_INLINE ts_vec3 ts_segment_extent(const ts_mat3 *R, double half_length)
{
  return ts_vec3_make(fabs(R->z.x) * half_length, fabs(R->z.y) * half_length, fabs(R->z.z) * half_length);
}

// A box.
TS_INLINE ts_vec3 ts_box_extent(const ts_mat3 *R, ts_vec3 half)
{
  return ts_vec3_make(fabs(R->x.x) * half.x + fabs(R->y.x) * half.y + fabs(R->z.x) * half.z,
                      fabs(R->x.y) * half.x + fabs(R->y.y) * half.y + fabs(R->z.y) * half.z,
                      fabs(R->x.z) * half.x + fabs(R->y.z) * half.y + fabs(R->z.z) * half.z);
}

// v scaled to `length`; zero for zero
TS_INLINE ts_vec3 ts_with_length(double length, ts_vec3 v)
{
  const double square = ts_dot(v, v);
  return square > 0.0 ? ts_scale(length / sqrt(square), v) : v;
}

#endif
