#include "own_distance.h"

#include "math/vec3.h"

#include <math.h>

enum { SEARCH_STEPS = 120 }; // each leaves two thirds: 1e-21 of a segment

static bool is_round(const ts_shape *shape)
{
  return shape->kind == TS_SHAPE_SPHERE || shape->kind == TS_SHAPE_CAPSULE;
}

// Point of the segment that a sphere or a capsule is grown from; s in [-1, 1]
static ts_vec3 core_point(const ts_shape *shape, const ts_pose *pose, double s)
{
  const double half = shape->kind == TS_SHAPE_CAPSULE ? 0.5 * shape->length : 0.0;
  return ts_pose_apply(pose, ts_vec3_make(0.0, 0.0, s * half));
}

// Signed distance of a point from a box
static double from_box(const ts_shape *box, const ts_pose *pose, ts_vec3 point)
{
  const ts_vec3 p = ts_pose_unapply(pose, point), half = ts_scale(0.5, box->size);
  const ts_vec3 d = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
  const ts_vec3 outside = {fmax(d.x, 0.0), fmax(d.y, 0.0), fmax(d.z, 0.0)};
  return ts_length(outside) + fmin(fmax(d.x, fmax(d.y, d.z)), 0.0);
}

// Distance of a point from the segment of a sphere or a capsule
static double from_core(const ts_shape *shape, const ts_pose *pose, ts_vec3 point)
{
  const ts_vec3 p = ts_pose_unapply(pose, point);
  const double half = shape->kind == TS_SHAPE_CAPSULE ? 0.5 * shape->length : 0.0;
  return ts_length(ts_vec3_make(p.x, p.y, p.z - fmin(fmax(p.z, -half), half)));
}

static double from_shape(const ts_shape *shape, const ts_pose *pose, ts_vec3 point)
{
  return is_round(shape) ? from_core(shape, pose, point) - shape->radius : from_box(shape, pose, point);
}

// The least distance along the segment, by ternary search: distances from convex shapes are convex.
static double round_gap(const ts_shape *round, const ts_pose *at, const ts_shape *other, const ts_pose *there)
{
  double low = -1.0, high = 1.0;
  for (int k = 0; k < SEARCH_STEPS && round->kind == TS_SHAPE_CAPSULE; ++k) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    if (from_shape(other, there, core_point(round, at, a)) < from_shape(other, there, core_point(round, at, b)))
      high = b;
    else
      low = a;
  }
  return from_shape(other, there, core_point(round, at, 0.5 * (low + high))) - round->radius;
}

static double plane_gap(const ts_shape *plane, const ts_pose *at, const ts_shape *shape, const ts_pose *pose)
{
  const ts_vec3 n = ts_quat_rotate(at->orientation, plane->normal);
  const double offset = plane->offset + ts_dot(n, at->position);
  double least = INFINITY;
  for (int k = 0; k < 8; ++k) { // corners of a box; ends of a segment
    const ts_vec3 sign = {k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0}, d = shape->size;
    const ts_vec3 corner = {0.5 * sign.x * d.x, 0.5 * sign.y * d.y, 0.5 * sign.z * d.z};
    const ts_vec3 point = is_round(shape) ? core_point(shape, pose, sign.x) : ts_pose_apply(pose, corner);
    least = fmin(least, ts_dot(n, point) - offset);
  }
  return least - (is_round(shape) ? shape->radius : 0.0);
}

static double reach_along(const ts_mat3 *axes, ts_vec3 size, ts_vec3 direction)
{
  return 0.5 * (size.x * fabs(ts_dot(axes->x, direction)) + size.y * fabs(ts_dot(axes->y, direction)) +
                size.z * fabs(ts_dot(axes->z, direction)));
}

// Faces of both and products of their edges
static double box_gap(const ts_shape *first, const ts_pose *at, const ts_shape *second, const ts_pose *there)
{
  const ts_mat3 A = ts_quat_matrix(at->orientation), B = ts_quat_matrix(there->orientation);
  const ts_vec3 a[3] = {A.x, A.y, A.z}, b[3] = {B.x, B.y, B.z}, way = ts_sub(there->position, at->position);
  ts_vec3 directions[15];
  int count = 0;
  for (int i = 0; i < 3; ++i) {
    directions[count++] = a[i];
    directions[count++] = b[i];
    for (int j = 0; j < 3; ++j) directions[count++] = ts_cross(a[i], b[j]);
  }
  double widest = -INFINITY;
  for (int k = 0; k < count; ++k) {
    const double length = ts_length(directions[k]);
    if (length < 1e-6) continue; // edges along each other: faces have that direction
    const ts_vec3 d = ts_scale(1.0 / length, directions[k]);
    widest = fmax(widest, fabs(ts_dot(way, d)) - reach_along(&A, first->size, d) - reach_along(&B, second->size, d));
  }
  return widest;
}

double own_gap(const ts_shape *first, const ts_pose *at, const ts_shape *second, const ts_pose *there)
{
  if (first->kind == TS_SHAPE_PLANE) return plane_gap(first, at, second, there);
  if (second->kind == TS_SHAPE_PLANE) return plane_gap(second, there, first, at);
  if (is_round(first)) return round_gap(first, at, second, there);
  if (is_round(second)) return round_gap(second, there, first, at);
  return box_gap(first, at, second, there);
}

// The farthest that a shape reaches along a direction; of a plane its own boundary
static double farthest(const ts_shape *shape, const ts_pose *pose, ts_vec3 direction)
{
  const double centre = ts_dot(direction, pose->position);
  const ts_mat3 axes = ts_quat_matrix(pose->orientation);
  const double half = shape->kind == TS_SHAPE_CAPSULE ? 0.5 * shape->length : 0.0;
  if (shape->kind == TS_SHAPE_PLANE) return centre + shape->offset;
  if (!is_round(shape)) return centre + reach_along(&axes, shape->size, direction);
  return centre + shape->radius + half * fabs(ts_dot(axes.z, direction));
}

double own_gap_along(const ts_shape *first, const ts_pose *at, const ts_shape *second, const ts_pose *there,
                     ts_vec3 direction)
{
  return -farthest(first, at, ts_negate(direction)) - farthest(second, there, direction);
}
