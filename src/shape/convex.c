#include "shape/convex.h"

#include "shape/hull.h"
#include "shape/outline.h"
#include "shape/wide_faces.h"

#include "base/assert.h"

#include <float.h>
#include <math.h>

// ---- hulls with many vertices: walk uphill ----

enum { SMALL_HULL = 48 }; // vertices up to which looking at all of them is faster than walking (measured)

static int scan_support(const ts_hull *hull, ts_vec3 direction)
{
  int best = 0;
  double furthest = ts_dot(hull->vertices[0], direction);
  for (int v = 1; v < hull->vertex_count; ++v) {
    const double along = ts_dot(hull->vertices[v], direction);
    if (along > furthest) best = v, furthest = along;
  }
  return best;
}

// The height of `vertex` and of its highest neighbour
typedef struct view {
  double here, around;
  int highest;
} view;

static view look_around(const ts_hull *hull, int vertex, ts_vec3 direction)
{
  view seen = {ts_dot(hull->vertices[vertex], direction), -INFINITY, vertex};
  for (int k = hull->neighbour_start[vertex]; k < hull->neighbour_start[vertex + 1]; ++k) {
    const double height = ts_dot(hull->vertices[hull->neighbours[k]], direction);
    if (height > seen.around) seen.around = height, seen.highest = hull->neighbours[k];
  }
  return seen;
}

static int best_outpost(const ts_hull *hull, ts_vec3 direction)
{
  int best = hull->outposts[0];
  double furthest = -INFINITY;
  for (int k = 0; k < TS_HULL_OUTPOSTS; ++k) {
    const double along = ts_dot(hull->vertices[hull->outposts[k]], direction);
    if (along > furthest) best = hull->outposts[k], furthest = along;
  }
  return best;
}

// From a vertex of a polytope whose neighbours are all lower, no vertex is higher: the polytope lies in the cone of its
// edges. Where a neighbour is as high to rounding, that says nothing about what is behind it, so all are looked at.
static int climb_support(const ts_hull *hull, double reach, ts_vec3 direction)
{
  const double rounding = 8.0 * DBL_EPSILON * reach * ts_length(direction);
  int vertex = best_outpost(hull, direction);
  view seen = look_around(hull, vertex, direction);
  while (seen.around > seen.here + rounding) {
    vertex = seen.highest;
    seen = look_around(hull, vertex, direction);
  }
  return seen.around < seen.here - rounding ? vertex : scan_support(hull, direction);
}

static const int *find_outposts(const ts_hull *hull, ts_arena *arena)
{
  static const ts_vec3 directions[TS_HULL_OUTPOSTS] = {{1, 0, 0},  {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},  {0, 0, 1},
                                                       {0, 0, -1}, {1, 1, 1},   {1, 1, -1},  {1, -1, 1},  {1, -1, -1},
                                                       {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}};
  int *outposts = ts_arena_ints(arena, TS_HULL_OUTPOSTS);
  for (int k = 0; k < TS_HULL_OUTPOSTS; ++k) outposts[k] = scan_support(hull, directions[k]);
  return outposts;
}

// ---- pieces ----

static ts_vec3 mean_vertex(const ts_hull *hull)
{
  const ts_vec3 origin = hull->vertices[0]; // differences lose less than a sum of large coordinates
  ts_vec3 sum = {0.0, 0.0, 0.0};
  for (int v = 1; v < hull->vertex_count; ++v) sum = ts_add(sum, ts_sub(hull->vertices[v], origin));
  return ts_add_scaled(origin, 1.0 / hull->vertex_count, sum);
}

static double furthest_vertex(const ts_hull *hull)
{
  double reach = 0.0;
  for (int v = 0; v < hull->vertex_count; ++v) reach = fmax(reach, ts_length(hull->vertices[v]));
  return reach * (1.0 + 2.0 * DBL_EPSILON); // rounded up
}

static void take_hull(ts_convex *part, const ts_hull *built, ts_arena *arena)
{
  ts_hull *hull = ts_arena_bytes(arena, 1, sizeof *hull);
  *hull = *built;
  if (hull->vertex_count > SMALL_HULL) hull->outposts = find_outposts(hull, arena);
  part->hull = hull;
  part->middle = mean_vertex(hull);
  part->reach = furthest_vertex(hull);
}

