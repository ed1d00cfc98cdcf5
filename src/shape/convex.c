#include "shape/convex.h"

#include "shape/hull_part.h"
#include "shape/shape_type.h"

const ts_convex *ts_convex_pieces(const ts_shape *shape, ts_arena *arena, int *count)
{
  const ts_shape_type *type = ts_shape_type_of(shape->kind);
  if (type->pieces) return type->pieces(shape, arena, count);
  ts_convex *part = ts_arena_bytes(arena, 1, sizeof *part);
  *part = (ts_convex){.kind = shape->kind, .shape = shape}; // a point is all zero
  if (type->measure) type->measure(shape, part);
  if (type->hull) ts_take_hull(part, type->hull(shape, arena), arena);
  *count = 1;
  return part;
}

ts_vec3 ts_convex_support(const ts_convex *part, ts_vec3 direction)
{
  return ts_shape_type_of(part->kind)->support(part, direction);
}

double ts_convex_separation_along(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b,
                                  const ts_frame *frame_b, ts_vec3 normal)
{
  const ts_vec3 down = ts_mul_transposed(&frame_a->axes, ts_negate(normal));
  const ts_vec3 up = ts_mul_transposed(&frame_b->axes, normal);
  return ts_dot(normal, ts_sub(frame_a->origin, frame_b->origin)) - ts_dot(down, ts_convex_support(a, down)) -
         ts_dot(up, ts_convex_support(b, up));
}

ts_bounds ts_convex_bounds(const ts_convex *part, const ts_frame *frame)
{
  return ts_shape_type_of(part->kind)->bounds(part, frame);
}

double ts_convex_inner_radius(const ts_convex *part)
{
  return ts_shape_type_of(part->kind)->inner_radius(part);
}
