#include "shape/hull_part.h"

#include "shape/implicit.h"

#include <float.h>
#include <math.h>

// ---- hulls with many vertices: walk uphill --------------------------------------------------------------

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

// ---- making --------------------------------------------------------------------------------------------------------

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

void ts_take_hull(ts_convex *part, const ts_hull *built, ts_arena *arena)
{
  ts_hull *hull = ts_arena_bytes(arena, 1, sizeof *hull);
  *hull = *built;
  if (hull->vertex_count > SMALL_HULL) hull->outposts = find_outposts(hull, arena);
  part->hull = hull;
  part->middle = mean_vertex(hull);
  part->reach = furthest_vertex(hull);
}

// ---- queries -------------------------------------------------------------------------------------------------------

ts_vec3 ts_hull_support(const ts_convex *part, ts_vec3 direction)
{
  const ts_hull *hull = part->hull;
  const int vertex = hull->outposts ? climb_support(hull, part->reach, direction) : scan_support(hull, direction);
  return hull->vertices[vertex];
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

ts_bounds ts_hull_bounds(const ts_convex *part, const ts_frame *frame)
{
  return part->hull->outposts ? climbed_bounds(part, frame) : vertex_bounds(part->hull, frame);
}

double ts_hull_inner_radius(const ts_convex *part)
{
  const ts_hull *hull = part->hull;
  double least = INFINITY;
  for (int f = 0; f < hull->face_count; ++f)
    least = fmin(least, hull->offsets[f] - ts_dot(hull->normals[f], part->middle));
  return fmax(0.0, least);
}

double ts_hull_outside(const ts_convex *part, ts_vec3 point)
{
  const ts_hull *hull = part->hull;
  double most = -INFINITY;
  for (int f = 0; f < hull->face_count; ++f) most = fmax(most, ts_dot(hull->normals[f], point) - hull->offsets[f]);
  return most;
}

int ts_hull_implicit_count(const ts_convex *part)
{
  return part->hull->face_count;
}

double ts_hull_implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  return ts_implicit_half_space(part->hull->normals[i], part->hull->offsets[i], x, gradient, hessian);
}
