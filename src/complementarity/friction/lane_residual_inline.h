// The residual of contacts with round cones: cone_residual_inline.h in lanes. Once for each TS_KIND (lane_names.h).
#include "complementarity/friction/lane_names.h"

TS_INLINE TS_VEC TS_OF(tangent_norm)(const TS_VEC *x, const int d)
{
  TS_VEC sum = x[1] * x[1];
  for (int k = 2; k < d; ++k) sum += x[k] * x[k];
  return TS_OF(sqrt)(sum);
}

// x onto the cones.
TS_INLINE void TS_OF(project)(const int d, TS_VEC mu, TS_VEC *x)
{
  const TS_VEC zero = {0}, one = zero + 1.0;
  const TS_VEC tangent = TS_OF(tangent_norm)(x, d), edge = (x[0] + mu * tangent) / (one + mu * mu);
  const TS_MASK within = (x[0] >= zero) & (tangent <= mu * x[0]), beside = mu * tangent > -x[0];
  const TS_VEC shrink = TS_OF(select)(within, one, TS_OF(select)(beside, mu * edge / tangent, zero));
  x[0] = TS_OF(select)(within, x[0], TS_OF(select)(beside, edge, zero));
  for (int k = 1; k < d; ++k) x[k] = shrink * x[k];
}

// |r - P_K(r - u - mu |u_t| n)|^2 with r multiplied and u divided by s.
TS_INLINE TS_VEC TS_OF(natural_squared)(const int d, TS_VEC mu, const TS_VEC *r, const TS_VEC *u, TS_VEC s)
{
  const TS_VEC inverse = 1.0 / s;
  TS_VEC x[4];
  for (int k = 0; k < d; ++k) x[k] = s * r[k] - u[k] * inverse;
  x[0] -= mu * TS_OF(tangent_norm)(u, d) * inverse;
  TS_OF(project)(d, mu, x);
  TS_VEC sum = (s * r[0] - x[0]) * (s * r[0] - x[0]);
  for (int k = 1; k < d; ++k) sum += (s * r[k] - x[k]) * (s * r[k] - x[k]);
  return sum;
}

// What the natural map loses sight of with much friction, squared: an error of u_n shows there over sqrt(1 + mu^2).
TS_INLINE TS_VEC TS_OF(normal_law_squared)(const int d, const TS_VEC *r, const TS_VEC *u)
{
  TS_VEC impulse = r[0] * r[0];
  for (int k = 1; k < d; ++k) impulse += r[k] * r[k];
  const TS_VEC squared = u[0] * u[0];
  return TS_OF(select)((u[0] > 0.0) & (impulse < squared), impulse, squared);
}

// Both together, in variables that are scaled already.
TS_INLINE TS_VEC TS_OF(lawful_squared)(const int d, TS_VEC mu, const TS_VEC *r, const TS_VEC *u)
{
  const TS_VEC zero = {0};
  const TS_VEC natural = TS_OF(natural_squared)(d, mu, r, u, zero + 1.0);
  const TS_VEC normal = TS_OF(normal_law_squared)(d, r, u);
  return TS_OF(select)((mu > 1.0) & (normal > natural), normal, natural);
}
