// The residual of four contacts with round cones: cone_residual_inline.h in lanes.
#ifndef TS_COMPLEMENTARITY_FRICTION_LANE_RESIDUAL_INLINE_H
#define TS_COMPLEMENTARITY_FRICTION_LANE_RESIDUAL_INLINE_H

#include "math/quad.h"

TS_INLINE ts_quad ts_lanes_tangent_norm(const ts_quad *x, const int d)
{
  ts_quad sum = x[1] * x[1];
  for (int k = 2; k < d; ++k) sum += x[k] * x[k];
  return ts_quad_sqrt(sum);
}

// x onto the cones.
TS_INLINE void ts_lanes_project(const int d, ts_quad mu, ts_quad *x)
{
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0}, one = zero + 1.0;
  const ts_quad tangent = ts_lanes_tangent_norm(x, d), edge = (x[0] + mu * tangent) / (one + mu * mu);
  const ts_quad_mask within = (x[0] >= zero) & (tangent <= mu * x[0]), beside = mu * tangent > -x[0];
  const ts_quad shrink = ts_quad_select(within, one, ts_quad_select(beside, mu * edge / tangent, zero));
  x[0] = ts_quad_select(within, x[0], ts_quad_select(beside, edge, zero));
  for (int k = 1; k < d; ++k) x[k] = shrink * x[k];
}

// |r - P_K(r - u - mu |u_t| n)|^2 with r multiplied and u divided by s.
TS_INLINE ts_quad ts_lanes_natural_squared(const int d, ts_quad mu, const ts_quad *r, const ts_quad *u, ts_quad s)
{
  const ts_quad inverse = 1.0 / s;
  ts_quad x[4];
  for (int k = 0; k < d; ++k) x[k] = s * r[k] - u[k] * inverse;
  x[0] -= mu * ts_lanes_tangent_norm(u, d) * inverse;
  ts_lanes_project(d, mu, x);
  ts_quad sum = (s * r[0] - x[0]) * (s * r[0] - x[0]);
  for (int k = 1; k < d; ++k) sum += (s * r[k] - x[k]) * (s * r[k] - x[k]);
  return sum;
}

// What the natural map loses sight of with much friction, squared: an error of u_n shows there over sqrt(1 + mu^2).
TS_INLINE ts_quad ts_lanes_normal_law_squared(const int d, const ts_quad *r, const ts_quad *u)
{
  ts_quad impulse = r[0] * r[0];
  for (int k = 1; k < d; ++k) impulse += r[k] * r[k];
  const ts_quad squared = u[0] * u[0];
  return ts_quad_select((u[0] > 0.0) & (impulse < squared), impulse, squared);
}

// Both together, in variables that are scaled already.
TS_INLINE ts_quad ts_lanes_lawful_squared(const int d, ts_quad mu, const ts_quad *r, const ts_quad *u)
{
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0};
  const ts_quad natural = ts_lanes_natural_squared(d, mu, r, u, zero + 1.0);
  const ts_quad normal = ts_lanes_normal_law_squared(d, r, u);
  return ts_quad_select((mu > 1.0) & (normal > natural), normal, natural);
}

#endif
