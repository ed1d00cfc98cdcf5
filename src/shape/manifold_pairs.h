// Families of pairs that have touches of their own. Frames are relative to the origin of the list.
#ifndef TS_SHAPE_MANIFOLD_PAIRS_H
#define TS_SHAPE_MANIFOLD_PAIRS_H

#include "shape/intersection_part.h"
#include "shape/touch_list.h"

// The boundary of a half-space: all x with normal.x = offset
typedef struct ts_boundary {
  ts_vec3 normal;
  double offset;
} ts_boundary;

// b is a plane; a is neither a plane nor a ball.
void ts_touches_on_plane(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         ts_touch_list *list);

// The vertices of a hull over a half-space, for tables of kinds.
void ts_vertices_on_plane(const ts_convex *part, const ts_frame *frame, const ts_boundary *ground, ts_touch_list *list);

// Both are boxes.
void ts_touches_of_boxes(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         ts_touch_list *list);

// a is a point, disc or polygon, and b a polygon.
void ts_touches_in_plane(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         ts_touch_list *list);

// Of two polygons, where the sides that face each other along a given direction overlap; none where they do not.
void ts_touches_of_facing_sides(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b,
                                const ts_frame *frame_b, ts_vec3 normal, ts_touch_list *list);

// In the plane, where one of the two is neither a ball nor a polygon; a polygon is second.
void ts_touches_of_outlines(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                            ts_touch_list *list);

// Any two parts but planes and polygons, by their signed distance and the patches that face each other there.
void ts_touches_at_nearest(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                           ts_touch_list *list);

// The size of a part; a hull may be far from its own origin.
TS_INLINE double ts_part_size(const ts_convex *part)
{
  if (part->meet) return part->meet->size;
  return part->hull ? ts_distance_of(part->hull->vertices[0], part->middle) : part->reach;
}

// The size of the smaller part, which tolerances are shares of.
TS_INLINE double ts_pair_size(const ts_convex *a, const ts_convex *b)
{
  return fmin(ts_part_size(a), ts_part_size(b));
}

#endif
