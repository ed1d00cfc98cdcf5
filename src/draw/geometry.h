// The little vector arithmetic that pictures need: they see the library's vectors, not what computes with them.
#ifndef TS_DRAW_GEOMETRY_H
#define TS_DRAW_GEOMETRY_H

#include "draw/canvas.h"

#include "touchstone/shape.h"

static inline ts_vec3 ts_vector_add(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline ts_vec3 ts_vector_scale(double s, ts_vec3 a)
{
  return (ts_vec3){s * a.x, s * a.y, s * a.z};
}

static inline ts_vec3 ts_vector_subtract(ts_vec3 a, ts_vec3 b)
{
  return ts_vector_add(a, ts_vector_scale(-1.0, b));
}

static inline double ts_vector_dot(ts_vec3 a, ts_vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ts_vec3 ts_vector_cross(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double ts_vector_length(ts_vec3 a);
ts_vec3 ts_vector_unit(ts_vec3 a); // zero stays zero
bool ts_vector_is_finite(ts_vec3 a);

ts_vec3 ts_vector_rotate(ts_quat q, ts_vec3 v);
ts_vec3 ts_pose_place(const ts_pose *pose, ts_vec3 point);
ts_pose ts_pose_combine(const ts_pose *outer, const ts_pose *inner);

// The boundary of a plane shape at a pose: all x with normal.x = offset.
typedef struct ts_plane {
  ts_vec3 normal; // unit
  double offset;
} ts_plane;
ts_plane ts_plane_of_shape(const ts_shape *shape, const ts_pose *pose);
double ts_plane_height(const ts_plane *plane, ts_vec3 point); // above it
// A direction along the plane, as near to x as there is (to y where the normal is near x).
ts_vec3 ts_plane_tangent(const ts_plane *plane);

// The furthest that a shape at a pose reaches along a unit direction: max of direction.x over its points. Not for
// planes.
double ts_placed_reach(const ts_shape *shape, const ts_pose *pose, ts_vec3 direction);

// Cut a convex polygon down to where it is above a plane; returns how many corners are left. There must be room for one
// more corner than there are.
int ts_polygon_cut(ts_vec3 *polygon, int count, const ts_plane *plane);

// Corners of the convex hull, counter-clockwise for y up, moved to the front of the array; returns how many. 0 where
// memory ran out, or some point is not finite.
int ts_points_outline(ts_point *points, int count, ts_heap *heap);

// The largest of 1, 2, 5 times a power of ten that is at most `most` > 0: a length that people count in.
double ts_round_number(double most);

#endif
