// See core.h.
#include "shape/core.h"

#include "shape/hull_part.h"
#include "shape/shape_type.h"

ts_core ts_core_make(const ts_convex *part, const ts_frame *frame, ts_vec3 common_origin)
{
  const ts_core_kind kind = ts_shape_type_of(part->kind)->core;
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
  return core->kind >= TS_CORE_HULL ? ts_frame_apply(&core->frame, core->part->middle) : core->frame.origin;
}

void ts_core_ends(const ts_core *segment, ts_vec3 ends[2])
{
  ends[0] = ts_add_scaled(segment->frame.origin, -segment->part->half_length, segment->frame.axes.z);
  ends[1] = ts_add_scaled(segment->frame.origin, segment->part->half_length, segment->frame.axes.z);
}

double ts_core_thickness(const ts_core *core)
{
  switch (core->kind) {
  case TS_CORE_HULL:
    return ts_hull_inner_radius(core->part);
  case TS_CORE_SOLID:
    return ts_shape_type_of(core->part->kind)->inner_radius(core->part);
  default:
    return 0.0;
  }
}

static double segment_outside(const ts_convex *part, ts_vec3 local)
{
  return fmax(sqrt(local.x * local.x + local.y * local.y), fabs(local.z) - part->half_length);
}

double ts_core_outside(const ts_core *core, ts_vec3 point)
{
  const ts_vec3 local = ts_frame_unapply(&core->frame, point);
  switch (core->kind) {
  case TS_CORE_SEGMENT:
    return segment_outside(core->part, local);
  case TS_CORE_HULL:
    return ts_hull_outside(core->part, local);
  case TS_CORE_SOLID:
    return ts_shape_type_of(core->part->kind)->outside(core->part, local);
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
