// Four contacts at a time, each solved exactly with the others fixed: the method of one_contact.h in lanes. What does
// not come out there (a normal row without a mass, a search that leaves its bracket) is solved alone.
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

// What the other contacts leave these with: the normal velocity w_n, b = w_t - W_tn w_n / W_nn, and the normal impulse
// that stops w_n alone.
typedef struct lanes_data {
  ts_quad normal, b[3], stop;
} lanes_data;

// Of contacts that have the velocities u at impulses y: w = u - W y.
TS_INLINE lanes_data lanes_without_own(const int t, const ts_lane_block *c, const ts_quad *u, const ts_quad *y)
{
  lanes_data given;
  const ts_quad own = y[0] + lanes_dot(t, c->nt, y + 1); // W_n y / W_nn
  given.normal = u[0] - c->normal * own;
  given.stop = own - u[0] * c->inverse_normal;
  for (int k = 0; k < t; ++k) given.b[k] = u[k + 1] - c->nt[k] * u[0] - c->S[k] * y[k + 1];
  return given;
}

// The normal impulse that keeps u_n = 0 beside tangential ones.
TS_INLINE ts_quad lanes_normal_impulse(const int t, const ts_lane_block *c, const lanes_data *given, const ts_quad *r)
{
  return given->stop - lanes_dot(t, c->nt, r + 1);
}

// Where the search for a multiplier begins: at the last one, else at that of a block that is a multiple of the identity
// in the tangents.
TS_INLINE ts_quad lanes_first_multiplier(const int t, const ts_lane_block *c, const lanes_data *given,
                                         ts_quad_mask slide)
{
  const ts_quad_mask known = c->a > 0.0;
  if (!ts_quad_any(slide & ~known)) return c->a;
  ts_quad tangential = c->S[0];
  for (int k = 1; k < t; ++k) tangential += c->S[k];
  const ts_quad least = 1e-3 * tangential;
  const ts_quad guess = ts_quad_sqrt(lanes_dot(t, given->b, given->b)) / (c->mu * given->stop) - tangential / (double)t;
  return ts_quad_select(known, c->a, ts_quad_select((guess > least) & (guess < 1e300), guess, least));
}

// Sliding: the root of mu r_n - |r_t| in the multiplier a of r_t = -(S + a I)^-1 b, by Newton's method on
// mu r_n/|r_t| - 1, in a bracket that every value narrows. From a point that is near the last step is taken along the
// slope: the next visit starts from there, and the error is squared every time. Returns the lanes among `slide` that
// came to an end.
TS_INLINE ts_quad_mask lanes_slide(const int t, ts_lane_block *c, const lanes_data *given, ts_quad_mask slide,
                                   ts_quad *r)
{
  enum { MOST_STEPS = 8 };
  static const double NEAR_THE_CONE = 0.05; // of the friction
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0}, without = zero + INFINITY;
  ts_quad a = lanes_first_multiplier(t, c, given, slide), low = zero, high = without, step = zero, slope[3];
  ts_quad_mask near = ~slide;
  for (int k = 0; k < MOST_STEPS; ++k) {
    for (int i = 0; i < t; ++i) {
      const ts_quad inverse = 1.0 / (c->S[i] + a);
      r[i + 1] = -given->b[i] * inverse;
      slope[i] = r[i + 1] * inverse; // -dr_t/da
    }
    r[0] = lanes_normal_impulse(t, c, given, r);
    const ts_quad squared = lanes_dot(t, r + 1, r + 1), size = ts_quad_sqrt(squared), excess = size - c->mu * r[0];
    const ts_quad rise = c->mu * (lanes_dot(t, c->nt, slope) * squared + r[0] * lanes_dot(t, r + 1, slope));
    step = excess * squared / rise;
    low = ts_quad_select(excess > zero, a, low);
    high = ts_quad_select(excess > zero, high, a);
    const ts_quad next = a + step;
    const ts_quad_mask inside = (next >= low) & (next <= high); // at the root the step is 0
    near = inside & (ts_quad_abs(excess) < NEAR_THE_CONE * size);
    if (!ts_quad_any(slide & ~near)) break;
    a = ts_quad_select(inside, next, ts_quad_select(high < without, 0.5 * (low + high), 10.0 * a));
  }
  for (int k = 0; k < t; ++k) r[k + 1] -= slope[k] * step;
  r[0] = lanes_normal_impulse(t, c, given, r);
  const ts_quad size = ts_quad_sqrt(lanes_dot(t, r + 1, r + 1)), onto = c->mu * r[0] / size; // the cone exactly
  for (int k = 1; k <= t; ++k) r[k] = r[k] * onto;
  const ts_quad_mask good = slide & near & (r[0] >= zero) & (size > zero) & (size < without);
  c->a = ts_quad_select(good, a + step, c->a);
  return good;
}

// The impulses r of four contacts that have the velocities u at impulses y, the others fixed.
TS_INLINE void ts_lanes_solve(const int d, ts_lane_block *c, const ts_quad *u, const ts_quad *y, ts_quad *r)
{
  const int t = d - 1;
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0};
  const lanes_data given = lanes_without_own(t, c, u, y);
  const ts_quad_mask closed = ~(given.normal >= 0.0), rough = c->mu > 0.0, able = c->inverse_normal > 0.0;
  ts_quad stick[4], slip[4];
  for (int k = 0; k < t; ++k) stick[k + 1] = -given.b[k] * c->inverse_S[k];
  stick[0] = lanes_normal_impulse(t, c, &given, stick);
  const ts_quad friction = c->mu * stick[0];
  const ts_quad_mask sticks = (stick[0] >= 0.0) & (lanes_dot(t, stick + 1, stick + 1) <= friction * friction);
  const ts_quad_mask slides = closed & able & rough & ~sticks;
  ts_quad_mask good = ~closed | (able & ~rough) | (able & sticks);
  for (int k = 0; k < d; ++k) {
    const ts_quad bare = k == 0 ? given.stop : zero;
    r[k] = ts_quad_select(closed, ts_quad_select(rough, stick[k], bare), zero);
  }
  if (ts_quad_any(slides)) {
    const ts_quad_mask slipped = lanes_slide(t, c, &given, slides, slip);
    for (int k = 0; k < d; ++k) r[k] = ts_quad_select(slipped, slip[k], r[k]);
    good |= slipped;
  }
  const ts_quad_mask alone = ~good;
  if (!ts_quad_any(alone)) return;
  ts_quad w[4] = {given.normal};
  for (int k = 0; k < t; ++k) w[k + 1] = given.b[k] + c->nt[k] * given.normal;
  ts_lanes_solve_alone(d, c, &alone, w, y, r);
}

#endif
