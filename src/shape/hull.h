// Building the surface of a polytope from points: qhull's triangles, joined to faces where they lie in one plane.
#ifndef TS_SHAPE_HULL_H
#define TS_SHAPE_HULL_H

#include "shape/convex.h"

#include "base/status.h"

// Distances below this share of a hull's extent are taken for rounding: points that are no further from the plane of a
// face belong to it, points no further from the line of an edge are no corners.
#define TS_HULL_TOLERANCE 1e-12

// Where the hull of points that nearly coincide cannot be resolved, points up to this share of the extent apart are
// made one, as few as are needed; in sets of at most TS_HULL_MOST_WELDED points.
#define TS_HULL_LARGEST_WELD 1e-8

enum { TS_HULL_MOST_POINTS = 1000000, TS_HULL_MOST_WELDED = 20000 };

// The hull of `count` points: finite numbers of moderate size (see ts_shape_check()), repeated and inner points
// welcome. The result lies in the arena; memory running out goes to the arena's recovery point.
ts_status ts_hull_build(const ts_vec3 *points, int count, ts_arena *arena, const ts_hull **hull, ts_error *error);

// The hull of a box about the origin: corner i lies at +half.x if bit 0 of i is set, and so on; faces -x +x -y +y -z
// +z.
const ts_hull *ts_hull_of_box(ts_vec3 half, ts_arena *arena);

#endif
