#include "shape/implicit.h"

#include "shape/shape_type.h"

#include "base/assert.h"

#include <math.h>

static const ts_mat3 zero = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

double ts_implicit_half_space(ts_vec3 n, double offset, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  if (gradient) *gradient = n;
  if (hessian) *hessian = zero;
  return ts_dot(n, x) - offset;
}

double ts_implicit_quadric(double s, ts_vec3 d, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  const ts_vec3 Dx = {d.x * x.x, d.y * x.y, d.z * x.z};
  if (gradient) *gradient = ts_scale(s, Dx);
  if (hessian) *hessian = (ts_mat3){{s * d.x, 0.0, 0.0}, {0.0, s * d.y, 0.0}, {0.0, 0.0, s * d.z}};
  return 0.5 * s * (ts_dot(x, Dx) - 1.0);
}

double ts_implicit_ball(double r, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  const double d = 1.0 / (r * r);
  return ts_implicit_quadric(r, ts_vec3_make(d, d, d), x, gradient, hessian);
}

double ts_implicit_round_side(double r, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  const double d = 1.0 / (r * r);
  return ts_implicit_quadric(r, ts_vec3_make(d, d, 0.0), x, gradient, hessian);
}

int ts_implicit_count(const ts_convex *part)
{
  const ts_shape_type *type = ts_shape_type_of(part->kind);
  return type->implicit_count ? type->implicit_count(part) : 1;
}

double ts_implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  TS_ASSERT(i >= 0 && i < ts_implicit_count(part));
  return ts_shape_type_of(part->kind)->implicit_value(part, i, x, gradient, hessian);
}
