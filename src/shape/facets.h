// The convex hull of points as a closed surface of triangles (by qhull).
#ifndef TS_SHAPE_FACETS_H
#define TS_SHAPE_FACETS_H

#include "touchstone/status.h"

#include "math/vec3.h"

#include "base/arena.h"

typedef struct ts_triangle {
  int corner[3]; // points, counter-clockwise from outside
} ts_triangle;

typedef struct ts_facets {
  int count;
  ts_triangle *triangles;
} ts_facets;

typedef enum ts_facets_outcome {
  TS_FACETS_DONE,
  TS_FACETS_FLAT,      // all points lie in a plane, to rounding
  TS_FACETS_IMPRECISE, // qhull gave up, or its surface is no surface
  TS_FACETS_NO_MEMORY
} ts_facets_outcome;

// How qhull deals with points that lie in a plane to rounding: it cuts faces it has merged, or it moves points a
// little.
typedef enum ts_facets_method { TS_FACETS_CUT, TS_FACETS_JOGGLE, TS_FACETS_METHOD_COUNT } ts_facets_method;

// `count` >= 4 points, finite and of moderate size (about 1). The triangles lie in the arena. They are oriented alike,
// but that they close up is for the caller to check.
ts_facets_outcome ts_facets_build(const ts_vec3 *points, int count, ts_facets_method method, ts_arena *arena,
                                  ts_facets *facets);

// The volume that the triangles enclose; negative when they are oriented inwards.
double ts_facets_volume(const ts_vec3 *points, const ts_facets *facets);

#endif
