// Polygons in the plane z = 0: which are simple, and how to cut the others of them into few convex pieces.
#ifndef TS_SHAPE_OUTLINE_H
#define TS_SHAPE_OUTLINE_H

#include "shape/convex.h"

#include "base/status.h"

// Corners and edges closer than this share of the polygon's extent touch; corners that stand out less are straight.
#define TS_OUTLINE_TOLERANCE 1e-12

enum { TS_OUTLINE_MOST_CORNERS = 10000 };

// The convex pieces of a polygon given by its corners in order, either way round: finite numbers of moderate size (see
// ts_shape_check()). Refuses polygons that cross or touch themselves or have no area. Pieces list their corners
// counter-clockwise; faces that are cuts are marked `inner` (NULL when nothing was cut). The array of hulls lies in the
// arena; memory running out goes to the arena's recovery point.
ts_status ts_outline_pieces(const ts_vec3 *corners, int count, ts_arena *arena, const ts_hull **hulls, int *hull_count,
                            ts_error *error);

#endif
