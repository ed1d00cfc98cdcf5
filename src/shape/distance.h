// Signed distance of two convex parts: closed forms where there are, lists of directions for polyhedra, else a climb
// (ascent.h) that GJK and EPA start and Newton's method on the features that meet ends. Exact to rounding but in
// degenerate deep overlap.
#ifndef TS_SHAPE_DISTANCE_H
#define TS_SHAPE_DISTANCE_H

#include "shape/convex.h"
#include "shape/own_shape.h"

// At most one of them is a plane; both lie in the plane z = 0 or neither does. No allocation, bounded work, finite
// results. A shape of an extension is asked, and may answer what makes no sense: then there is a fault, and no gap.
ts_query_fault ts_convex_distance(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                        ts_separation *separation);

#endif
