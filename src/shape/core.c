// See core.h.
#include "shape/core.h"

static ts_core_kind kind_of(ts_shape_kind kind)
{
  switch (kind) {
  case TS_SHAPE_CAPSULE:
    return TS_CORE_SEGMENT;
  case TS_SHAPE_BOX:
  case TS_SHAPE_POLYGON:
  case TS_SHAPE_POLYTOPE:
    return TS_CORE_HULL;
  case TS_SHAPE_CYLINDER:
    return TS_CORE_CYLINDER;
  case TS_SHAPE_ELLIPSOID:
    return TS_CORE_ELLIPSOID;
  default:
    return TS_CORE_POINT;
  }
}

ts_core ts_core_make(const ts_convex *part, const ts_frame *frame, ts_vec3 common_origin)
{
  const ts_core_kind kind = kind_of(part->kind);
  return (ts_core){.part = part,
                   .kind = kind,
                   .rounding = kind <= TS_CORE_SEGMENT ? part->radius : 0.0,
                   .frame = {ts_sub(frame->origin, common_origin), frame->axes}};
}

ts_vec3 ts_core_support(const ts_core *core, ts_vec3 direction)
{
  const ts_frame *frame = &core->frame;
  if (core->kind == TS_CORE_POINT) return frame->origin;
  if (core->kind == TS_CORE_SEGMENT)
    return ts_add_scaled(frame->origin, copysign(core->part->half_length, ts_dot(direction, frame->axes.z)),
                         frame->axes.z);
  return ts_frame_apply(frame, ts_convex_support(core->part, ts_mul_transposed(&frame->axes, direction)));
}

ts_vec3 ts_core_middle(const ts_core *core)
{
  return core->kind == TS_CORE_HULL ? ts_frame_apply(&core->frame, core->part->middle) : core->frame.origin;
}

void ts_core_ends(const ts_core *segment, ts_vec3 ends[2])
{
  ends[0] = ts_add_scaled(segment->frame.origin, -segment->part->half_length, segment->frame.axes.z);
  ends[1] = ts_add_scaled(segment->frame.origin, segment->part->half_length, segment->frame.axes.z);
}

// Distance of the nearest face from a point inside.
static double hull_thickness(const ts_convex *part)
{
  const ts_hull *hull = part->hull;
  double least = INFINITY;
  for (int f = 0; f < hull->face_count; ++f)
    least = fmin(least, hull->offsets[f] - ts_dot(hull->normals[f], part->middle));
  return fmax(least, 0.0);
}

double ts_core_thickness(const ts_core *core)
{
  const ts_convex *part = core->part;
  switch (core->kind) {
  case TS_CORE_HULL:
    return hull_thickness(part);
  case TS_CORE_CYLINDER:
    return fmin(part->radius, part->half_length);
  case TS_CORE_ELLIPSOID:
    return fmin(part->half.x, fmin(part->half.y, part->half.z));
  default:
    return 0.0;
  }
}

static double hull_outside(const ts_hull *hull, ts_vec3 local)
{
  double most = -INFINITY;
  for (int f = 0; f < hull->face_count; ++f) most = fmax(most, ts_dot(hull->normals[f], local) - hull->offsets[f]);
  return most;
}

// With f(x) = |D^-1 x| - 1, the distance is f / |grad f| to first order.
static double ellipsoid_outside(ts_vec3 half, ts_vec3 local)
{
  const ts_vec3 q = {local.x / half.x, local.y / half.y, local.z / half.z};
  const double length = ts_length(q);
  const ts_vec3 gradient = {q.x / half.x, q.y / half.y, q.z / half.z};
  return length > 0.0 ? (length - 1.0) * length / ts_length(gradient) : -fmin(half.x, fmin(half.y, half.z));
}

double ts_core_outside(const ts_core *core, ts_vec3 point)
{
  const ts_convex *part = core->part;
  const ts_vec3 local = ts_frame_unapply(&core->frame, point);
  const double from_axis = sqrt(local.x * local.x + local.y * local.y), along = fabs(local.z) - part->half_length;
  switch (core->kind) {
  case TS_CORE_SEGMENT:
    return fmax(from_axis, along);
  case TS_CORE_HULL:
    return hull_outside(part->hull, local);
  case TS_CORE_CYLINDER:
    return fmax(from_axis - part->radius, along);
  case TS_CORE_ELLIPSOID:
    return ellipsoid_outside(part->half, local);
  default:
    return ts_length(local);
  }
}

double ts_core_gap_along(const ts_core *first, const ts_core *second, ts_vec3 n, ts_vec3 *a, ts_vec3 *b)
{
  const ts_vec3 on_first = ts_core_support(first, ts_negate(n)), on_second = ts_core_support(second, n);
  if (a) *a = on_first;
  if (b) *b = on_second;
  return ts_dot(n, ts_sub(on_first, on_second));
}
