#include "draw/polytope_faces.h"

#include "touchstone/shape.h"

#include <libqhull_r/qhull_ra.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct visit {
  ts_polytope_face *face;
  void *user;
  ts_heap *heap;
} visit;

static void hand_over(qhT *qh, const facetT *facet, setT *ring, const visit *v)
{
  const int count = qh_setsize(qh, ring);
  ts_vec3 *corners = ts_heap_zeros(v->heap, (size_t)count, sizeof *corners);
  if (!corners) return;
  int i = 0;
  vertexT *vertex, **vertexp;
  FOREACHvertex_(ring) corners[i++] = (ts_vec3){vertex->point[0], vertex->point[1], vertex->point[2]};
  v->face(v->user, corners, count, (ts_vec3){facet->normal[0], facet->normal[1], facet->normal[2]});
  free(corners);
}

static void visit_faces(qhT *qh, const visit *v)
{
  facetT *facet;
  FORALLfacets
  {
    setT *ring = qh_facet3vertex(qh, facet);
    hand_over(qh, facet, ring, v);
    qh_settempfree(qh, &ring);
  }
}

// `nowhere` takes what qhull has to say: it explains failures at length.
static void find_faces(coordT *coordinates, int count, double largest, FILE *nowhere, const visit *v)
{
  qhT qh;
  qh_zero(&qh, nowhere);
  char command[48]; // merge what rounding makes of planes on the way (C-0), and in the end what is flat (Cn)
  snprintf(command, sizeof command, "qhull C-0 C%.3g", TS_FLAT_SHARE * largest);
  const int failure = qh_new_qhull(&qh, 3, count, coordinates, False, command, NULL, nowhere);
  if (failure == 0) visit_faces(&qh, v);
  if (failure == qh_ERRmem) v->heap->exhausted = true;
  qh_freeqhull(&qh, !qh_ALL);
  int current, total; // what qhull did not give back: nothing
  qh_memfreeshort(&qh, &current, &total);
}

void ts_polytope_faces(const ts_vec3 *points, int count, ts_polytope_face *face, void *user, ts_heap *heap)
{
  coordT *coordinates = ts_heap_zeros(heap, (size_t)count, 3 * sizeof *coordinates);
  if (!coordinates) return;
  double largest = 0.0;
  for (int i = 0; i < count; ++i) {
    coordinates[3 * i] = points[i].x;
    coordinates[3 * i + 1] = points[i].y;
    coordinates[3 * i + 2] = points[i].z;
    largest = fmax(largest, fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z))));
  }
  FILE *nowhere = fopen("/dev/null", "w");
  if (nowhere) {
    find_faces(coordinates, count, largest, nowhere, &(visit){face, user, heap});
    fclose(nowhere);
  }
  free(coordinates);
}
