// Signed distance of two convex parts: closed forms where there are, else GJK for parts that are apart and EPA with the
// features of polytopes (or a smooth refinement) where they overlap. Exact to about 1e-9 of the parts' size.
#ifndef TS_SHAPE_DISTANCE_H
#define TS_SHAPE_DISTANCE_H

#include "shape/convex.h"

// At most one of them is a plane. No allocation.
void ts_convex_distance(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                        ts_separation *separation);

#endif
