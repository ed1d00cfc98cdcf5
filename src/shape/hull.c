#include "shape/hull.h"

#include "shape/facets.h"
#include "shape/hull_faces.h"
#include "shape/scratch.h"

#include "base/assert.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- scale ----

// Points about the middle of their box, in a unit (a power of two) in which the largest extent is between 1/2 and 1.
typedef struct cloud {
  int count;
  ts_vec3 *points;
  double tolerance; // rounding, in that unit
} cloud;

static double largest(ts_vec3 v)
{
  return fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
}

static bool scale_points(const ts_vec3 *given, int count, ts_arena *scratch, cloud *scaled)
{
  ts_vec3 low = given[0], high = given[0];
  double coordinate = 0.0;
  for (int i = 0; i < count; ++i) {
    low = ts_vec3_make(fmin(low.x, given[i].x), fmin(low.y, given[i].y), fmin(low.z, given[i].z));
    high = ts_vec3_make(fmax(high.x, given[i].x), fmax(high.y, given[i].y), fmax(high.z, given[i].z));
    coordinate = fmax(coordinate, largest(given[i]));
  }
  const ts_vec3 middle = ts_scale(0.5, ts_add(low, high));
  const double extent = largest(ts_sub(high, low));
  if (!(extent > 0.0)) return false;
  int exponent;
  frexp(extent, &exponent);
  const double unit = ldexp(1.0, -exponent);
  // Far from the origin the coordinates themselves are rounded more coarsely.
  *scaled = (cloud){count, ts_arena_bytes(scratch, (size_t)count, sizeof *given),
                    fmax(TS_HULL_TOLERANCE, 8.0 * DBL_EPSILON * coordinate * unit)};
  for (int i = 0; i < count; ++i) scaled->points[i] = ts_scale(unit, ts_sub(given[i], middle));
  return true;
}

// ---- welding ----

static int compare_along_x(const void *left, const void *right)
{
  const ts_vec3 *a = left, *b = right;
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  if (a->y != b->y) return a->y < b->y ? -1 : 1;
  return a->z < b->z ? -1 : a->z > b->z;
}

// Whether one of the points that were kept, which ascend along x, is that near
static bool has_near(const ts_vec3 *kept, int count, ts_vec3 p, double distance)
{
  for (int i = count - 1; i >= 0 && p.x - kept[i].x <= distance; --i)
    if (ts_distance_of(p, kept[i]) <= distance) return true;
  return false;
}

// Of points closer than `distance` to each other keep one: a copy in the scratch.
static ts_vec3 *weld_points(const ts_vec3 *points, int *count, double distance, ts_arena *scratch)
{
  ts_vec3 *kept = ts_arena_bytes(scratch, (size_t)*count, sizeof *kept);
  memcpy(kept, points, (size_t)*count * sizeof *kept);
  qsort(kept, (size_t)*count, sizeof *kept, compare_along_x);
  int left = 0;
  for (int i = 0; i < *count; ++i)
    if (!has_near(kept, left, kept[i], distance)) kept[left++] = kept[i];
  *count = left;
  return kept;
}

// ---- half-edges of the triangles: half-edge 3 t + k leaves corner k of triangle t ----

typedef struct surface {
  const cloud *cloud;
  ts_facets facets;
  int *twin; // the half-edge that runs the other way
  int *face; // of each triangle
  int face_count;
} surface;

static int start_of(const surface *s, int half_edge)
{
  return s->facets.triangles[half_edge / 3].corner[half_edge % 3];
}

static int next_in_triangle(int half_edge)
{
  return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}

static int end_of(const surface *s, int half_edge)
{
  return start_of(s, next_in_triangle(half_edge));
}

static bool find_twins(surface *s, ts_arena *scratch)
{
  const int count = 3 * s->facets.count;
  ts_hull_side *sides = ts_arena_bytes(scratch, (size_t)count, sizeof *sides);
  for (int e = 0; e < count; ++e) sides[e] = ts_hull_side_of(start_of(s, e), end_of(s, e), e);
  if (!ts_hull_pair_sides(sides, count)) return false;
  s->twin = ts_arena_ints(scratch, (size_t)count);
  for (int i = 0; i < count; i += 2) {
    s->twin[sides[i].owner] = sides[i + 1].owner;
    s->twin[sides[i + 1].owner] = sides[i].owner;
  }
  return true;
}

