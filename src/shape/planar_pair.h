// Signed distance of convex parts of the plane z = 0: points, discs and convex polygons.
#ifndef TS_SHAPE_PLANAR_PAIR_H
#define TS_SHAPE_PLANAR_PAIR_H

#include "shape/core.h"

// Cores of points, discs and polygons, at least one a polygon.
void ts_planar_distance(const ts_core *a, const ts_core *b, ts_separation *separation);

#endif
