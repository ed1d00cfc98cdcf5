// psi = 1/2 |phi|^2 of the MNCP along a straight line, minimized with the edges of phi in view (002, "edge-aware
// linesearch"). Between the points where a contact crosses the plane z_n = 0 or the cone |z_t| = -mu z_n phi is smooth;
// these points are computed exactly and each piece between them is searched by itself. An evaluation costs two products
// with A, a search at least two evaluations a piece.
#ifndef TS_COMPLEMENTARITY_FRICTION_MNCP_RAY_H
#define TS_COMPLEMENTARITY_FRICTION_MNCP_RAY_H

#include "complementarity/friction/mncp.h"

typedef struct ts_mncp_ray {
  const ts_mncp *mncp;
  const double *origin, *direction;
  ts_mncp_mode *modes; // of the piece being searched
  double *breaks;      // edges, ascending
  int count;
  double *columns, *images; // size x 2: force and its derivative along the ray, and A times them
} ts_mncp_ray;

typedef struct ts_mncp_ray_point {
  double t, psi, slope; // slope of the piece that was searched
} ts_mncp_ray_point;

void ts_mncp_ray_init(ts_mncp_ray *ray, const ts_mncp *mncp, ts_arena *arena);

// Lowest point of psi at origin + t direction, 0 <= t <= limit, over all pieces.
ts_mncp_ray_point ts_mncp_ray_minimize(ts_mncp_ray *ray, const double *origin, const double *direction, double limit);

#endif
