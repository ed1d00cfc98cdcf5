// fmemopen()
#define _POSIX_C_SOURCE 200809L

#include "shape/facets.h"

#include <stdio.h>

#include <libqhull_r/qhull_ra.h>

_Static_assert(sizeof(ts_vec3) == 3 * sizeof(coordT), "qhull reads points as triples of coordinates");

// Write the corners of the facets; false when there are more than `capacity` or one is no triangle. Calls nothing of
// qhull's: outside of qh_new_qhull() its errors end the program.
static bool copy_triangles(qhT *qh, const coordT *points, int capacity, ts_facets *facets)
{
  const facetT *facet;
  facets->count = 0;
  FORALLfacets
  {
    if (!facet->simplicial || !facet->vertices || facets->count == capacity) return false;
    ts_triangle triangle;
    int corners = 0;
    vertexT *vertex, **vertexp;
    FOREACHvertex_(facet->vertices)
    {
      if (corners == 3) return false;
      triangle.corner[corners++] = (int)((vertex->point - points) / 3);
    }
    if (corners != 3) return false;
    if (facet->toporient) { // seen from outside, the vertices of these are in clockwise order
      const int first = triangle.corner[0];
      triangle.corner[0] = triangle.corner[1];
      triangle.corner[1] = first;
    }
    facets->triangles[facets->count++] = triangle;
  }
  return facets->count >= 4;
}

double ts_facets_volume(const ts_vec3 *points, const ts_facets *facets)
{
  double sum = 0.0;
  for (int t = 0; t < facets->count; ++t) {
    const int *corner = facets->triangles[t].corner;
    const ts_vec3 origin = points[facets->triangles[0].corner[0]];
    const ts_vec3 a = ts_sub(points[corner[0]], origin), b = ts_sub(points[corner[1]], origin);
    sum += ts_dot(a, ts_cross(b, ts_sub(points[corner[2]], origin)));
  }
  return sum / 6.0;
}

static ts_facets_outcome outcome_of(int qhull_code)
{
  switch (qhull_code) {
  case qh_ERRnone:
    return TS_FACETS_DONE;
  case qh_ERRsingular:
    return TS_FACETS_FLAT;
  case qh_ERRmem:
    return TS_FACETS_NO_MEMORY;
  default:
    return TS_FACETS_IMPRECISE;
  }
}

// All arena memory is taken before qhull takes its own, so that nothing of qhull's is lost when the arena runs out.
ts_facets_outcome ts_facets_build(const ts_vec3 *points, int count, ts_facets_method method, ts_arena *arena,
                                  ts_facets *facets)
{
  const int capacity = 2 * count - 4; // Euler's formula
  facets->triangles = ts_arena_bytes(arena, (size_t)capacity, sizeof *facets->triangles);
  qhT *qh = ts_arena_bytes(arena, 1, sizeof *qh);
  coordT *coordinates = &((ts_vec3 *)ts_arena_bytes(arena, (size_t)count, sizeof *points))->x;
  memcpy(coordinates, points, (size_t)count * sizeof *points);

  char sink[256]; // takes what qhull would print
  FILE *messages = fmemopen(sink, sizeof sink, "w");
  if (!messages) return TS_FACETS_NO_MEMORY;
  char cut[] = "qhull Qt", joggle[] = "qhull QJ";
  qh_zero(qh, messages);
  const int code =
      qh_new_qhull(qh, 3, count, coordinates, False, method == TS_FACETS_CUT ? cut : joggle, messages, messages);
  ts_facets_outcome outcome = outcome_of(code);
  if (outcome == TS_FACETS_DONE && !copy_triangles(qh, qh->first_point, capacity, facets))
    outcome = TS_FACETS_IMPRECISE;
  int long_blocks, long_bytes; // left over: none, for qhull's own code frees them
  qh_freeqhull(qh, !qh_ALL);
  qh_memfreeshort(qh, &long_blocks, &long_bytes);
  fclose(messages);
  return outcome;
}
