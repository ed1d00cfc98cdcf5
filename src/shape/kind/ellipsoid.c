// An ellipsoid along the local axes.
#include "shape/checks.h"
#include "shape/closed_form.h"
#include "shape/extent.h"
#include "shape/implicit.h"
#include "shape/mass.h"
#include "shape/shape_type.h"

static const ts_key keys[] = {
    {"semi_axes", TS_VALUE_VECTOR, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "half the extents",
     .offset = offsetof(ts_shape, size)},
};
static const ts_section section = {"an ellipsoid", TS_KEYS(keys)};

static ts_status check(const ts_shape *shape, ts_error *error)
{
  return ts_check_size(shape, "semi-axis", error);
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  ts_draw_domes(sink, 1.0, 0.0, shape->size);
}

static void measure(const ts_shape *shape, ts_convex *part)
{
  part->half = shape->size;
  part->reach = fmax(fmax(part->half.x, part->half.y), part->half.z);
}

// The point of the ellipsoid with normal d is A^2 d / |A d|, A = diag(semi-axes).
static ts_vec3 support(const ts_convex *part, ts_vec3 direction)
{
  const ts_vec3 axes = part->half;
  const ts_vec3 scaled = {axes.x * direction.x, axes.y * direction.y, axes.z * direction.z};
  const ts_vec3 on_sphere = ts_with_length(1.0, scaled);
  return ts_vec3_make(axes.x * on_sphere.x, axes.y * on_sphere.y, axes.z * on_sphere.z);
}

static ts_bounds bounds(const ts_convex *part, const ts_frame *frame)
{
  return ts_bounds_about(frame->origin, ts_ellipsoid_extent(&frame->axes, part->half));
}

static double inner_radius(const ts_convex *part)
{
  return fmin(part->half.x, fmin(part->half.y, part->half.z));
}

// |grad f| = 1 is possible at one place of the surface only. The scale, the geometric mean of the longest and the
// shortest semi-axis, keeps it between c and 1/c with c^2 the ratio of the two.
static double implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  (void)i;
  const ts_vec3 a = part->half;
  const double longest = fmax(fmax(a.x, a.y), a.z), shortest = fmin(fmin(a.x, a.y), a.z);
  const ts_vec3 d = {1.0 / (a.x * a.x), 1.0 / (a.y * a.y), 1.0 / (a.z * a.z)};
  return ts_implicit_quadric(sqrt(longest * shortest), d, x, gradient, hessian);
}

static ts_mass_properties mass(const ts_convex *part)
{
  return ts_ellipsoid_mass(part->half.x, part->half.y, part->half.z);
}

// ---- distances

// The foot of the perpendicular from a point to an ellipsoid's surface, after D. Eberly, "Distance from a point to an
// ellipse, an ellipsoid, or a hyperellipsoid". With semi-axes e_i, e the least of them, r_i = (e_i/e)^2 and z_i =
// |p_i|/e_i it is x_i = e_i w_i(u), w_i = r_i z_i / (u + r_i - 1), for the only u >= 0 with |w(u)| = 1; outside u > 1.
// Newton's method on 1/|w(u)| - 1, which is concave and nearly linear, climbs from the left without overshooting.
static double foot_component(double r, double z, double u)
{
  return z > 0.0 ? r * z / (u + (r - 1.0)) : 0.0;
}

static double foot_parameter(const double r[3], const double z[3], double start)
{
  enum { MOST = 60 };
  double u = start;
  for (int i = 0; i < MOST; ++i) {
    double ww = 0.0, slope = 0.0; // |w|^2 and -(|w|^2)'/2
    for (int k = 0; k < 3; ++k) {
      if (!(z[k] > 0.0)) continue;
      const double w = foot_component(r[k], z[k], u), inverse = 1.0 / (u + (r[k] - 1.0));
      ww += w * w;
      slope += w * w * inverse;
    }
    const double next = u + (sqrt(ww) - 1.0) * ww / slope;
    if (!(fabs(next - u) > 2e-16 * u)) return u;
    u = next;
  }
  return u;
}

