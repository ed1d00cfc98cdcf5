#include "shape/implicit.h"

#include "base/assert.h"

#include <math.h>

static const ts_mat3 zero = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

// f = n.x - offset
static double half_space(ts_vec3 n, double offset, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  if (gradient) *gradient = n;
  if (hessian) *hessian = zero;
  return ts_dot(n, x) - offset;
}

// f = s (x^T D x - 1) / 2, D = diag(d)
static double quadric(double s, ts_vec3 d, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  const ts_vec3 Dx = {d.x * x.x, d.y * x.y, d.z * x.z};
  if (gradient) *gradient = ts_scale(s, Dx);
  if (hessian) *hessian = (ts_mat3){{s * d.x, 0.0, 0.0}, {0.0, s * d.y, 0.0}, {0.0, 0.0, s * d.z}};
  return 0.5 * s * (ts_dot(x, Dx) - 1.0);
}

// (|x|^2 - r^2) / (2 r): smooth everywhere, unlike |x| - r, and with the same gradient on the surface
static double ball(double r, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  const double d = 1.0 / (r * r);
  return quadric(r, ts_vec3_make(d, d, d), x, gradient, hessian);
}

// The ball's function of the distance to the axis
static double round_side(double r, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  const double d = 1.0 / (r * r);
  return quadric(r, ts_vec3_make(d, d, 0.0), x, gradient, hessian);
}

// The ball's function of the distance to the segment. Convex with a continuous gradient; its second derivative along
// the axis jumps from 0 to 1/r where the caps begin, as the curvature of the surface does.
static double capsule(double r, double half_length, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  const double along = fmin(fmax(x.z, -half_length), half_length);
  const ts_vec3 from_segment = {x.x, x.y, x.z - along};
  if (along == x.z) return round_side(r, from_segment, gradient, hessian);
  return ball(r, from_segment, gradient, hessian);
}

// |grad f| = 1 is possible at one place of the surface only. The scale, the geometric mean of the longest and the
// shortest semi-axis, keeps it between c and 1/c with c^2 the ratio of the two.
static double ellipsoid(ts_vec3 a, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  const double longest = fmax(fmax(a.x, a.y), a.z), shortest = fmin(fmin(a.x, a.y), a.z);
  const ts_vec3 d = {1.0 / (a.x * a.x), 1.0 / (a.y * a.y), 1.0 / (a.z * a.z)};
  return quadric(sqrt(longest * shortest), d, x, gradient, hessian);
}

static ts_vec3 signed_axis(int i)
{
  static const ts_vec3 axes[6] = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0},  {0.0, -1.0, 0.0},
                                  {0.0, 1.0, 0.0},  {0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
  return axes[i];
}

static double cylinder(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  if (i == 0) return round_side(part->radius, x, gradient, hessian);
  return half_space(signed_axis(3 + i), part->half_length, x, gradient, hessian);
}

int ts_implicit_count(const ts_convex *part)
{
  switch (part->kind) {
  case TS_SHAPE_POINT:
    return 6;
  case TS_SHAPE_CYLINDER:
    return 3;
  case TS_SHAPE_BOX:
  case TS_SHAPE_POLYTOPE:
  case TS_SHAPE_POLYGON:
    return part->hull->face_count;
  default:
    return 1;
  }
}

double ts_implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  TS_ASSERT(i >= 0 && i < ts_implicit_count(part));
  switch (part->kind) {
  case TS_SHAPE_PLANE:
    return half_space(part->normal, part->offset, x, gradient, hessian);
  case TS_SHAPE_POINT:
    return half_space(signed_axis(i), 0.0, x, gradient, hessian);
  case TS_SHAPE_SPHERE:
    return ball(part->radius, x, gradient, hessian);
  case TS_SHAPE_DISC:
    return round_side(part->radius, x, gradient, hessian);
  case TS_SHAPE_CAPSULE:
    return capsule(part->radius, part->half_length, x, gradient, hessian);
  case TS_SHAPE_CYLINDER:
    return cylinder(part, i, x, gradient, hessian);
  case TS_SHAPE_ELLIPSOID:
    return ellipsoid(part->half, x, gradient, hessian);
  default:
    return half_space(part->hull->normals[i], part->hull->offsets[i], x, gradient, hessian);
  }
}
