// Four numbers at a time. The compiler maps the type on whatever vector registers the target has.
#ifndef TS_MATH_QUAD_H
#define TS_MATH_QUAD_H

#include "base/hot.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Unaligned, and allowed to alias the doubles it is loaded from.
typedef double ts_quad __attribute__((vector_size(32), aligned(8), may_alias));

// The quad that starts at a pointer to double, as an lvalue. (A function would pass vectors by value, whose calling
// convention depends on the target.)
#define TS_QUAD(pointer)       (*(ts_quad *)(pointer))
#define TS_CONST_QUAD(pointer) (*(const ts_quad *)(pointer))

// What comparing two of them gives: -1 where it is true.
typedef long long ts_quad_mask __attribute__((vector_size(32), aligned(8), may_alias));

TS_INLINE ts_quad ts_quad_abs(ts_quad x)
{
  const ts_quad_mask all_but_sign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  return (ts_quad)((ts_quad_mask)x & all_but_sign);
}

TS_INLINE ts_quad ts_quad_sqrt(ts_quad x)
{
  return (ts_quad){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
}

// a where the mask is set, else b.
TS_INLINE ts_quad ts_quad_select(ts_quad_mask mask, ts_quad a, ts_quad b)
{
  return (ts_quad)(((ts_quad_mask)a & mask) | ((ts_quad_mask)b & ~mask));
}

TS_INLINE bool ts_quad_any(ts_quad_mask mask)
{
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

TS_INLINE double ts_quad_sum(ts_quad x)
{
  return x[0] + x[1] + (x[2] + x[3]);
}

// Four numbers of two quads, by their places: 0 to 3 in the first one, 4 to 7 in the second.
#if defined(__clang__)
#define TS_QUAD_PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define TS_QUAD_PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (ts_quad_mask){i, j, k, l})
#endif

#endif
