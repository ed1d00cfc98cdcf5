// Three-vectors in four lanes, for sweeps that do nothing else: an operation on a vector is one instruction where the
// target has registers of that width. The fourth lane is zero, and stays so under everything below. Results do not
// depend on the target: no sum is reordered.
//
// +, - and products with a number are the compiler's own. Everything that takes or returns a wide vector is inlined,
// because how such a function would be called depends on the target (-Wno-psabi in CMakeLists.txt).
#ifndef TS_MATH_WIDE_H
#define TS_MATH_WIDE_H

#include "math/vec3.h"

typedef double ts_wide __attribute__((vector_size(32)));

TS_INLINE ts_wide ts_wide_of(ts_vec3 a)
{
  return (ts_wide){a.x, a.y, a.z, 0.0};
}

TS_INLINE ts_vec3 ts_narrow(ts_wide a)
{
  return (ts_vec3){a[0], a[1], a[2]};
}

TS_INLINE ts_wide ts_wide_zero(void)
{
  return (ts_wide){0.0, 0.0, 0.0, 0.0};
}

// (y, z, x)
TS_INLINE ts_wide ts_wide_rotated(ts_wide a)
{
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

TS_INLINE ts_wide ts_wide_cross(ts_wide a, ts_wide b)
{
  return ts_wide_rotated(a * ts_wide_rotated(b) - ts_wide_rotated(a) * b);
}

TS_INLINE double ts_wide_sum(ts_wide a)
{
  return a[0] + a[1] + a[2];
}

// A matrix by its columns, times a vector
TS_INLINE ts_wide ts_wide_mul(const ts_wide *A, ts_vec3 v)
{
  return v.x * A[0] + v.y * A[1] + v.z * A[2];
}

// The columns of the transposed matrix
TS_INLINE void ts_wide_transpose(const ts_wide *A, ts_wide *T)
{
  const ts_wide none = ts_wide_zero();
  const ts_wide xy_02 = __builtin_shufflevector(A[0], A[1], 0, 4, 2, 6);
  const ts_wide xy_1 = __builtin_shufflevector(A[0], A[1], 1, 5, 3, 7);
  const ts_wide z_02 = __builtin_shufflevector(A[2], none, 0, 4, 2, 6);
  const ts_wide z_1 = __builtin_shufflevector(A[2], none, 1, 5, 3, 7);
  T[0] = __builtin_shufflevector(xy_02, z_02, 0, 1, 4, 5);
  T[1] = __builtin_shufflevector(xy_1, z_1, 0, 1, 4, 5);
  T[2] = __builtin_shufflevector(xy_02, z_02, 2, 3, 6, 7);
}

#endif
