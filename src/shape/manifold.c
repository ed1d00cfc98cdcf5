#include "shape/manifold.h"

#include "shape/own_shape.h"
#include "shape/shape_type.h"

// Two spheres, or discs; a point is one of radius 0. Where the centres coincide every direction is as good: `up`.
static void touches_of_balls(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                             ts_vec3 up, ts_touch_list *list)
{
  const ts_vec3 between = ts_sub(frame_a->origin, frame_b->origin);
  const double radii = a->radius + b->radius, reach = radii + list->margin, square = ts_dot(between, between);
  if (!(reach >= 0.0 && square <= reach * reach)) return;
  const double distance = sqrt(square);
  const ts_vec3 normal = distance > 0.0 ? ts_scale(1.0 / distance, between) : up;
  ts_touch_list_push(list, ts_add_scaled(frame_b->origin, b->radius, normal), normal, distance - radii,
                     ts_feature_pair(ts_feature_id(TS_FEATURE_ID_NEAREST, 0), ts_feature_id(TS_FEATURE_ID_NEAREST, 0)));
}

static void touch_of_ball_on_plane(const ts_convex *ball, const ts_frame *ball_frame, const ts_convex *plane,
                                   const ts_frame *plane_frame, ts_touch_list *list)
{
  const ts_vec3 n = ts_mul(&plane_frame->axes, plane->normal);
  const double height = ts_dot(n, ts_sub(ball_frame->origin, plane_frame->origin)) - plane->offset;
  ts_touch_list_push(list, ts_add_scaled(ball_frame->origin, -height, n), n, height - ball->radius,
                     ts_feature_pair(ts_feature_id(TS_FEATURE_ID_NEAREST, 0), ts_feature_id(TS_FEATURE_ID_FACE, 0)));
}

static bool too_far(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                    double margin)
{
  const ts_vec3 between = ts_sub(frame_a->origin, frame_b->origin);
  const double reach = a->reach + b->reach + margin;
  return !(reach >= 0.0 && ts_dot(between, between) <= reach * reach); // also where something is not a number
}

// The second may be a plane. Needs nothing but origins, so that these most frequent pairs are not moved to an origin of
// their own.
static void touches_of_ball(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                            ts_touch_list *list)
{
  const bool planar = !ts_shape_type_of(a->kind)->in_space || !ts_shape_type_of(b->kind)->in_space;
  if (b->kind == TS_SHAPE_PLANE)
    touch_of_ball_on_plane(a, frame_a, b, frame_b, list);
  else
    touches_of_balls(a, frame_a, b, frame_b, planar ? ts_vec3_make(0.0, 1.0, 0.0) : ts_vec3_make(0.0, 0.0, 1.0), list);
}

static void touches_of_others(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                              ts_touch_list *list)
{
  if (b->kind == TS_SHAPE_PLANE)
    ts_touches_on_plane(a, frame_a, b, frame_b, list);
  else if (a->planar || b->planar)
    ts_touches_of_outlines(a, frame_a, b, frame_b, list);
  else if (b->kind == TS_SHAPE_POLYGON)
    ts_touches_in_plane(a, frame_a, b, frame_b, list);
  else if (a->kind == TS_SHAPE_BOX && b->kind == TS_SHAPE_BOX)
    ts_touches_of_boxes(a, frame_a, b, frame_b, list);
  else
    ts_touches_at_nearest(a, frame_a, b, frame_b, list);
}

static void add_touches(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                        ts_touch_list *list)
{
  const bool plane = b->kind == TS_SHAPE_PLANE;
  if (ts_is_ball(a->kind) && (plane || ts_is_ball(b->kind))) {
    touches_of_ball(a, frame_a, b, frame_b, list);
  } else if (plane || !too_far(a, frame_a, b, frame_b, list->margin)) {
    list->origin = frame_a->origin;
    const ts_frame near_a = {ts_vec3_make(0.0, 0.0, 0.0), frame_a->axes};
    const ts_frame near_b = {ts_sub(frame_b->origin, list->origin), frame_b->axes};
    touches_of_others(a, &near_a, b, &near_b, list);
  }
}

// Planes and polygons come second.
static bool out_of_order(const ts_convex *a, const ts_convex *b)
{
  return a->kind == TS_SHAPE_PLANE ||
         (a->kind == TS_SHAPE_POLYGON && b->kind != TS_SHAPE_PLANE && b->kind != TS_SHAPE_POLYGON);
}

int ts_convex_touches(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                      double margin, ts_touch *touches, int capacity)
{
  ts_touch_list list = {.touches = touches, .capacity = capacity, .margin = margin, .least_gap = INFINITY};
  if (ts_either_is_own(a, b)) {
    const ts_query_fault fault = ts_own_touches(a, frame_a, b, frame_b, &list);
    return fault == TS_QUERY_FINE ? list.count : -(int)fault;
  }
  if (out_of_order(a, b)) {
    add_touches(b, frame_b, a, frame_a, &list);
    ts_touch_list_swap(&list);
  } else {
    add_touches(a, frame_a, b, frame_b, &list);
  }
  return list.count;
}
