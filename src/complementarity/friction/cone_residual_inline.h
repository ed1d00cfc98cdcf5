// The residual of one contact with a round cone, as the solvers measure it. (The certificate has formulas of its own.)
#ifndef TS_COMPLEMENTARITY_FRICTION_CONE_RESIDUAL_INLINE_H
#define TS_COMPLEMENTARITY_FRICTION_CONE_RESIDUAL_INLINE_H

#include "base/hot.h"

#include <math.h>

TS_INLINE double ts_tangent_norm(const double *x, const int d)
{
  double sum = x[1] * x[1];
  for (int k = 2; k < d; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

// |r - P_K(r - u - mu |u_t| n)|^2 with r multiplied and u divided by s.
TS_INLINE double ts_natural_squared(const int d, double mu, const double *r, const double *u, double s)
{
  const double inverse = 1.0 / s;
  double x[4], sum = 0.0;
  for (int k = 0; k < d; ++k) x[k] = s * r[k] - u[k] * inverse;
  x[0] -= mu * ts_tangent_norm(u, d) * inverse;
  const double tangent = ts_tangent_norm(x, d), bound = mu * x[0];
  double normal = 0.0, shrink = 0.0;
  if (x[0] >= 0.0 && tangent <= bound) {
    normal = x[0];
    shrink = 1.0;
  } else if (mu * tangent > -x[0]) {
    normal = (x[0] + mu * tangent) / (1.0 + mu * mu);
    shrink = mu * normal / tangent;
  }
  sum = (s * r[0] - normal) * (s * r[0] - normal);
  for (int k = 1; k < d; ++k) sum += (s * r[k] - shrink * x[k]) * (s * r[k] - shrink * x[k]);
  return sum;
}

// What the natural map loses sight of with much friction, squared: an error of u_n shows there over sqrt(1 + mu^2).
TS_INLINE double ts_normal_law_squared(const int d, const double *r, const double *u, double s)
{
  double impulse = 0.0;
  for (int k = 0; k < d; ++k) impulse += r[k] * r[k];
  impulse *= s * s;
  const double velocity = u[0] / s, squared = velocity * velocity;
  return velocity > 0.0 && impulse < squared ? impulse : squared;
}

// Both together.
TS_INLINE double ts_lawful_squared(const int d, double mu, const double *r, const double *u, double s)
{
  const double natural = ts_natural_squared(d, mu, r, u, s);
  const double normal = mu > 1.0 ? ts_normal_law_squared(d, r, u, s) : 0.0;
  return normal > natural ? normal : natural;
}

#endif
