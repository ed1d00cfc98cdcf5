// All points within a radius of a segment along z.
#include "shape/checks.h"
#include "shape/extent.h"
#include "shape/implicit.h"
#include "shape/mass.h"
#include "shape/round_patch.h"
#include "shape/shape_type.h"

static const ts_key keys[] = {
    {"radius", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "radius",
     .offset = offsetof(ts_shape, radius)},
    {"length", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true,
     .help = "between the centres of the caps", .offset = offsetof(ts_shape, length)},
};
static const ts_section section = {"a capsule", TS_KEYS(keys)};

static ts_status check(const ts_shape *shape, ts_error *error)
{
  TS_TRY(ts_check_length(shape, "radius", shape->radius, error));
  return ts_check_length(shape, "length", shape->length, error);
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  const ts_vec3 one = {1.0, 1.0, 1.0};
  const double r = shape->radius, half = 0.5 * shape->length;
  ts_draw_band(sink, (ts_ring){r, -half}, (ts_ring){r, half}, one);
  ts_draw_domes(sink, r, half, one);
}

static void measure(const ts_shape *shape, ts_convex *part)
{
  part->radius = shape->radius;
  part->half_length = 0.5 * shape->length;
  part->reach = part->half_length + part->radius;
}

static ts_vec3 support(const ts_convex *part, ts_vec3 direction)
{
  const ts_vec3 cap = ts_with_length(part->radius, direction);
  return ts_vec3_make(cap.x, cap.y, cap.z + copysign(part->half_length, direction.z));
}

static ts_bounds bounds(const ts_convex *part, const ts_frame *frame)
{
  const ts_vec3 ball = {part->radius, part->radius, part->radius};
  return ts_bounds_about(frame->origin, ts_add(ts_segment_extent(&frame->axes, part->half_length), ball));
}

static double inner_radius(const ts_convex *part)
{
  return part->radius;
}

// The ball's function of the distance to the segment. Convex with a continuous gradient; its second derivative along
// the axis jumps from 0 to 1/r where the caps begin, as the curvature of the surface does.
static double implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  (void)i;
  const double along = fmin(fmax(x.z, -part->half_length), part->half_length);
  const ts_vec3 from_segment = {x.x, x.y, x.z - along};
  if (along == x.z) return ts_implicit_round_side(part->radius, from_segment, gradient, hessian);
  return ts_implicit_ball(part->radius, from_segment, gradient, hessian);
}

// A cylinder and a ball cut in two. A half-ball's centre lies 3 r / 8 from its flat side, so that moving both halves
// out by l adds 2 (3 r / 8) l + l^2 a unit of volume to the second moment along the axis.
static ts_mass_properties mass(const ts_convex *part)
{
  const double r = part->radius, l = part->half_length;
  const ts_mass_properties cylinder = ts_cylinder_mass(r, l), ball = ts_ellipsoid_mass(r, r, r);
  const double along = ball.volume * l * (0.75 * r + l);
  ts_mass_properties sum = {.volume = cylinder.volume + ball.volume, .inertia = {along, along}};
  for (int k = 0; k < 6; ++k) sum.inertia[k] += cylinder.inertia[k];
  for (int k = 0; k < 6; ++k) sum.inertia[k] += ball.inertia[k];
  return sum;
}

// Where the line is tilted its lower end is the lowest point of the cap, which is not on the line.
static void line(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                 ts_patch *patch)
{
  (void)facing;
  ts_patch_round_line(part, frame, outward, patch);
  if (patch->kind == TS_PATCH_POINT) return;
  const ts_vec3 axis = frame->axes.z;
  const double end = copysign(part->half_length, ts_dot(axis, outward));
  patch->ends[end > 0.0] = ts_add_scaled(ts_add_scaled(frame->origin, end, axis), part->radius, outward);
}

static bool surface_over(const ts_patch *line, ts_vec3 x, ts_vec3 *y)
{
  const double radius = line->round->radius, half = line->round->half_length;
  const ts_vec3 axis = line->frame->axes.z, d = ts_sub(x, line->frame->origin), m = line->outward;
  double h;
  if (!ts_far_side(ts_add_scaled(d, -ts_dot(d, axis), axis), ts_add_scaled(m, -ts_dot(m, axis), axis), radius, &h))
    return false;
  const double along = ts_dot(axis, ts_add_scaled(d, h, m));
  if (fabs(along) > half && !ts_far_side(ts_add_scaled(d, -copysign(half, along), axis), m, radius, &h)) return false;
  *y = ts_add_scaled(x, h, m);
  return true;
}

static ts_exposed_face exposed_face(const ts_convex *part, ts_vec3 point, ts_vec3 normal)
{
  const double half = part->half_length;
  if (fabs(normal.z) > TS_EXPOSED_LEVEL) return (ts_exposed_face){.kind = TS_EXPOSED_POINT};
  return (ts_exposed_face){.kind = TS_EXPOSED_LINE, .ends = {{point.x, point.y, half}, {point.x, point.y, -half}}};
}

const ts_shape_type ts_shape_type_capsule = {
    .key = {"capsule", TS_VALUE_MAP, .section = &section, .spaces = "3d",
            .help = "all points within `radius` of a segment of `length` along local z"},
    .in_space = true,
    .check = check,
    .draw = draw,
    .measure = measure,
    .symmetry = TS_OF_REVOLUTION,
    .support = support,
    .bounds = bounds,
    .inner_radius = inner_radius,
    .implicit_value = implicit_value,
    .mass = mass,
    .core = TS_CORE_SEGMENT,
    .widest = line,
    .edge = line,
    .surface_over = surface_over,
    .exposed_face = exposed_face,
};
