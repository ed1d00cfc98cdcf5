#include "shape/hull_faces.h"

#include <math.h>
#include <stdlib.h>

static int compare_sides(const void *left, const void *right)
{
  const ts_hull_side *a = left, *b = right;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return (int)b->ascending - (int)a->ascending;
}

ts_hull_side ts_hull_side_of(int from, int to, int owner)
{
  return from < to ? (ts_hull_side){from, to, owner, true} : (ts_hull_side){to, from, owner, false};
}

bool ts_hull_pair_sides(ts_hull_side *sides, int count)
{
  if (count % 2) return false;
  qsort(sides, (size_t)count, sizeof *sides, compare_sides);
  for (int i = 0; i < count; i += 2) {
    const ts_hull_side *a = sides + i, *b = a + 1;
    if (a->low != b->low || a->high != b->high || !a->ascending || b->ascending) return false;
    if (i > 0 && a->low == a[-1].low && a->high == a[-1].high) return false;
  }
  return true;
}

// Rounding grows with the product of the two edges that are multiplied, which in a thin triangle is far larger than the
// area unless they are the two shortest.
ts_vec3 ts_triangle_vector(ts_vec3 a, ts_vec3 b, ts_vec3 c)
{
  const ts_vec3 ab = ts_sub(b, a), bc = ts_sub(c, b), ca = ts_sub(a, c);
  const double ab2 = ts_dot(ab, ab), bc2 = ts_dot(bc, bc), ca2 = ts_dot(ca, ca);
  if (ca2 >= ab2 && ca2 >= bc2) return ts_cross(ab, bc);
  return ab2 >= bc2 ? ts_cross(bc, ca) : ts_cross(ca, ab);
}

static int compare_seeds(const void *left, const void *right)
{
  const ts_hull_seed *a = left, *b = right;
  if (a->area != b->area) return a->area > b->area ? -1 : 1;
  return a->face < b->face ? -1 : a->face > b->face;
}

void ts_hull_sort_seeds(ts_hull_seed *seeds, int count)
{
  qsort(seeds, (size_t)count, sizeof *seeds, compare_seeds);
}

// The area vector of the whole loop (Newell): rounding of single corners averages out.
ts_vec3 ts_hull_face_vector(const ts_hull *hull, int face)
{
  const int *loop = hull->face_vertices + hull->face_start[face];
  const int count = hull->face_start[face + 1] - hull->face_start[face];
  const ts_vec3 origin = hull->vertices[loop[0]];
  ts_vec3 sum = {0.0, 0.0, 0.0};
  for (int k = 2; k < count; ++k)
    sum = ts_add(sum, ts_triangle_vector(origin, hull->vertices[loop[k - 1]], hull->vertices[loop[k]]));
  return sum;
}

void ts_hull_add_planes(ts_hull *hull, ts_arena *arena)
{
  ts_vec3 *normals = ts_arena_bytes(arena, (size_t)hull->face_count, sizeof *normals);
  double *offsets = ts_arena_doubles(arena, (size_t)hull->face_count);
  for (int f = 0; f < hull->face_count; ++f) {
    normals[f] = ts_normalize(ts_hull_face_vector(hull, f), ts_vec3_make(0.0, 0.0, 0.0));
    offsets[f] = -INFINITY; // no corner of the face lies outside
    for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; ++k)
      offsets[f] = fmax(offsets[f], ts_dot(normals[f], hull->vertices[hull->face_vertices[k]]));
  }
  hull->normals = normals;
  hull->offsets = offsets;
}

bool ts_hull_add_edges(ts_hull *hull, ts_arena *scratch, ts_arena *arena)
{
  const int count = hull->face_start[hull->face_count];
  ts_hull_side *sides = ts_arena_bytes(scratch, (size_t)count, sizeof *sides);
  for (int f = 0; f < hull->face_count; ++f) {
    const int *loop = hull->face_vertices + hull->face_start[f];
    const int length = hull->face_start[f + 1] - hull->face_start[f];
    for (int k = 0; k < length; ++k)
      sides[hull->face_start[f] + k] = ts_hull_side_of(loop[k], loop[(k + 1) % length], f);
  }
  if (!ts_hull_pair_sides(sides, count)) return false;
  hull->edge_count = count / 2;
  int(*edges)[2] = ts_arena_bytes(arena, (size_t)hull->edge_count, sizeof *edges);
  int(*faces)[2] = ts_arena_bytes(arena, (size_t)hull->edge_count, sizeof *faces);
  for (int e = 0; e < hull->edge_count; ++e) {
    const ts_hull_side *pair = sides + 2 * e;
    edges[e][0] = pair->low, edges[e][1] = pair->high;
    faces[e][0] = pair[0].owner, faces[e][1] = pair[1].owner;
  }
  hull->edges = (const int(*)[2])edges;
  hull->edge_faces = (const int(*)[2])faces;
  return true;
}
