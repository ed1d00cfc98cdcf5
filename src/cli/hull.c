#include "cli/hull.h"

#include "cli/memory.h"

#include "touchstone/shape.h"

#include <libqhull_r/qhull_ra.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void hand_over(qhT *qh, const facetT *facet, setT *ring, cli_hull_face *face, void *user)
{
  const int count = qh_setsize(qh, ring);
  ts_vec3 *corners = cli_zeros((size_t)count, sizeof *corners);
  int i = 0;
  vertexT *vertex, **vertexp;
  FOREACHvertex_(ring) corners[i++] = (ts_vec3){vertex->point[0], vertex->point[1], vertex->point[2]};
  face(user, corners, count, (ts_vec3){facet->normal[0], facet->normal[1], facet->normal[2]});
  free(corners);
}

static void visit_faces(qhT *qh, cli_hull_face *face, void *user)
{
  facetT *facet;
  FORALLfacets
  {
    setT *ring = qh_facet3vertex(qh, facet);
    hand_over(qh, facet, ring, face, user);
    qh_settempfree(qh, &ring);
  }
}

void cli_hull(const ts_vec3 *points, int count, cli_hull_face *face, void *user)
{
  coordT *coordinates = cli_zeros((size_t)count, 3 * sizeof *coordinates);
  double largest = 0.0;
  for (int i = 0; i < count; ++i) {
    coordinates[3 * i] = points[i].x;
    coordinates[3 * i + 1] = points[i].y;
    coordinates[3 * i + 2] = points[i].z;
    largest = fmax(largest, fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z))));
  }
  FILE *nowhere = fopen("/dev/null", "w"); // qhull explains failures at length
  qhT qh;
  qh_zero(&qh, nowhere ? nowhere : stderr);
  char command[48]; // merge what rounding makes of planes on the way (C-0), and in the end what is flat (Cn)
  snprintf(command, sizeof command, "qhull C-0 C%.3g", TS_FLAT_SHARE * largest);
  if (qh_new_qhull(&qh, 3, count, coordinates, False, command, NULL, nowhere) == 0) visit_faces(&qh, face, user);
  qh_freeqhull(&qh, !qh_ALL);
  int current, total; // what qhull did not give back: nothing
  qh_memfreeshort(&qh, &current, &total);
  if (nowhere) fclose(nowhere);
  free(coordinates);
}
