// The flat faces of intersections, which contact points lie on.
#ifndef TS_SHAPE_INTERSECTION_FLATS_H
#define TS_SHAPE_INTERSECTION_FLATS_H

#include "shape/intersection_part.h"

// Fill in `flats` and `flat_functions` of the part's intersection.
void ts_intersection_find_flats(const ts_convex *part, ts_intersection *meet, ts_arena *arena);

#endif