static void take_plane(ts_convex *part, const ts_shape *shape)
{
  const double length = ts_length(shape->normal);
  part->normal = ts_scale(1.0 / length, shape->normal);
  part->offset = shape->offset;
  part->middle = ts_scale(part->offset, part->normal);
  part->reach = INFINITY;
}

static void take_polytope(ts_convex *part, const ts_shape *shape, ts_arena *arena)
{
  const ts_hull *built = NULL;
  const ts_status status = ts_hull_build(shape->vertices, shape->vertex_count, arena, &built, NULL);
  if (status == TS_OUT_OF_MEMORY) longjmp(*arena->recovery, 1);
  TS_ASSERT(status == TS_OK); // as ts_shape_check() found
  ts_hull hull = *built;
  hull.wide = ts_wide_faces(built, arena);
  take_hull(part, &hull, arena);
}

static const ts_convex *take_polygon(const ts_shape *shape, ts_arena *arena, int *count)
{
  const ts_hull *hulls = NULL;
  const ts_status status = ts_outline_pieces(shape->vertices, shape->vertex_count, arena, &hulls, count, NULL);
  TS_ASSERT(status == TS_OK); // as ts_shape_check() found
  (void)status;
  ts_convex *parts = ts_arena_bytes(arena, (size_t)*count, sizeof *parts);
  for (int i = 0; i < *count; ++i) {
    parts[i] = (ts_convex){.kind = TS_SHAPE_POLYGON};
    take_hull(parts + i, hulls + i, arena);
  }
  return parts;
}

static void take_round(ts_convex *part, const ts_shape *shape)
{
  part->radius = shape->radius;
  if (shape->kind == TS_SHAPE_CAPSULE || shape->kind == TS_SHAPE_CYLINDER) part->half_length = 0.5 * shape->length;
  part->reach =
      shape->kind == TS_SHAPE_CYLINDER ? hypot(part->half_length, part->radius) : part->half_length + part->radius;
}

const ts_convex *ts_convex_pieces(const ts_shape *shape, ts_arena *arena, int *count)
{
  if (shape->kind == TS_SHAPE_POLYGON) return take_polygon(shape, arena, count);
  ts_convex *part = ts_arena_bytes(arena, 1, sizeof *part);
  *part = (ts_convex){.kind = shape->kind};
  switch (shape->kind) {
  case TS_SHAPE_PLANE:
    take_plane(part, shape);
    break;
  case TS_SHAPE_SPHERE:
  case TS_SHAPE_CAPSULE:
  case TS_SHAPE_CYLINDER:
  case TS_SHAPE_DISC:
    take_round(part, shape);
    break;
  case TS_SHAPE_BOX:
    part->half = ts_scale(0.5, shape->size);
    take_hull(part, ts_hull_of_box(part->half, arena), arena);
    break;
  case TS_SHAPE_ELLIPSOID:
    part->half = shape->size;
    part->reach = fmax(fmax(part->half.x, part->half.y), part->half.z);
    break;
  case TS_SHAPE_POLYTOPE:
    take_polytope(part, shape, arena);
    break;
  default:
    break; // a point is all zero
  }
  *count = 1;
  return part;
}

// ---- support ----

// v scaled to `length`; zero for zero
static ts_vec3 with_length(double length, ts_vec3 v)
{
  const double square = ts_dot(v, v);
  return square > 0.0 ? ts_scale(length / sqrt(square), v) : v;
}

// The point of the ellipsoid with normal d is A^2 d / |A d|, A = diag(semi-axes).
static ts_vec3 ellipsoid_support(ts_vec3 axes, ts_vec3 direction)
{
  const ts_vec3 scaled = {axes.x * direction.x, axes.y * direction.y, axes.z * direction.z};
  const ts_vec3 on_sphere = with_length(1.0, scaled);
  return ts_vec3_make(axes.x * on_sphere.x, axes.y * on_sphere.y, axes.z * on_sphere.z);
}

