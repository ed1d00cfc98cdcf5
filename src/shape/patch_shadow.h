// Shadows of patches: what they look like along the common normal of a contact.
#ifndef TS_SHAPE_PATCH_SHADOW_H
#define TS_SHAPE_PATCH_SHADOW_H

#include "shape/patch.h"

#include "math/quad.h"

#define TS_PATCH_ON    1e-6  // of the parts' size: a corner this close to an outline lies on it
#define TS_PATCH_EXACT 1e-10 // of the parts' size: reported points are no further outside than this

enum { TS_PATCH_SETTLE_ROUNDS = 8 };

TS_INLINE int ts_next_corner(const ts_patch *polygon, int i)
{
  return i + 1 < polygon->count ? i + 1 : 0;
}

TS_INLINE ts_vec3 ts_corner(const ts_patch *polygon, int i)
{
  return polygon->count <= TS_PATCH_CACHED ? polygon->corners[i]
                                           : ts_frame_apply(polygon->frame, polygon->hull->vertices[polygon->loop[i]]);
}

static inline ts_vec3 ts_side_of_large(const ts_patch *polygon, int i)
{
  const ts_vec3 along = ts_sub(ts_corner(polygon, ts_next_corner(polygon, i)), ts_corner(polygon, i));
  return ts_normalize(ts_cross(polygon->outward, along), ts_vec3_make(0.0, 0.0, 0.0));
}

TS_INLINE ts_vec3 ts_side(const ts_patch *polygon, int i)
{
  return polygon->count <= TS_PATCH_CACHED ? polygon->sides[i] : ts_side_of_large(polygon, i);
}

// How far inside the i-th side a point of the shadow is
TS_INLINE double ts_depth_at_side(const ts_patch *polygon, int i, ts_vec3 x)
{
  return ts_dot(ts_side(polygon, i), ts_sub(x, ts_corner(polygon, i)));
}

// The same of all sides of a quadrangle.
TS_INLINE ts_quad ts_depths_at_four_sides(const ts_patch *quadrangle, ts_vec3 x)
{
  const ts_quadrangle *q = &quadrangle->four;
  return TS_CONST_QUAD(q->side[0]) * (x.x - TS_CONST_QUAD(q->corner[0])) +
         TS_CONST_QUAD(q->side[1]) * (x.y - TS_CONST_QUAD(q->corner[1])) +
         TS_CONST_QUAD(q->side[2]) * (x.z - TS_CONST_QUAD(q->corner[2]));
}

TS_INLINE double ts_least_of_four(ts_quad depths)
{
  double depth = INFINITY;
  for (int k = 0; k < 4; ++k) depth = depths[k] < depth ? depths[k] : depth;
  return depth;
}

static inline uint32_t ts_corner_feature_id(const ts_patch *polygon, int i)
{
  return ts_feature_id(TS_FEATURE_ID_VERTEX, polygon->loop[i]);
}

static inline uint32_t ts_side_feature_id(const ts_patch *polygon, int i)
{
  return ts_edge_feature_id(polygon->hull->vertex_count, polygon->loop[i], polygon->loop[ts_next_corner(polygon, i)]);
}

// The point of a polygon's or disc's plane that has the same shadow as x
TS_INLINE ts_vec3 ts_lift(const ts_patch *patch, ts_vec3 x)
{
  const double height = ts_dot(patch->normal, ts_sub(patch->base, x)) / ts_dot(patch->normal, patch->outward);
  return ts_add_scaled(x, height, patch->outward);
}

// How far inside a polygon's or disc's outline a point of the shadow is
TS_INLINE double ts_depth_inside(const ts_patch *patch, ts_vec3 x)
{
  if (patch->kind == TS_PATCH_DISC) return patch->radius - ts_distance_of(ts_lift(patch, x), patch->base);
  if (patch->count == 4) return ts_least_of_four(ts_depths_at_four_sides(patch, x));
  double depth = INFINITY;
  for (int i = 0; i < patch->count; ++i) depth = fmin(depth, ts_depth_at_side(patch, i, x));
  return depth;
}

static inline ts_vec3 ts_moved_into(const ts_patch *patch, ts_vec3 x)
{
  if (patch->kind == TS_PATCH_DISC) {
    const ts_vec3 from_centre = ts_sub(ts_lift(patch, x), patch->base);
    const double distance = ts_length(from_centre);
    return distance > patch->radius ? ts_add_scaled(patch->base, patch->radius / distance, from_centre) : x;
  }
  for (int i = 0; i < patch->count; ++i) {
    const double depth = ts_depth_at_side(patch, i, x);
    if (depth < 0.0) x = ts_add_scaled(x, -depth, ts_side(patch, i));
  }
  return x;
}

// A line meets a rim twice, and so does another rim.
static inline uint32_t ts_rim_feature_id(const ts_patch *disc, int which)
{
  return ts_feature_id(TS_FEATURE_ID_EDGE, 2 * disc->cap + which);
}

// Where the line start + t (end - start), lifted to the disc's plane, meets the rim: t[0] <= t[1]; false where it does
// not.
static inline bool ts_meet_rim(const ts_patch *disc, ts_vec3 start, ts_vec3 end, double t[2])
{
  const ts_vec3 p = ts_sub(ts_lift(disc, start), disc->base), q = ts_sub(ts_lift(disc, end), disc->base),
                d = ts_sub(q, p);
  const double dd = ts_dot(d, d), pd = ts_dot(p, d), pp = ts_dot(p, p);
  if (!(dd > 0.0)) return false;
  const ts_vec3 nearest = ts_add_scaled(p, -pd / dd, d);
  const double square = disc->radius * disc->radius - ts_dot(nearest, nearest);
  if (square < 0.0 || !(pp < INFINITY)) return false;
  const double half = sqrt(square / dd);
  t[0] = -pd / dd - half;
  t[1] = -pd / dd + half;
  return true;
}

// Touches of two lines, and of a line with a flat patch (patch_lines.c), see ts_patch_overlap().
void ts_overlap_lines(const ts_patch *a, const ts_patch *b, ts_vec3 normal, double size, ts_touch_list *list);
void ts_overlap_line_flat(const ts_patch *line, const ts_patch *flat, bool line_is_a, ts_vec3 normal, double size,
                          ts_touch_list *list);

#endif