static void point_distance(const ts_core *point, const ts_core *ellipsoid, ts_separation *separation)
{
  const ts_vec3 half = ellipsoid->part->half, p = ts_frame_unapply(&ellipsoid->frame, point->frame.origin);
  const double e[3] = {half.x, half.y, half.z}, y[3] = {p.x, p.y, p.z};
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (e[k] < e[least]) least = k;
  double r[3], z[3], start = 0.0, rest = 0.0;
  for (int k = 0; k < 3; ++k) {
    r[k] = (e[k] / e[least]) * (e[k] / e[least]);
    z[k] = fabs(y[k]) / e[k];
    if (r[k] == 1.0)
      start = sqrt(start * start + z[k] * z[k]);
    else
      rest += (r[k] * z[k] / (r[k] - 1.0)) * (r[k] * z[k] / (r[k] - 1.0));
  }
  double w[3], u = 0.0;
  if (start > 0.0 || rest >= 1.0) {
    // |w| >= 1 at the start by the components along the least axis alone; without any, at 0+ by the others.
    u = foot_parameter(r, z, start);
    for (int k = 0; k < 3; ++k) w[k] = foot_component(r[k], z[k], u);
  } else { // in the middle plane, nearer to the flat sides than to the edge: the foot lies off the plane
    for (int k = 0; k < 3; ++k) w[k] = foot_component(r[k], z[k], 0.0);
    w[least] = sqrt(fmax(0.0, 1.0 - rest));
  }
  // At the foot the normal is along w_i / e_i, and p - x = (u - 1) e^2 x_i / e_i^2.
  const ts_vec3 gradient = {copysign(w[0] / e[0], p.x), copysign(w[1] / e[1], p.y), copysign(w[2] / e[2], p.z)};
  const double length = ts_length(gradient);
  ts_place_distance(point, ellipsoid, (u - 1.0) * e[least] * e[least] * length, ts_scale(1.0 / length, gradient),
                    separation);
}

// With f(x) = |D^-1 x| - 1, the distance is f / |grad f| to first order.
static double outside(const ts_convex *part, ts_vec3 point)
{
  const ts_vec3 half = part->half, q = {point.x / half.x, point.y / half.y, point.z / half.z};
  const double length = ts_length(q);
  const ts_vec3 gradient = {q.x / half.x, q.y / half.y, q.z / half.z};
  return length > 0.0 ? (length - 1.0) * length / ts_length(gradient) : -inner_radius(part);
}

static ts_feature feature_at(const ts_core *core, ts_vec3 point, ts_vec3 outward)
{
  (void)point, (void)outward;
  return (ts_feature){.kind = TS_FEATURE_SMOOTH, .core = core, .point = core->frame.origin};
}

static ts_vec3 scaled_by_squares(ts_vec3 half, ts_vec3 v)
{
  return (ts_vec3){half.x * half.x * v.x, half.y * half.y * v.y, half.z * half.z * v.z};
}

static ts_vec3 bend(const ts_core *core, ts_vec3 m, ts_vec3 t)
{
  const ts_mat3 *axes = &core->frame.axes;
  const ts_vec3 half = core->part->half;
  const ts_vec3 local_m = ts_mul_transposed(axes, m), local_t = ts_mul_transposed(axes, t);
  const ts_vec3 image = scaled_by_squares(half, local_m); // D^2 m, with h = |D m|
  const double h = sqrt(ts_dot(local_m, image));
  const ts_vec3 turned = ts_add_scaled(scaled_by_squares(half, local_t), -ts_dot(image, local_t) / (h * h), image);
  return ts_scale(1.0 / h, ts_mul(axes, turned));
}

const ts_shape_type ts_shape_type_ellipsoid = {
    .key = {"ellipsoid", TS_VALUE_MAP, .section = &section, .spaces = "3d",
            .help = "ellipsoid with semi-axes along the local axes"},
    .in_space = true,
    .check = check,
    .draw = draw,
    .measure = measure,
    .support = support,
    .bounds = bounds,
    .inner_radius = inner_radius,
    .implicit_value = implicit_value,
    .mass = mass,
    .core = TS_CORE_SOLID,
    .point_distance = point_distance,
    .outside = outside,
    .feature_at = feature_at,
    .bend = bend,
};