// ---- faces: triangles in one plane ----

static ts_vec3 area_vector(const surface *s, int triangle)
{
  const int *corner = s->facets.triangles[triangle].corner;
  const ts_vec3 *p = s->cloud->points;
  return ts_triangle_vector(p[corner[0]], p[corner[1]], p[corner[2]]);
}

// qhull does not notice every flat set of points. Volume by surface is about half the thickness of a plate.
static bool is_flat(const surface *s)
{
  double area = 0.0;
  for (int t = 0; t < s->facets.count; ++t) area += 0.5 * ts_length(area_vector(s, t));
  return !(ts_facets_volume(s->cloud->points, &s->facets) > s->cloud->tolerance * area);
}

static bool lies_in_plane(const surface *s, int triangle, ts_vec3 normal, ts_vec3 origin)
{
  const double tolerance = s->cloud->tolerance;
  for (int k = 0; k < 3; ++k) {
    const ts_vec3 corner = s->cloud->points[s->facets.triangles[triangle].corner[k]];
    if (fabs(ts_dot(normal, ts_sub(corner, origin))) > tolerance) return false;
  }
  return ts_dot(normal, area_vector(s, triangle)) >= -tolerance; // not the other side of a thin plate
}

static void grow_face(surface *s, int first, int face, int *stack)
{
  const ts_vec3 normal = ts_normalize(area_vector(s, first), ts_vec3_make(0.0, 0.0, 0.0));
  const ts_vec3 origin = s->cloud->points[s->facets.triangles[first].corner[0]];
  int depth = 0;
  stack[depth++] = first;
  s->face[first] = face;
  while (depth > 0) {
    const int triangle = stack[--depth];
    for (int k = 0; k < 3; ++k) {
      const int other = s->twin[3 * triangle + k] / 3;
      if (s->face[other] >= 0 || !lies_in_plane(s, other, normal, origin)) continue;
      s->face[other] = face;
      stack[depth++] = other;
    }
  }
}

// Grow faces from the largest triangles, whose planes rounding hurts least: slivers then fall to their neighbours.
static void join_triangles(surface *s, ts_arena *scratch)
{
  const int count = s->facets.count;
  ts_hull_seed *seeds = ts_arena_bytes(scratch, (size_t)count, sizeof *seeds);
  int *stack = ts_arena_ints(scratch, (size_t)count);
  for (int t = 0; t < count; ++t) {
    seeds[t] = (ts_hull_seed){t, ts_length(area_vector(s, t))};
    s->face[t] = -1;
  }
  ts_hull_sort_seeds(seeds, count);
  s->face_count = 0;
  for (int i = 0; i < count; ++i)
    if (s->face[seeds[i].face] < 0) grow_face(s, seeds[i].face, s->face_count++, stack);
}

static void leave_triangles(surface *s)
{
  for (int t = 0; t < s->facets.count; ++t) s->face[t] = t;
  s->face_count = s->facets.count;
}

// ---- loops: the boundary of each face ----

static bool is_boundary(const surface *s, int half_edge)
{
  return s->face[half_edge / 3] != s->face[s->twin[half_edge] / 3];
}

// The boundary half-edge of the same face that follows: turn about the end until the face ends.
static int next_on_boundary(const surface *s, int half_edge)
{
  int next = next_in_triangle(half_edge);
  while (!is_boundary(s, next)) next = next_in_triangle(s->twin[next]);
  return next;
}

typedef struct loops {
  int *degree;        // of each point: faces that meet there
  int *first, *sides; // of each face: a half-edge of its boundary, and how many there are
  int *visitor;       // of each point: the last face whose boundary came by
  int *start;         // of each face's corners in `vertices`
  int *vertices;
} loops;

// A point where two faces meet lies on an edge; only where three and more meet there is a corner.
static bool is_corner(const loops *l, int point)
{
  return l->degree[point] >= 3;
}

