// Four contacts at a time, each solved exactly with the others fixed: the method of one_contact.h in lanes. What does
// not come out there (a block that is nearly singular, a search that leaves its bracket) is solved alone.
#ifndef TS_COMPLEMENTARITY_FRICTION_LANE_CONTACT_INLINE_H
#define TS_COMPLEMENTARITY_FRICTION_LANE_CONTACT_INLINE_H

#include "complementarity/friction/lane_contact.h"

// Products of t tangents.
TS_INLINE ts_quad lanes_dot(const int t, const ts_quad *x, const ts_quad *y)
{
  ts_quad sum = x[0] * y[0];
  for (int k = 1; k < t; ++k) sum += x[k] * y[k];
  return sum;
}

// y = W x of the contacts' own blocks.
TS_INLINE void ts_lanes_multiply(const int d, const ts_lane_block *c, const ts_quad *x, ts_quad *y)
{
  const int t = d - 1;
  const ts_quad *S = c->S;
  y[0] = c->normal * (x[0] + lanes_dot(t, c->nt, x + 1));
  for (int r = 0; r < t; ++r) {
    y[r + 1] = c->nt[r] * y[0];
    for (int k = 0; k < t; ++k) y[r + 1] += S[r >= k ? r * (r + 1) / 2 + k : k * (k + 1) / 2 + r] * x[k + 1];
  }
}

// (S + a I)^-1 in the lanes whose determinant keeps enough of its digits (one_contact_inline.h).
typedef struct lanes_inverse {
  ts_quad I[6]; // lower triangle, row by row
  ts_quad_mask regular;
} lanes_inverse;

TS_INLINE lanes_inverse lanes_invert(const int t, const ts_quad *S, ts_quad a)
{
  static const double REGULAR_SHARE = 1e-3;
  lanes_inverse v;
  const ts_quad s0 = S[0] + a;
  if (t == 1) {
    v.regular = s0 > 0.0;
    v.I[0] = 1.0 / s0;
    return v;
  }
  const ts_quad s2 = S[2] + a, product = s0 * s2, minor = product - S[1] * S[1];
  if (t == 2) {
    const ts_quad inverse = 1.0 / minor;
    v.regular = (minor > 0.0) & (minor > REGULAR_SHARE * product);
    v.I[0] = s2 * inverse;
    v.I[1] = -S[1] * inverse;
    v.I[2] = s0 * inverse;
    return v;
  }
  const ts_quad s5 = S[5] + a;
  const ts_quad c0 = s2 * s5 - S[4] * S[4], c1 = S[4] * S[3] - S[1] * s5, c3 = S[1] * S[4] - s2 * S[3];
  const ts_quad determinant = s0 * c0 + S[1] * c1 + S[3] * c3, inverse = 1.0 / determinant;
  v.regular = (determinant > 0.0) & (determinant > REGULAR_SHARE * (product * s5));
  v.I[0] = c0 * inverse;
  v.I[1] = c1 * inverse;
  v.I[2] = (s0 * s5 - S[3] * S[3]) * inverse;
  v.I[3] = c3 * inverse;
  v.I[4] = (S[3] * S[1] - s0 * S[4]) * inverse;
  v.I[5] = minor * inverse;
  return v;
}

TS_INLINE void lanes_apply(const int t, const lanes_inverse *v, const ts_quad *b, ts_quad *x)
{
  for (int r = 0; r < t; ++r) {
    x[r] = v->I[r * (r + 1) / 2] * b[0];
    for (int k = 1; k < t; ++k) x[r] += v->I[r >= k ? r * (r + 1) / 2 + k : k * (k + 1) / 2 + r] * b[k];
  }
}

// What the contacts are given: b = q_t - W_tn q_n / W_nn, and the normal impulse that stops q_n alone.
typedef struct lanes_data {
  ts_quad b[3], stop;
} lanes_data;

// Impulse for given multipliers: r_t = -(S + a I)^-1 b and the normal impulse that keeps u_n = 0.
TS_INLINE lanes_inverse lanes_impulse(const int t, const ts_lane_block *c, const lanes_data *given, ts_quad a,
                                      ts_quad *r)
{
  const lanes_inverse v = lanes_invert(t, c->S, a);
  lanes_apply(t, &v, given->b, r + 1);
  for (int k = 1; k <= t; ++k) r[k] = -r[k];
  r[0] = given->stop - lanes_dot(t, c->nt, r + 1);
  return v;
}

