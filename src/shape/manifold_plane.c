// Anything on a half-space: the gap of a point is its height over the boundary, so all there is to do is to list the
// points of a part that can come to lie on a plane: corners, the points of a cylinder's rims, the ends of lines.
#include "shape/manifold_pairs.h"

#include "shape/patch.h"

enum { SCANNED_AT_ONCE = 32 }; // vertices of a hull that are looked at without asking first whether any is near

// The boundary of the half-space, in the frame around the pair
typedef struct boundary {
  ts_vec3 normal;
  double offset;
} boundary;

static boundary boundary_of(const ts_convex *plane, const ts_frame *frame)
{
  const ts_vec3 normal = ts_mul(&frame->axes, plane->normal);
  return (boundary){normal, plane->offset + ts_dot(normal, frame->origin)};
}

static void push_point(const boundary *ground, ts_vec3 point, uint32_t feature, ts_touch_list *list)
{
  const double gap = ts_dot(ground->normal, point) - ground->offset;
  ts_touch_list_push(list, ts_add_scaled(point, -gap, ground->normal), ground->normal, gap,
                     ts_spot_pair(feature, ts_spot(TS_SPOT_FACE, 0)));
}

static void push_lowest(const ts_convex *part, const ts_frame *frame, const boundary *ground, ts_touch_list *list)
{
  const ts_vec3 down = ts_mul_transposed(&frame->axes, ts_negate(ground->normal));
  push_point(ground, ts_frame_apply(frame, ts_convex_support(part, down)), ts_spot(TS_SPOT_NEAREST, 0), list);
}

// Corner i of a box is at +half.x if bit 0 of i is set, and so on: the numbering of its hull.
static void add_box_corners(const ts_convex *box, const ts_frame *frame, const boundary *ground, ts_touch_list *list)
{
  const ts_vec3 n = ground->normal, x = ts_scale(box->half.x, frame->axes.x), y = ts_scale(box->half.y, frame->axes.y),
                z = ts_scale(box->half.z, frame->axes.z);
  const double nx = ts_dot(n, x), ny = ts_dot(n, y), nz = ts_dot(n, z);
  const double middle = ts_dot(n, frame->origin) - ground->offset;
  if (middle - fabs(nx) - fabs(ny) - fabs(nz) > list->margin) return;
  static const double side[2] = {-1.0, 1.0};
  for (int i = 0; i < 8; ++i) {
    const double sx = side[i & 1], sy = side[i >> 1 & 1], sz = side[i >> 2];
    const double gap = middle + sx * nx + sy * ny + sz * nz;
    if (gap > list->margin) continue;
    const ts_vec3 corner = ts_add_scaled(ts_add_scaled(ts_add_scaled(frame->origin, sx, x), sy, y), sz, z);
    ts_touch_list_push(list, ts_add_scaled(corner, -gap, n), n, gap,
                       ts_spot_pair(ts_spot(TS_SPOT_VERTEX, i), ts_spot(TS_SPOT_FACE, 0)));
  }
}

static bool may_reach(const ts_convex *part, const ts_frame *frame, const boundary *ground, double margin)
{
  const ts_vec3 down = ts_mul_transposed(&frame->axes, ts_negate(ground->normal));
  const ts_vec3 lowest = ts_frame_apply(frame, ts_convex_support(part, down));
  return ts_dot(ground->normal, lowest) - ground->offset <= margin;
}

static void add_vertices(const ts_convex *part, const ts_frame *frame, const boundary *ground, ts_touch_list *list)
{
  const ts_hull *const hull = part->hull;
  const ts_vec3 up = ts_mul_transposed(&frame->axes, ground->normal);
  const double origin = ts_dot(ground->normal, frame->origin) - ground->offset;
  if (hull->vertex_count > SCANNED_AT_ONCE && !may_reach(part, frame, ground, list->margin)) return;
  for (int v = 0; v < hull->vertex_count; ++v)
    if (origin + ts_dot(up, hull->vertices[v]) <= list->margin)
      push_point(ground, ts_frame_apply(frame, hull->vertices[v]), ts_spot(TS_SPOT_VERTEX, v), list);
}

static void add_lines_and_rims(const ts_convex *part, const ts_frame *frame, const boundary *ground,
                               ts_touch_list *list)
{
  const ts_vec3 down = ts_negate(ground->normal);
  const ts_facing facing = ts_patch_look(part, frame, down);
  ts_patch own, flat;
  ts_patch_widest(part, frame, down, &facing, &own);
  ts_patch_plane(ground->normal, ts_scale(ground->offset, ground->normal), &flat);
  if (own.kind == TS_PATCH_POINT)
    push_lowest(part, frame, ground, list);
  else
    ts_patch_overlap(&own, &flat, ground->normal, ts_part_size(part), false, list);
}

void ts_touches_on_plane(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         ts_touch_list *list)
{
  const boundary ground = boundary_of(b, frame_b);
  switch (a->kind) {
  case TS_SHAPE_BOX:
    add_box_corners(a, frame_a, &ground, list);
    break;
  case TS_SHAPE_POLYTOPE:
  case TS_SHAPE_POLYGON:
    add_vertices(a, frame_a, &ground, list);
    break;
  case TS_SHAPE_CAPSULE:
  case TS_SHAPE_CYLINDER:
    add_lines_and_rims(a, frame_a, &ground, list);
    break;
  default: // an ellipsoid
    push_lowest(a, frame_a, &ground, list);
  }
}