ts_vec3 ts_convex_support(const ts_convex *part, ts_vec3 direction)
{
  switch (part->kind) {
  case TS_SHAPE_SPHERE:
    return with_length(part->radius, direction);
  case TS_SHAPE_BOX:
    return ts_vec3_make(copysign(part->half.x, direction.x), copysign(part->half.y, direction.y),
                        copysign(part->half.z, direction.z));
  case TS_SHAPE_CAPSULE: {
    const ts_vec3 cap = with_length(part->radius, direction);
    return ts_vec3_make(cap.x, cap.y, cap.z + copysign(part->half_length, direction.z));
  }
  case TS_SHAPE_CYLINDER: {
    const ts_vec3 rim = with_length(part->radius, ts_vec3_make(direction.x, direction.y, 0.0));
    return ts_vec3_make(rim.x, rim.y, copysign(part->half_length, direction.z));
  }
  case TS_SHAPE_ELLIPSOID:
    return ellipsoid_support(part->half, direction);
  case TS_SHAPE_DISC:
    return with_length(part->radius, ts_vec3_make(direction.x, direction.y, 0.0));
  case TS_SHAPE_POLYTOPE:
  case TS_SHAPE_POLYGON: {
    const ts_hull *hull = part->hull;
    const int vertex = hull->outposts ? climb_support(hull, part->reach, direction) : scan_support(hull, direction);
    return hull->vertices[vertex];
  }
  default:
    return part->middle;
  }
}

double ts_convex_separation_along(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b,
                                  const ts_frame *frame_b, ts_vec3 normal)
{
  const ts_vec3 down = ts_mul_transposed(&frame_a->axes, ts_negate(normal));
  const ts_vec3 up = ts_mul_transposed(&frame_b->axes, normal);
  return ts_dot(normal, ts_sub(frame_a->origin, frame_b->origin)) - ts_dot(down, ts_convex_support(a, down)) -
         ts_dot(up, ts_convex_support(b, up));
}

// ---- bounds ----

// Half extents, by rows of the rotation: |R| h of a box
static ts_vec3 box_extent(const ts_mat3 *R, ts_vec3 half)
{
  return ts_vec3_make(fabs(R->x.x) * half.x + fabs(R->y.x) * half.y + fabs(R->z.x) * half.z,
                      fabs(R->x.y) * half.x + fabs(R->y.y) * half.y + fabs(R->z.y) * half.z,
                      fabs(R->x.z) * half.x + fabs(R->y.z) * half.y + fabs(R->z.z) * half.z);
}

// |A R^T e_i| of an ellipsoid
static ts_vec3 ellipsoid_extent(const ts_mat3 *R, ts_vec3 half)
{
  const ts_vec3 x = ts_scale(half.x, R->x), y = ts_scale(half.y, R->y), z = ts_scale(half.z, R->z);
  return ts_vec3_make(sqrt(x.x * x.x + y.x * y.x + z.x * z.x), sqrt(x.y * x.y + y.y * y.y + z.y * z.y),
                      sqrt(x.z * x.z + y.z * y.z + z.z * z.z));
}

static ts_vec3 segment_extent(const ts_mat3 *R, double half_length)
{
  return ts_vec3_make(fabs(R->z.x) * half_length, fabs(R->z.y) * half_length, fabs(R->z.z) * half_length);
}

// A flat disc about local z is an ellipsoid without height.
static ts_vec3 disc_extent(const ts_mat3 *R, double radius)
{
  return ellipsoid_extent(R, ts_vec3_make(radius, radius, 0.0));
}

static double low_of(double direction, double others, double boundary)
{
  return others == 0.0 && direction < 0.0 ? -boundary : -INFINITY;
}

static double high_of(double direction, double others, double boundary)
{
  return others == 0.0 && direction > 0.0 ? boundary : INFINITY;
}

