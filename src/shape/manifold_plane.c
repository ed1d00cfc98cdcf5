// Anything on a half-space: the gap of a point is its height over the boundary, so all there is to do is to list the
// points of a part that can come to lie on a plane: corners, the points of a cylinder's rims, the ends of lines.
#include "shape/manifold_pairs.h"

#include "shape/patch.h"
#include "shape/shape_type.h"
#include "shape/turned_points.h"

enum { SCANNED_AT_ONCE = 32 }; // vertices of a hull that are looked at without asking first whether any is near

static ts_boundary boundary_of(const ts_convex *plane, const ts_frame *frame)
{
  const ts_vec3 normal = ts_mul(&frame->axes, plane->normal);
  return (ts_boundary){normal, plane->offset + ts_dot(normal, frame->origin)};
}

static void push_point(const ts_boundary *ground, ts_vec3 point, uint32_t feature, ts_touch_list *list)
{
  const double gap = ts_dot(ground->normal, point) - ground->offset;
  ts_touch_list_push(list, ts_add_scaled(point, -gap, ground->normal), ground->normal, gap,
                     ts_feature_pair(feature, ts_feature_id(TS_FEATURE_ID_FACE, 0)));
}

static void push_lowest(const ts_convex *part, const ts_frame *frame, const ts_boundary *ground, ts_touch_list *list)
{
  const ts_vec3 down = ts_mul_transposed(&frame->axes, ts_negate(ground->normal));
  push_point(ground, ts_frame_apply(frame, ts_convex_support(part, down)), ts_feature_id(TS_FEATURE_ID_NEAREST, 0),
             list);
}

static void push_turned(const ts_convex *part, const ts_frame *frame, const ts_boundary *ground, ts_touch_list *list)
{
  ts_vec3 points[TS_TURNED_POINTS];
  uint32_t features[TS_TURNED_POINTS];
  const int count = ts_turned_points(part, frame, ts_negate(ground->normal), list->margin / part->reach, points,
                                     features);
  for (int k = 0; k < count; ++k) push_point(ground, points[k], features[k], list);
}

static bool may_reach(const ts_convex *part, const ts_frame *frame, const ts_boundary *ground, double margin)
{
  const ts_vec3 down = ts_mul_transposed(&frame->axes, ts_negate(ground->normal));
  const ts_vec3 lowest = ts_frame_apply(frame, ts_convex_support(part, down));
  return ts_dot(ground->normal, lowest) - ground->offset <= margin;
}

void ts_vertices_on_plane(const ts_convex *part, const ts_frame *frame, const ts_boundary *ground, ts_touch_list *list)
{
  const ts_hull *const hull = part->hull;
  const ts_vec3 up = ts_mul_transposed(&frame->axes, ground->normal);
  const double origin = ts_dot(ground->normal, frame->origin) - ground->offset;
  if (hull->vertex_count > SCANNED_AT_ONCE && !may_reach(part, frame, ground, list->margin)) return;
  for (int v = 0; v < hull->vertex_count; ++v)
    if (origin + ts_dot(up, hull->vertices[v]) <= list->margin)
      push_point(ground, ts_frame_apply(frame, hull->vertices[v]), ts_feature_id(TS_FEATURE_ID_VERTEX, v), list);
}

static void add_patch(const ts_convex *part, const ts_frame *frame, const ts_boundary *ground, ts_touch_list *list)
{
  const ts_vec3 down = ts_negate(ground->normal);
  const ts_facing facing = ts_patch_look(part, frame, down);
  ts_patch own, flat;
  ts_patch_widest(part, frame, down, &facing, &own);
  ts_patch_plane(ground->normal, ts_scale(ground->offset, ground->normal), &flat);
  if (own.kind == TS_PATCH_POINT) {
    push_lowest(part, frame, ground, list);
    if (list->count > 0) push_turned(part, frame, ground, list);
  } else {
    ts_patch_overlap(&own, &flat, ground->normal, ts_part_size(part), false, list);
  }
}

void ts_touches_on_plane(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         ts_touch_list *list)
{
  const ts_boundary ground = boundary_of(b, frame_b);
  const ts_shape_type *type = ts_shape_type_of(a->kind);
  (type->on_plane ? type->on_plane : add_patch)(a, frame_a, &ground, list);
}
