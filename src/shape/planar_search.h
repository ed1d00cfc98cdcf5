// Signed distance of two cores in the plane z = 0 of which one is a solid: superellipses, intersections.
#ifndef TS_SHAPE_PLANAR_SEARCH_H
#define TS_SHAPE_PLANAR_SEARCH_H

#include "shape/core.h"

void ts_planar_search_distance(const ts_core *a, const ts_core *b, ts_separation *separation);

#endif
