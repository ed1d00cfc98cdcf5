#include "complementarity/friction/sweep.h"

#include "complementarity/friction/cone_product_inline.h"
#include "complementarity/friction/one_contact_inline.h"

#include "base/hot.h"

#include <string.h>

// q_i + sum over j != i of W_ij r_j.
TS_INLINE void velocity_without_self(const ts_cone_problem *p, int i, const double *r, double *q, const int d)
{
  const int ranges[3] = {p->start[i], p->diagonal[i], p->start[i + 1]};
  if (d == 2) {
    double s0 = p->q[2 * i], s1 = p->q[2 * i + 1];
    for (int half = 0; half < 2; ++half)
      for (int b = ranges[half] + half; b < ranges[half + 1]; ++b) {
        const double *block = p->W + 4 * (size_t)b, *rj = r + 2 * (size_t)p->index[b];
        s0 += block[0] * rj[0] + block[2] * rj[1];
        s1 += block[1] * rj[0] + block[3] * rj[1];
      }
    q[0] = s0;
    q[1] = s1;
    return;
  }
  ts_quad sum[4] = {TS_CONST_QUAD(p->q + 4 * (size_t)i)};
  for (int half = 0; half < 2; ++half) ts_cone_add_products(p, ranges[half] + half, ranges[half + 1], r, sum, d);
  TS_QUAD(q) = ts_cone_sum_of_columns(sum, d);
}

TS_INLINE void visit(const ts_cone_problem *p, ts_one_contact *contacts, int i, double relaxation, double *r,
                     const int d)
{
  const int stride = d == 2 ? 2 : 4;
  double q[4], fresh[4], *ri = r + (size_t)i * (size_t)stride;
  velocity_without_self(p, i, r, q, d);
  memcpy(fresh, ri, (size_t)d * sizeof *fresh);
  ts_solve_one_contact(d, p->mu[i], &contacts[i], p->W + (size_t)p->diagonal[i] * (size_t)(stride * d), stride, q,
                       fresh);
  if (relaxation != 1.0 && fresh[0] > 0.0) {
    for (int k = 0; k < d; ++k) fresh[k] = ri[k] + relaxation * (fresh[k] - ri[k]);
    ts_cone_project(d, p->mu[i], fresh);
  }
  memcpy(ri, fresh, (size_t)d * sizeof *fresh);
}

TS_INLINE void sweep(const ts_cone_problem *p, ts_one_contact *contacts, int count, ts_sweep_order order,
                     double relaxation, double *r, const int d)
{
  for (int s = 0; s < count; ++s) {
    if (order == TS_ALTERNATING && s % 2 == 1)
      for (int i = p->contacts - 1; i >= 0; --i) visit(p, contacts, i, relaxation, r, d);
    else
      for (int i = 0; i < p->contacts; ++i) visit(p, contacts, i, relaxation, r, d);
  }
}

TS_HOT void ts_sweep(const ts_cone_problem *p, ts_one_contact *contacts, int count, ts_sweep_order order,
                     double relaxation, double *r)
{
  switch (p->d) { // a constant dimension lets the compiler unroll
  case 2:
    sweep(p, contacts, count, order, relaxation, r, 2);
    break;
  case 3:
    sweep(p, contacts, count, order, relaxation, r, 3);
    break;
  default:
    sweep(p, contacts, count, order, relaxation, r, 4);
    break;
  }
}
