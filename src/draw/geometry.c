#include "draw/geometry.h"

#include <math.h>
#include <stdlib.h>

double ts_vector_length(ts_vec3 a)
{
  return sqrt(ts_vector_dot(a, a));
}

ts_vec3 ts_vector_unit(ts_vec3 a)
{
  const double length = ts_vector_length(a);
  return length > 0.0 ? ts_vector_scale(1.0 / length, a) : a;
}

bool ts_vector_is_finite(ts_vec3 a)
{
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// v + 2 u x (u x v + w v) for the quaternion (w, u)
ts_vec3 ts_vector_rotate(ts_quat q, ts_vec3 v)
{
  const ts_vec3 u = {q.x, q.y, q.z}, inner = ts_vector_add(ts_vector_cross(u, v), ts_vector_scale(q.w, v));
  return ts_vector_add(v, ts_vector_scale(2.0, ts_vector_cross(u, inner)));
}

ts_vec3 ts_pose_place(const ts_pose *pose, ts_vec3 point)
{
  return ts_vector_add(pose->position, ts_vector_rotate(pose->orientation, point));
}

ts_pose ts_pose_combine(const ts_pose *outer, const ts_pose *inner)
{
  const ts_quat a = outer->orientation, b = inner->orientation;
  return (ts_pose){ts_pose_place(outer, inner->position),
                   {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w}};
}

ts_plane ts_plane_of_shape(const ts_shape *shape, const ts_pose *pose)
{
  const ts_vec3 normal = ts_vector_unit(ts_vector_rotate(pose->orientation, shape->normal));
  return (ts_plane){normal, shape->offset + ts_vector_dot(normal, pose->position)};
}

double ts_plane_height(const ts_plane *plane, ts_vec3 point)
{
  return ts_vector_dot(plane->normal, point) - plane->offset;
}

ts_vec3 ts_plane_tangent(const ts_plane *plane)
{
  const ts_vec3 n = plane->normal, axis = fabs(n.x) < 0.9 ? (ts_vec3){1.0, 0.0, 0.0} : (ts_vec3){0.0, 1.0, 0.0};
  return ts_vector_unit(ts_vector_subtract(axis, ts_vector_scale(ts_vector_dot(axis, n), n)));
}

// ---- reach ---------------------------------------------------------------------------------------------------------

double ts_placed_reach(const ts_shape *shape, const ts_pose *pose, ts_vec3 direction)
{
  const ts_quat q = pose->orientation, back = {q.w, -q.x, -q.y, -q.z};
  return ts_vector_dot(direction, pose->position) + ts_shape_reach(shape, ts_vector_rotate(back, direction));
}

// ---- polygons ------------------------------------------------------------------------------------------------------

// Sutherland and Hodgman (1974), one plane at a time. A convex polygon crosses a plane twice at most: one corner is
// added at most, so that what is kept never goes beyond the corner that has been read last.
int ts_polygon_cut(ts_vec3 *polygon, int count, const ts_plane *plane)
{
  if (count == 0) return 0;
  const ts_vec3 first = polygon[0];
  ts_vec3 next = first;
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const ts_vec3 corner = next;
    next = i + 1 < count ? polygon[i + 1] : first;
    const double here = ts_plane_height(plane, corner), there = ts_plane_height(plane, next);
    if (here >= 0.0) polygon[kept++] = corner;
    if ((here >= 0.0) != (there >= 0.0))
      polygon[kept++] = ts_vector_add(corner, ts_vector_scale(here / (here - there), ts_vector_subtract(next, corner)));
  }
  return kept;
}

static int left_to_right(const void *a, const void *b)
{
  const ts_point *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return (p->y > q->y) - (p->y < q->y);
}

static double turn(ts_point a, ts_point b, ts_point c)
{
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool are_finite(const ts_point *points, int count)
{
  for (int i = 0; i < count; ++i)
    if (!isfinite(points[i].x) || !isfinite(points[i].y)) return false;
  return true;
}

// Andrew's monotone chain (1979)
int ts_points_outline(ts_point *points, int count, ts_heap *heap)
{
  if (!are_finite(points, count)) return 0;
  if (count < 3) return count;
  ts_point *chain = ts_heap_zeros(heap, 2 * (size_t)count, sizeof *chain);
  if (!chain) return 0;
  qsort(points, (size_t)count, sizeof *points, left_to_right);
  int k = 0;
  for (int i = 0; i < count; ++i) {
    while (k >= 2 && turn(chain[k - 2], chain[k - 1], points[i]) <= 0.0) --k;
    chain[k++] = points[i];
  }
  const int lower = k + 1;
  for (int i = count - 2; i >= 0; --i) {
    while (k >= lower && turn(chain[k - 2], chain[k - 1], points[i]) <= 0.0) --k;
    chain[k++] = points[i];
  }
  --k; // the first point again
  for (int i = 0; i < k; ++i) points[i] = chain[i];
  free(chain);
  return k;
}

double ts_round_number(double most)
{
  const double power = pow(10.0, floor(log10(most)));
  return power * (most >= 5.0 * power ? 5.0 : most >= 2.0 * power ? 2.0 : 1.0);
}
