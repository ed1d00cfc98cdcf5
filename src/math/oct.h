// Eight numbers of single precision at a time: quad.h with twice the lanes in the same registers.
#ifndef TS_MATH_OCT_H
#define TS_MATH_OCT_H

#include "math/quad.h"

// Unaligned, and allowed to alias the floats it is loaded from.
typedef float ts_oct __attribute__((vector_size(32), aligned(4), may_alias));

#define TS_OCT(pointer)       (*(ts_oct *)(pointer))
#define TS_CONST_OCT(pointer) (*(const ts_oct *)(pointer))

// What comparing two of them gives: -1 where it is true.
typedef int32_t ts_oct_mask __attribute__((vector_size(32), aligned(4), may_alias));

TS_INLINE ts_oct ts_oct_abs(ts_oct x)
{
  const ts_oct_mask all_but_sign = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX,
                                    INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
  return (ts_oct)((ts_oct_mask)x & all_but_sign);
}

TS_INLINE ts_oct ts_oct_sqrt(ts_oct x)
{
  return (ts_oct){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3]),
                  sqrtf(x[4]), sqrtf(x[5]), sqrtf(x[6]), sqrtf(x[7])};
}

// a where the mask is set, else b.
TS_INLINE ts_oct ts_oct_select(ts_oct_mask mask, ts_oct a, ts_oct b)
{
  return (ts_oct)(((ts_oct_mask)a & mask) | ((ts_oct_mask)b & ~mask));
}

TS_INLINE bool ts_oct_any(ts_oct_mask mask)
{
  return ts_quad_any((ts_quad_mask)mask);
}

TS_INLINE double ts_oct_sum(ts_oct x)
{
  const ts_quad low = {x[0], x[1], x[2], x[3]}, high = {x[4], x[5], x[6], x[7]};
  return ts_quad_sum(low + high);
}

// Two quads rounded into one.
TS_INLINE ts_oct ts_oct_round(ts_quad low, ts_quad high)
{
  ts_oct x;
  for (int lane = 0; lane < 4; ++lane) {
    x[lane] = (float)low[lane];
    x[lane + 4] = (float)high[lane];
  }
  return x;
}

// Its first or second half (0, 1).
TS_INLINE ts_quad ts_oct_half(ts_oct x, int half)
{
  return (ts_quad){x[4 * half], x[4 * half + 1], x[4 * half + 2], x[4 * half + 3]};
}

// Eight numbers of two octs, by their places: 0 to 7 in the first one, 8 to 15 in the second.
#if defined(__clang__)
#define TS_OCT_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TS_OCT_PICK(a, b, ...) __builtin_shuffle(a, b, (ts_oct_mask){__VA_ARGS__})
#endif

#endif