static void make_loops(const surface *s, ts_arena *scratch, loops *l)
{
  const size_t points = (size_t)s->cloud->count, faces = (size_t)s->face_count;
  *l = (loops){.degree = ts_arena_ints(scratch, points),
               .first = ts_arena_ints(scratch, faces),
               .sides = ts_arena_ints(scratch, faces),
               .visitor = ts_arena_ints(scratch, points),
               .start = ts_arena_ints(scratch, faces + 1),
               .vertices = ts_arena_ints(scratch, 3 * (size_t)s->facets.count)};
  for (size_t i = 0; i < points; ++i) l->degree[i] = 0, l->visitor[i] = -1;
  for (size_t f = 0; f < faces; ++f) l->first[f] = -1, l->sides[f] = 0;
  for (int e = 0; e < 3 * s->facets.count; ++e) {
    if (!is_boundary(s, e)) continue;
    const int f = s->face[e / 3];
    if (l->first[f] < 0) l->first[f] = e;
    ++l->sides[f];
    ++l->degree[start_of(s, e)];
  }
}

// Append the corners of a face in order. False when its boundary is not one loop that passes each point once.
static bool trace_face(const surface *s, loops *l, int face, int *filled)
{
  if (l->first[face] < 0) return false;
  int e = l->first[face];
  for (int k = 0; k < l->sides[face]; ++k) {
    const int point = start_of(s, e);
    if (l->visitor[point] == face) return false;
    l->visitor[point] = face;
    if (is_corner(l, point)) l->vertices[(*filled)++] = point;
    e = next_on_boundary(s, e);
  }
  return e == l->first[face];
}

// False when a face has a hole, touches itself or has fewer than three corners.
static bool trace_loops(const surface *s, ts_arena *scratch, loops *l)
{
  make_loops(s, scratch, l);
  int filled = 0;
  for (int f = 0; f < s->face_count; ++f) {
    l->start[f] = filled;
    if (!trace_face(s, l, f, &filled) || filled - l->start[f] < 3) return false;
  }
  l->start[s->face_count] = filled;
  return true;
}

// ---- the finished hull ----

static void *copy_to(ts_arena *arena, const void *from, size_t count, size_t size)
{
  return memcpy(ts_arena_bytes(arena, count, size), from, count * size);
}

static void add_neighbours(ts_hull *hull, ts_arena *arena)
{
  int *start = ts_arena_ints(arena, (size_t)hull->vertex_count + 1);
  int *neighbours = ts_arena_ints(arena, 2 * (size_t)hull->edge_count);
  memset(start, 0, ((size_t)hull->vertex_count + 1) * sizeof *start);
  for (int e = 0; e < hull->edge_count; ++e)
    for (int k = 0; k < 2; ++k) ++start[hull->edges[e][k]];
  for (int v = 0, sum = 0; v <= hull->vertex_count; ++v) sum += start[v], start[v] = sum;
  // Filling from behind leaves start[v] at the beginning of its list.
  for (int e = hull->edge_count - 1; e >= 0; --e)
    for (int k = 0; k < 2; ++k) neighbours[--start[hull->edges[e][k]]] = hull->edges[e][1 - k];
  hull->neighbour_start = start;
  hull->neighbours = neighbours;
}

static void add_topology(ts_hull *hull, const loops *l, const surface *s, const ts_vec3 *points, ts_arena *scratch,
                         ts_arena *arena)
{
  int *number = ts_arena_ints(scratch, (size_t)s->cloud->count);
  hull->vertex_count = 0;
  for (int i = 0; i < s->cloud->count; ++i)
    if (is_corner(l, i)) number[i] = hull->vertex_count++;
  ts_vec3 *vertices = ts_arena_bytes(arena, (size_t)hull->vertex_count, sizeof *vertices);
  for (int i = 0; i < s->cloud->count; ++i)
    if (is_corner(l, i)) vertices[number[i]] = points[i];
  hull->vertices = vertices;
  hull->face_count = s->face_count;
  hull->face_start = copy_to(arena, l->start, (size_t)s->face_count + 1, sizeof *l->start);
  int *loop = ts_arena_ints(arena, (size_t)l->start[s->face_count]);
  for (int k = 0; k < l->start[s->face_count]; ++k) loop[k] = number[l->vertices[k]];
  hull->face_vertices = loop;
}

