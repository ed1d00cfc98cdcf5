// A half-space.
#include "shape/checks.h"
#include "shape/implicit.h"
#include "shape/shape_type.h"

static const ts_key keys[] = {
    {"normal", TS_VALUE_VECTOR, .required = true, .above_zero = true, .help = "points out of the solid; of any length",
     .offset = offsetof(ts_shape, normal)},
    {"offset", TS_VALUE_NUMBER, "m", .fallback = "0", .help = "distance of the boundary from the origin along `normal`",
     .offset = offsetof(ts_shape, offset)},
};
static const ts_section section = {"a plane", TS_KEYS(keys)};

static ts_status check(const ts_shape *shape, ts_error *error)
{
  const double length = ts_length(shape->normal);
  if (!(length >= TS_SMALLEST_LENGTH && length <= TS_LARGEST_LENGTH))
    return ts_fail(error, TS_INVALID, "the normal of a plane must have a direction, not [%g, %g, %g]", shape->normal.x,
                   shape->normal.y, shape->normal.z);
  if (!ts_is_moderate(shape->offset))
    return ts_fail(error, TS_INVALID, "the offset of a plane must be a number of at most %g, not %g", TS_LARGEST_LENGTH,
                   shape->offset);
  return TS_OK;
}

static void normalize(ts_shape *copy, ts_arena *arena)
{
  (void)arena;
  copy->normal = ts_scale(1.0 / ts_length(copy->normal), copy->normal);
}

static void measure(const ts_shape *shape, ts_convex *part)
{
  const double length = ts_length(shape->normal);
  part->normal = ts_scale(1.0 / length, shape->normal);
  part->offset = shape->offset;
  part->middle = ts_scale(part->offset, part->normal);
  part->reach = INFINITY;
}

// A half-space has a furthest point along its normal only: one of its boundary.
static ts_vec3 support(const ts_convex *part, ts_vec3 direction)
{
  (void)direction;
  return part->middle;
}

static double low_of(double direction, double others, double boundary)
{
  return others == 0.0 && direction < 0.0 ? -boundary : -INFINITY;
}

static double high_of(double direction, double others, double boundary)
{
  return others == 0.0 && direction > 0.0 ? boundary : INFINITY;
}

// A half-space is bounded on one side, and only if its normal lies along an axis.
static ts_bounds bounds(const ts_convex *part, const ts_frame *frame)
{
  const ts_vec3 n = ts_mul(&frame->axes, part->normal);
  const double offset = part->offset + ts_dot(n, frame->origin);
  const double not_x = fabs(n.y) + fabs(n.z), not_y = fabs(n.x) + fabs(n.z), not_z = fabs(n.x) + fabs(n.y);
  return (ts_bounds){{low_of(n.x, not_x, offset), low_of(n.y, not_y, offset), low_of(n.z, not_z, offset)},
                     {high_of(n.x, not_x, offset), high_of(n.y, not_y, offset), high_of(n.z, not_z, offset)}};
}

static double inner_radius(const ts_convex *part)
{
  (void)part;
  return INFINITY;
}

static double implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  (void)i;
  return ts_implicit_half_space(part->normal, part->offset, x, gradient, hessian);
}

const ts_shape_type ts_shape_type_plane = {
    .key = {"plane", TS_VALUE_MAP, .section = &section,
            .help = "half-space (half-plane) on the far side of `normal`: all x with normal.x <= offset"},
    .in_space = true,
    .in_plane = true,
    .check = check,
    .normalize = normalize,
    .measure = measure,
    .support = support,
    .bounds = bounds,
    .inner_radius = inner_radius,
    .implicit_value = implicit_value,
    .core = TS_CORE_NONE,
};
