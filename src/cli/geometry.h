// The little vector arithmetic that pictures need: the command sees the library's vectors, not what computes with them.
#ifndef TS_CLI_GEOMETRY_H
#define TS_CLI_GEOMETRY_H

#include "cli/canvas.h"

#include "touchstone/shape.h"

static inline ts_vec3 cli_add(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline ts_vec3 cli_scale(double s, ts_vec3 a)
{
  return (ts_vec3){s * a.x, s * a.y, s * a.z};
}

static inline ts_vec3 cli_subtract(ts_vec3 a, ts_vec3 b)
{
  return cli_add(a, cli_scale(-1.0, b));
}

static inline double cli_dot(ts_vec3 a, ts_vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ts_vec3 cli_cross(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double cli_length(ts_vec3 a);
ts_vec3 cli_unit(ts_vec3 a); // zero stays zero
bool cli_is_finite(ts_vec3 a);

ts_vec3 cli_rotate(ts_quat q, ts_vec3 v);
ts_vec3 cli_place(const ts_pose *pose, ts_vec3 point);
ts_pose cli_compose(const ts_pose *outer, const ts_pose *inner);

// The boundary of a plane shape at a pose: all x with normal.x = offset.
typedef struct cli_plane {
  ts_vec3 normal; // unit
  double offset;
} cli_plane;
cli_plane cli_plane_of(const ts_shape *shape, const ts_pose *pose);
double cli_height(const cli_plane *plane, ts_vec3 point); // above it
// A direction along the plane, as near to x as there is (to y where the normal is near x).
ts_vec3 cli_plane_tangent(const cli_plane *plane);

// The furthest that a shape at a pose reaches along a unit direction: max of direction.x over its points. Not for
// planes.
double cli_reach(const ts_shape *shape, const ts_pose *pose, ts_vec3 direction);

// Cut a convex polygon down to where it is above a plane; returns how many corners are left. There must be room for one
// more corner than there are.
int cli_cut(ts_vec3 *polygon, int count, const cli_plane *plane);

// Corners of the convex hull, counter-clockwise for y up, moved to the front of the array; returns how many.
int cli_outline(cli_point *points, int count);

// The largest of 1, 2, 5 times a power of ten that is at most `most` > 0: a length that people count in.
double cli_round_number(double most);

#endif