// A half-space is bounded on one side, and only if its normal lies along an axis.
static ts_bounds plane_bounds(const ts_convex *part, const ts_frame *frame)
{
  const ts_vec3 n = ts_mul(&frame->axes, part->normal);
  const double offset = part->offset + ts_dot(n, frame->origin);
  const double not_x = fabs(n.y) + fabs(n.z), not_y = fabs(n.x) + fabs(n.z), not_z = fabs(n.x) + fabs(n.y);
  return (ts_bounds){{low_of(n.x, not_x, offset), low_of(n.y, not_y, offset), low_of(n.z, not_z, offset)},
                     {high_of(n.x, not_x, offset), high_of(n.y, not_y, offset), high_of(n.z, not_z, offset)}};
}

static ts_bounds vertex_bounds(const ts_hull *hull, const ts_frame *frame)
{
  ts_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (int v = 0; v < hull->vertex_count; ++v) {
    const ts_vec3 p = ts_mul(&frame->axes, hull->vertices[v]);
    low = ts_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = ts_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  return (ts_bounds){ts_add(frame->origin, low), ts_add(frame->origin, high)};
}

// The extreme coordinate along a world axis whose components in the part's frame are `row`
static double extreme(const ts_convex *part, ts_vec3 row)
{
  return ts_dot(row, part->hull->vertices[climb_support(part->hull, part->reach, row)]);
}

static ts_bounds climbed_bounds(const ts_convex *part, const ts_frame *frame)
{
  const ts_mat3 rows = ts_mat3_transpose(&frame->axes);
  const ts_vec3 low = {-extreme(part, ts_negate(rows.x)), -extreme(part, ts_negate(rows.y)),
                       -extreme(part, ts_negate(rows.z))};
  const ts_vec3 high = {extreme(part, rows.x), extreme(part, rows.y), extreme(part, rows.z)};
  return (ts_bounds){ts_add(frame->origin, low), ts_add(frame->origin, high)};
}

ts_bounds ts_convex_bounds(const ts_convex *part, const ts_frame *frame)
{
  const ts_mat3 *R = &frame->axes;
  const ts_vec3 ball = {part->radius, part->radius, part->radius};
  switch (part->kind) {
  case TS_SHAPE_PLANE:
    return plane_bounds(part, frame);
  case TS_SHAPE_SPHERE:
    return ts_bounds_about(frame->origin, ball);
  case TS_SHAPE_BOX:
    return ts_bounds_about(frame->origin, box_extent(R, part->half));
  case TS_SHAPE_CAPSULE:
    return ts_bounds_about(frame->origin, ts_add(segment_extent(R, part->half_length), ball));
  case TS_SHAPE_CYLINDER:
    return ts_bounds_about(frame->origin, ts_add(segment_extent(R, part->half_length), disc_extent(R, part->radius)));
  case TS_SHAPE_ELLIPSOID:
    return ts_bounds_about(frame->origin, ellipsoid_extent(R, part->half));
  case TS_SHAPE_DISC:
    return ts_bounds_about(frame->origin, disc_extent(R, part->radius));
  case TS_SHAPE_POLYTOPE:
  case TS_SHAPE_POLYGON:
    return part->hull->outposts ? climbed_bounds(part, frame) : vertex_bounds(part->hull, frame);
  default:
    return (ts_bounds){frame->origin, frame->origin};
  }
}

// Of a hull about its middle.
static double hull_inner_radius(const ts_hull *hull, ts_vec3 middle)
{
  double least = INFINITY;
  for (int f = 0; f < hull->face_count; ++f) least = fmin(least, hull->offsets[f] - ts_dot(hull->normals[f], middle));
  return fmax(0.0, least);
}

double ts_convex_inner_radius(const ts_convex *part)
{
  switch (part->kind) {
  case TS_SHAPE_PLANE:
    return INFINITY;
  case TS_SHAPE_BOX:
  case TS_SHAPE_ELLIPSOID:
    return fmin(part->half.x, fmin(part->half.y, part->half.z));
  case TS_SHAPE_CYLINDER:
    return fmin(part->radius, part->half_length);
  case TS_SHAPE_POLYTOPE:
  case TS_SHAPE_POLYGON:
    return hull_inner_radius(part->hull, part->middle);
  default:
    return part->radius; // of a point 0
  }
}