static bool is_below(const ts_hull *hull, int face, int below, double tolerance)
{
  for (int k = hull->face_start[below]; k < hull->face_start[below + 1]; ++k)
    if (ts_dot(hull->normals[face], hull->vertices[hull->face_vertices[k]]) > hull->offsets[face] + tolerance)
      return false;
  return true;
}

// A closed surface that is convex at every edge, and of which Euler's formula says that it is a sphere's, is convex.
static bool is_convex_at_edges(const ts_hull *hull, double tolerance)
{
  if (hull->vertex_count - hull->edge_count + hull->face_count != 2) return false;
  for (int f = 0; f < hull->face_count; ++f)
    if (!(ts_length(hull->normals[f]) > 0.5)) return false; // rounding left no normal
  for (int e = 0; e < hull->edge_count; ++e) {
    const int *face = hull->edge_faces[e];
    if (!is_below(hull, face[0], face[1], tolerance) || !is_below(hull, face[1], face[0], tolerance)) return false;
  }
  return true;
}

// To rounding that is not enough: the plane of a needle, turned a little about its long side, passes far below vertices
// that are not next to it. Hulls so large that this would take seconds go without.
static bool is_convex_throughout(const ts_hull *hull, double tolerance)
{
  if ((double)hull->face_count * hull->vertex_count > 1e8) return true;
  for (int f = 0; f < hull->face_count; ++f)
    for (int v = 0; v < hull->vertex_count; ++v)
      if (ts_dot(hull->normals[f], hull->vertices[v]) > hull->offsets[f] + tolerance) return false;
  return true;
}

typedef struct task {
  const ts_vec3 *points;
  int count;
  ts_arena *arena;
  const ts_hull **hull;
  ts_error *error;
} task;

static bool finish(const task *t, const surface *s, ts_arena *scratch)
{
  loops l;
  if (!trace_loops(s, scratch, &l)) return false;
  const ts_arena_mark mark = ts_arena_save(t->arena);
  ts_hull *hull = ts_arena_bytes(t->arena, 1, sizeof *hull);
  *hull = (ts_hull){0};
  add_topology(hull, &l, s, t->points, scratch, t->arena);
  ts_hull_add_planes(hull, t->arena);
  // The tolerance in the points' own unit; faces and their planes may each be off by it.
  double reach = 0.0;
  for (int v = 0; v < hull->vertex_count; ++v)
    reach = fmax(reach, largest(ts_sub(hull->vertices[v], hull->vertices[0])));
  const double tolerance = 8.0 * s->cloud->tolerance * reach;
  if (!ts_hull_add_edges(hull, scratch, t->arena) || !is_convex_at_edges(hull, tolerance) ||
      !is_convex_throughout(hull, tolerance)) {
    ts_arena_restore(t->arena, mark);
    return false;
  }
  add_neighbours(hull, t->arena);
  *t->hull = hull;
  return true;
}

static ts_facets_outcome attempt(const task *t, const cloud *scaled, ts_facets_method method, ts_arena *scratch)
{
  surface s = {.cloud = scaled};
  const ts_facets_outcome outcome = ts_facets_build(scaled->points, scaled->count, method, scratch, &s.facets);
  if (outcome != TS_FACETS_DONE) return outcome;
  if (is_flat(&s)) return TS_FACETS_FLAT;
  if (!find_twins(&s, scratch)) return TS_FACETS_IMPRECISE;
  s.face = ts_arena_ints(scratch, (size_t)s.facets.count);
  join_triangles(&s, scratch);
  if (finish(t, &s, scratch)) return TS_FACETS_DONE;
  leave_triangles(&s); // faces that rounding spoils are no faces
  return finish(t, &s, scratch) ? TS_FACETS_DONE : TS_FACETS_IMPRECISE;
}

static ts_facets_outcome attempt_all(const task *t, ts_arena *scratch)
{
  cloud scaled;
  if (t->count < 4 || !scale_points(t->points, t->count, scratch, &scaled)) return TS_FACETS_FLAT;
  ts_facets_outcome outcome = TS_FACETS_IMPRECISE;
  for (int m = 0; m < TS_FACETS_METHOD_COUNT && outcome == TS_FACETS_IMPRECISE; ++m)
    outcome = attempt(t, &scaled, (ts_facets_method)m, scratch);
  return outcome;
}

