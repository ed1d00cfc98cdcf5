// A solid cylinder about z.
#include "shape/checks.h"
#include "shape/closed_form.h"
#include "shape/extent.h"
#include "shape/implicit.h"
#include "shape/mass.h"
#include "shape/round_patch.h"
#include "shape/shape_type.h"

static const ts_key keys[] = {
    {"radius", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "radius",
     .offset = offsetof(ts_shape, radius)},
    {"length", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "height",
     .offset = offsetof(ts_shape, length)},
};
static const ts_section section = {"a cylinder", TS_KEYS(keys)};

static ts_status check(const ts_shape *shape, ts_error *error)
{
  TS_TRY(ts_check_length(shape, "radius", shape->radius, error));
  return ts_check_length(shape, "length", shape->length, error);
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  const ts_ring lower = {shape->radius, -0.5 * shape->length}, upper = {shape->radius, 0.5 * shape->length};
  ts_draw_band(sink, lower, upper, ts_vec3_make(1.0, 1.0, 1.0));
  ts_draw_end(sink, upper, 1.0);
  ts_draw_end(sink, lower, -1.0);
}

static void measure(const ts_shape *shape, ts_convex *part)
{
  part->radius = shape->radius;
  part->half_length = 0.5 * shape->length;
  part->reach = hypot(part->half_length, part->radius);
}

static ts_vec3 support(const ts_convex *part, ts_vec3 direction)
{
  const ts_vec3 rim = ts_with_length(part->radius, ts_vec3_make(direction.x, direction.y, 0.0));
  return ts_vec3_make(rim.x, rim.y, copysign(part->half_length, direction.z));
}

static ts_bounds bounds(const ts_convex *part, const ts_frame *frame)
{
  const ts_mat3 *R = &frame->axes;
  return ts_bounds_about(frame->origin,
                         ts_add(ts_segment_extent(R, part->half_length), ts_disc_extent(R, part->radius)));
}

static double inner_radius(const ts_convex *part)
{
  return fmin(part->radius, part->half_length);
}

// Side, bottom, top
static int implicit_count(const ts_convex *part)
{
  (void)part;
  return 3;
}

static double implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  if (i == 0) return ts_implicit_round_side(part->radius, x, gradient, hessian);
  return ts_implicit_half_space(ts_vec3_make(0.0, 0.0, i == 1 ? -1.0 : 1.0), part->half_length, x, gradient, hessian);
}

static ts_mass_properties mass(const ts_convex *part)
{
  return ts_cylinder_mass(part->radius, part->half_length);
}

// ---- distances

static void point_distance(const ts_core *point, const ts_core *cylinder, ts_separation *separation)
{
  const ts_vec3 p = ts_frame_unapply(&cylinder->frame, point->frame.origin);
  const double from_axis = sqrt(p.x * p.x + p.y * p.y);
  const double radial = from_axis - cylinder->part->radius, axial = fabs(p.z) - cylinder->part->half_length;
  const ts_vec3 outward =
      from_axis > 0.0 ? ts_vec3_make(p.x / from_axis, p.y / from_axis, 0.0) : ts_vec3_make(1.0, 0.0, 0.0);
  const ts_vec3 up = ts_vec3_make(0.0, 0.0, copysign(1.0, p.z));
  if (radial > 0.0 && axial > 0.0) { // beyond a rim
    const double distance = sqrt(radial * radial + axial * axial);
    const ts_vec3 n = ts_add_scaled(ts_scale(radial / distance, outward), axial / distance, up);
    ts_place_distance(point, cylinder, distance, n, separation);
  } else if (radial > axial) {
    ts_place_distance(point, cylinder, radial, outward, separation);
  } else {
    ts_place_distance(point, cylinder, axial, up, separation);
  }
}

static double outside(const ts_convex *part, ts_vec3 point)
{
  return fmax(sqrt(point.x * point.x + point.y * point.y) - part->radius, fabs(point.z) - part->half_length);
}

