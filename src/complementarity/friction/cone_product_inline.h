// Products of a row of W with a vector, in padded vectors of four numbers a contact.
#ifndef TS_COMPLEMENTARITY_FRICTION_CONE_PRODUCT_INLINE_H
#define TS_COMPLEMENTARITY_FRICTION_CONE_PRODUCT_INLINE_H

#include "complementarity/friction/cone_problem.h"

#include "math/quad.h"

// sum[c] += column c of the blocks from `first` to before `end` times its part of x. The columns are added up each for
// itself: one sum would wait for every addition to end.
TS_INLINE void ts_cone_add_products(const ts_cone_problem *p, int first, int end, const double *x, ts_quad *sum,
                                    const int d)
{
  for (int b = first; b < end; ++b) {
    const double *block = p->W + (size_t)b * (size_t)(4 * d), *xj = x + 4 * (size_t)p->index[b];
    for (int c = 0; c < d; ++c) sum[c] += TS_CONST_QUAD(block + 4 * c) * xj[c];
  }
}

TS_INLINE ts_quad ts_cone_sum_of_columns(const ts_quad *sum, const int d)
{
  return d == 4 ? sum[0] + sum[1] + (sum[2] + sum[3]) : sum[0] + sum[1] + sum[2];
}

#endif
