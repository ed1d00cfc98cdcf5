// The contact points of two convex parts: one for a corner or a curved surface, two for an edge or a line, three and
// more for faces. All points of one pair share a normal.
#ifndef TS_SHAPE_MANIFOLD_H
#define TS_SHAPE_MANIFOLD_H

#include "shape/convex.h"

#include <stdint.h>

typedef struct ts_touch {
  ts_vec3 point_1, point_2; // on the surfaces (world); point_1 = point_2 + gap normal
  ts_vec3 normal;           // unit, from b to a (world)
  double gap;               // signed [m]
  uint32_t feature;         // tells the points of a pair apart; the same from step to step while the features touch
} ts_touch;

// Write up to `capacity` touches with gaps of at most `margin`, and return how many there are, which may be more: the
// caller then makes room and asks again. Order and points depend on the arguments alone. At most one part is a plane;
// both lie in the plane z = 0 or neither does. No allocation.
int ts_convex_touches(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                      double margin, ts_touch *touches, int capacity);

#endif