// Where points nearly coincide, needles between them may have no plane that rounding spares. As a last resort one of
// each such group stands for the others.
static ts_facets_outcome attempt_welded(const task *t, double share, ts_arena *scratch)
{
  double extent = 0.0;
  for (int i = 1; i < t->count; ++i) extent = fmax(extent, largest(ts_sub(t->points[i], t->points[0])));
  task welded = *t;
  welded.points = weld_points(t->points, &welded.count, share * extent, scratch);
  return attempt_all(&welded, scratch);
}

static ts_status build(void *given, ts_arena *scratch)
{
  const task *t = given;
  static const double shares[] = {0.01 * TS_HULL_LARGEST_WELD, 0.1 * TS_HULL_LARGEST_WELD, TS_HULL_LARGEST_WELD};
  ts_facets_outcome outcome = attempt_all(t, scratch);
  for (int k = 0; k < 3 && outcome == TS_FACETS_IMPRECISE && t->count <= TS_HULL_MOST_WELDED; ++k)
    outcome = attempt_welded(t, shares[k], scratch);
  switch (outcome) {
  case TS_FACETS_DONE:
    return TS_OK;
  case TS_FACETS_NO_MEMORY:
    return ts_fail(t->error, TS_OUT_OF_MEMORY, "memory ran out while a hull was built");
  case TS_FACETS_FLAT:
    return ts_fail(t->error, TS_INVALID, "the %d points of a polytope lie in a plane, so it has no inside", t->count);
  default:
    return ts_fail(t->error, TS_INVALID, "the hull of %d points cannot be built: it is flat to rounding somewhere",
                   t->count);
  }
}

ts_status ts_hull_build(const ts_vec3 *points, int count, ts_arena *arena, const ts_hull **hull, ts_error *error)
{
  if (count < 4) return ts_fail(error, TS_INVALID, "a polytope needs 4 points or more, not %d", count);
  if (count > TS_HULL_MOST_POINTS)
    return ts_fail(error, TS_INVALID, "a polytope of %d points is larger than the %d allowed", count,
                   TS_HULL_MOST_POINTS);
  task t = {points, count, arena, hull, error};
  return ts_with_scratch(arena, build, &t);
}

const ts_hull *ts_hull_of_box(ts_vec3 half, ts_arena *arena)
{
  static const int loops_of_faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  static const int starts[7] = {0, 4, 8, 12, 16, 20, 24};
  static const ts_vec3 normals[6] = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0},  {0.0, -1.0, 0.0},
                                     {0.0, 1.0, 0.0},  {0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
  static const int edges[12][2] = {{0, 1}, {0, 2}, {0, 4}, {1, 3}, {1, 5}, {2, 3},
                                   {2, 6}, {3, 7}, {4, 5}, {4, 6}, {5, 7}, {6, 7}};
  // first the face that runs along the edge from its lower to its higher corner
  static const int edge_faces[12][2] = {{2, 4}, {4, 0}, {0, 2}, {1, 4}, {2, 1}, {4, 3},
                                        {3, 0}, {1, 3}, {5, 2}, {0, 5}, {5, 1}, {3, 5}};
  static const int neighbour_starts[9] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
  static const int neighbours[24] = {1, 2, 4, 0, 3, 5, 0, 3, 6, 1, 2, 7, 0, 5, 6, 1, 4, 7, 2, 4, 7, 3, 5, 6};
  ts_vec3 *vertices = ts_arena_bytes(arena, 8, sizeof *vertices);
  for (int i = 0; i < 8; ++i)
    vertices[i] = ts_vec3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
  double *offsets = ts_arena_doubles(arena, 6);
  for (int f = 0; f < 6; ++f) offsets[f] = f < 2 ? half.x : f < 4 ? half.y : half.z;
  ts_hull *hull = ts_arena_bytes(arena, 1, sizeof *hull);
  *hull = (ts_hull){.vertex_count = 8,
                    .face_count = 6,
                    .edge_count = 12,
                    .vertices = vertices,
                    .normals = normals,
                    .offsets = offsets,
                    .face_start = starts,
                    .face_vertices = loops_of_faces[0],
                    .edges = edges,
                    .edge_faces = edge_faces,
                    .neighbour_start = neighbour_starts,
                    .neighbours = neighbours};
  return hull;
}
