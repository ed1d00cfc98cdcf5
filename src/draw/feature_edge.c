#include "draw/feature_edge.h"

#include <math.h>
#include <stdlib.h>

static const double SHARP = 25.0 * TS_PI / 180.0; // angle between the normals of two faces

// A side of a face, written from the lesser of its ends to the other one, so that two faces write the same.
typedef struct face_side {
  ts_vec3 from, to;
  int face;
} face_side;

static int compare_numbers(double a, double b)
{
  return (a > b) - (a < b);
}

static int compare_points(ts_vec3 a, ts_vec3 b)
{
  if (a.x != b.x) return compare_numbers(a.x, b.x);
  return a.y != b.y ? compare_numbers(a.y, b.y) : compare_numbers(a.z, b.z);
}

static bool same_place(const face_side *a, const face_side *b)
{
  return compare_points(a->from, b->from) == 0 && compare_points(a->to, b->to) == 0;
}

static int by_place(const void *a, const void *b)
{
  const face_side *p = a, *q = b;
  const int order = compare_points(p->from, q->from);
  if (order != 0) return order;
  return same_place(p, q) ? (p->face > q->face) - (p->face < q->face) : compare_points(p->to, q->to);
}

static void list_sides(const ts_surface *surface, face_side *sides)
{
  for (int f = 0, k = 0; f < surface->face_count; ++f) {
    const ts_vec3 *corner = surface->corners + surface->faces[f].first;
    const int count = surface->faces[f].count;
    for (int i = 0; i < count; ++i, ++k) {
      const ts_vec3 a = corner[i], b = corner[(i + 1) % count];
      sides[k] = compare_points(a, b) < 0 ? (face_side){a, b, f} : (face_side){b, a, f};
    }
  }
}

// A face without an area has no normal, and nothing turns there.
static bool is_sharp(const ts_surface_face *a, const ts_surface_face *b)
{
  if (a->curved && b->curved) return false;
  const bool flat = ts_vector_length(a->normal) == 0.0 || ts_vector_length(b->normal) == 0.0;
  return !flat && ts_vector_dot(a->normal, b->normal) < cos(SHARP);
}

// Sides that meet stand beside each other when they are sorted; rims of rings, whose corners differ by round-off, have
// no partner, and are edges where their face is flat.
static int pick_edges(const ts_surface *surface, const face_side *sides, ts_feature_edge *edges)
{
  int count = 0;
  for (int i = 0; i < surface->corner_count; ++i) {
    const face_side *side = &sides[i];
    const bool paired = i + 1 < surface->corner_count && same_place(side, side + 1);
    const int other = paired ? sides[i + 1].face : side->face;
    const ts_surface_face *face = &surface->faces[side->face];
    if (paired ? is_sharp(face, &surface->faces[other]) : !face->curved)
      edges[count++] = (ts_feature_edge){side->from, side->to, side->face, other};
    i += paired;
  }
  return count;
}

ts_feature_edge *ts_feature_edges(const ts_surface *surface, int *count, ts_heap *heap)
{
  const size_t most = (size_t)surface->corner_count; // faces have as many sides as corners
  face_side *sides = ts_heap_zeros(heap, most, sizeof *sides);
  ts_feature_edge *edges = ts_heap_zeros(heap, most, sizeof *edges);
  *count = 0;
  if (edges) {
    list_sides(surface, sides);
    qsort(sides, most, sizeof *sides, by_place);
    *count = pick_edges(surface, sides, edges);
  }
  free(sides);
  return edges;
}