// Where the search for a multiplier begins: at the last one, else at that of a block that is a multiple of the identity
// in the tangents.
TS_INLINE ts_quad lanes_first_multiplier(const int t, const ts_lane_block *c, const lanes_data *given)
{
  ts_quad tangential = c->S[0];
  for (int k = 1; k < t; ++k) tangential += c->S[(k + 1) * (k + 2) / 2 - 1];
  const ts_quad least = 1e-3 * tangential;
  const ts_quad guess = ts_quad_sqrt(lanes_dot(t, given->b, given->b)) / (c->mu * given->stop) - tangential / (double)t;
  return ts_quad_select(c->a > 0.0, c->a, ts_quad_select((guess > least) & (guess < 1e300), guess, least));
}

// Sliding: the root of mu r_n - |r_t| in the multiplier, by Newton's method on mu r_n/|r_t| - 1, in a bracket that
// every value narrows. From a point that is near the last step is taken along the slope: the next visit starts from
// there, and the error is squared every time. Returns the lanes among `slide` that came to an end.
TS_INLINE ts_quad_mask lanes_slide(const int t, ts_lane_block *c, const lanes_data *given, ts_quad_mask slide,
                                   ts_quad *r)
{
  enum { MOST_STEPS = 8 };
  static const double NEAR_THE_CONE = 0.05; // of the friction
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0}, without = zero + INFINITY;
  ts_quad a = lanes_first_multiplier(t, c, given), low = zero, high = without, step = zero, slope[3];
  ts_quad_mask good = slide, near = ~slide;
  for (int k = 0; k < MOST_STEPS; ++k) {
    const lanes_inverse v = lanes_impulse(t, c, given, a, r);
    const ts_quad squared = lanes_dot(t, r + 1, r + 1), size = ts_quad_sqrt(squared), excess = size - c->mu * r[0];
    lanes_apply(t, &v, r + 1, slope); // -dr_t/da
    const ts_quad rise = c->mu * (lanes_dot(t, c->nt, slope) * squared + r[0] * lanes_dot(t, r + 1, slope));
    step = excess * squared / rise;
    low = ts_quad_select(excess > zero, a, low);
    high = ts_quad_select(excess > zero, high, a);
    const ts_quad next = a + step;
    const ts_quad_mask inside = (next >= low) & (next <= high); // at the root the step is 0
    good &= v.regular;
    near = inside & (ts_quad_abs(excess) < NEAR_THE_CONE * size);
    if (!ts_quad_any(good & ~near)) break;
    a = ts_quad_select(inside, next, ts_quad_select(high < without, 0.5 * (low + high), 10.0 * a));
  }
  for (int k = 0; k < t; ++k) r[k + 1] -= slope[k] * step;
  r[0] = given->stop - lanes_dot(t, c->nt, r + 1);
  const ts_quad size = ts_quad_sqrt(lanes_dot(t, r + 1, r + 1)), onto = c->mu * r[0] / size; // the cone exactly
  for (int k = 1; k <= t; ++k) r[k] = r[k] * onto;
  good &= near & (r[0] >= zero) & (size > zero) & (size < without);
  c->a = ts_quad_select(good, a + step, c->a);
  return good;
}

// The impulses r of four contacts that the others leave with the velocities q; r holds the last ones.
TS_INLINE void ts_lanes_solve(const int d, ts_lane_block *c, const ts_quad *q, ts_quad *r)
{
  const int t = d - 1;
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0};
  const ts_quad_mask closed = ~(q[0] >= 0.0), rough = c->mu > 0.0;
  lanes_data given = {.stop = -q[0] * c->inverse_normal};
  for (int k = 0; k < t; ++k) given.b[k] = q[k + 1] - c->nt[k] * q[0];
  ts_quad stick[4], slip[4];
  const lanes_inverse v = lanes_impulse(t, c, &given, zero, stick);
  const ts_quad friction = c->mu * stick[0];
  const ts_quad_mask sticks =
      v.regular & (stick[0] >= 0.0) & (lanes_dot(t, stick + 1, stick + 1) <= friction * friction);
  const ts_quad_mask able = c->inverse_normal > 0.0, slides = closed & able & rough & ~sticks & v.regular;
  ts_quad_mask good = ~closed | (able & ~rough) | (able & sticks), slipped = slides & ~slides;
  if (ts_quad_any(slides)) {
    slipped = lanes_slide(t, c, &given, slides, slip);
    good |= slipped;
  }
  const ts_quad_mask alone = ~good;
  ts_quad last[4];
  for (int k = 0; k < d; ++k) {
    last[k] = r[k];
    const ts_quad bare = k == 0 ? given.stop : zero;
    ts_quad value = ts_quad_select(rough, stick[k], bare);
    if (ts_quad_any(slides)) value = ts_quad_select(slipped, slip[k], value);
    r[k] = ts_quad_select(closed, value, zero);
  }
  if (ts_quad_any(alone)) ts_lanes_solve_alone(d, c, &alone, q, last, r);
}

#endif