static ts_feature end_feature(const ts_core *core, double sign, bool rim)
{
  const ts_vec3 axis = ts_scale(copysign(1.0, sign), core->frame.axes.z);
  const ts_vec3 centre = ts_add_scaled(core->frame.origin, core->part->half_length, axis);
  return rim ? ts_feature_rim(core, centre, axis, core->part->radius, 0.0) : ts_feature_flat(core, centre, axis);
}

static ts_feature side_feature(const ts_core *core)
{
  return ts_feature_line(core, core->frame.origin, core->frame.axes.z, core->part->radius, 0.0, 1.0);
}

static ts_feature feature_at(const ts_core *core, ts_vec3 point, ts_vec3 outward)
{
  (void)outward;
  const double from_side = core->part->radius - sqrt(point.x * point.x + point.y * point.y);
  const double from_end = core->part->half_length - fabs(point.z);
  const bool on_side = from_side < TS_FEATURE_NEAR * core->part->radius;
  const bool on_end = from_end < TS_FEATURE_NEAR * core->part->half_length;
  if (on_side == on_end) // on both; on neither when the point is still inside, where a rim can turn into either
    return end_feature(core, point.z, true);
  return on_side ? side_feature(core) : end_feature(core, point.z, false);
}

static ts_feature feature_raised(const ts_feature *rim, ts_vec3 outward)
{
  return ts_dot(outward, rim->direction) > 0.0
             ? end_feature(rim->core, ts_dot(rim->direction, rim->core->frame.axes.z), false)
             : side_feature(rim->core);
}

// ---- contact points

static ts_facing look(const ts_convex *part, ts_vec3 direction)
{
  (void)part;
  return (ts_facing){.flatness = fabs(direction.z)};
}

static void line(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                 ts_patch *patch)
{
  (void)facing;
  ts_patch_round_line(part, frame, outward, patch);
}

static void widest(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                   ts_patch *patch)
{
  if (facing->flatness > TS_STANDING)
    ts_patch_round_end(part, frame, outward, part->radius, patch);
  else
    ts_patch_round_line(part, frame, outward, patch);
}

static bool surface_over(const ts_patch *line, ts_vec3 x, ts_vec3 *y)
{
  const ts_vec3 axis = line->frame->axes.z, d = ts_sub(x, line->frame->origin), m = line->outward;
  double h;
  if (!ts_far_side(ts_add_scaled(d, -ts_dot(d, axis), axis), ts_add_scaled(m, -ts_dot(m, axis), axis),
                   line->round->radius, &h))
    return false;
  *y = ts_add_scaled(x, h, m);
  return true;
}

static ts_exposed_face exposed_face(const ts_convex *part, ts_vec3 point, ts_vec3 normal)
{
  const double half = part->half_length;
  if (fabs(normal.z) <= TS_EXPOSED_LEVEL)
    return (ts_exposed_face){.kind = TS_EXPOSED_LINE, .ends = {{point.x, point.y, half}, {point.x, point.y, -half}}};
  if (hypot(normal.x, normal.y) <= TS_EXPOSED_LEVEL)
    return (ts_exposed_face){.kind = TS_EXPOSED_DISC, .radius = part->radius, .height = half};
  return (ts_exposed_face){.kind = TS_EXPOSED_POINT};
}

const ts_shape_type ts_shape_type_cylinder = {
    .key = {"cylinder", TS_VALUE_MAP, .section = &section, .spaces = "3d",
            .help = "solid cylinder of height `length` along local z"},
    .in_space = true,
    .check = check,
    .draw = draw,
    .measure = measure,
    .symmetry = TS_OF_REVOLUTION,
    .support = support,
    .bounds = bounds,
    .inner_radius = inner_radius,
    .implicit_count = implicit_count,
    .implicit_value = implicit_value,
    .mass = mass,
    .has_rim = true,
    .core = TS_CORE_SOLID,
    .point_distance = point_distance,
    .outside = outside,
    .feature_at = feature_at,
    .feature_raised = feature_raised,
    .look = look,
    .face_normal = ts_round_end_normal,
    .widest = widest,
    .edge = line,
    .surface_over = surface_over,
    .beyond_end = ts_round_beyond_end,
    .exposed_face = exposed_face,
};
