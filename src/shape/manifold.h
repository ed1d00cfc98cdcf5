// The contact points of two convex parts: one for a corner or a curved surface, two for an edge or a line, three and
// more for faces. All points of one pair of convex parts share a normal: that of the signed distance (ts_convex_distance()). Where
// faces meet, the points are the corners of the overlap of the two faces seen along the normal; a cylinder that stands
// has eight around its rim, fixed to the body while it is level, else counted from the lowest. A point is reported only
// where both surfaces really face each other, so that nothing is stopped by the plane of a face beyond its edges.
//
// Which points there are does not depend on rounding: where normals are as good to 1e-10 of the size a's face comes
// before b's and faces before edges, and corners within 1e-6 of the size of the other face's side count as on it (where
// faces are side by side, such a corner is reported between the two sides). Lines and edges that run along each other
// or along a face's side have their ends among the points as long as the surfaces are within the margin there, however
// they are turned. So what points support does not jump when a pose changes a little; see test_manifold_continuity.c.
#ifndef TS_SHAPE_MANIFOLD_H
#define TS_SHAPE_MANIFOLD_H

#include "shape/convex.h"

#include <stdint.h>

typedef struct ts_touch {
  ts_vec3 point_1, point_2; // on the surfaces (world); point_1 = point_2 + gap normal
  ts_vec3 normal;           // unit, from b to a (world)
  double gap;               // signed [m]
  // Tells the points of a pair apart; the same from step to step while the features touch. Upper half: where on a,
  // lower half: where on b, each two bits for vertex (0), edge (1), face (2) or nearest point of a curved surface (3),
  // and fourteen for its index: the vertex, v * vertex_count + w (modulo 2^14) for the edge between v < w, the face.
  uint32_t feature;
} ts_touch;

// Write up to `capacity` touches with gaps of at most `margin`, and return how many there are, which may be more: the
// caller then makes room and asks again; or what is wrong with the answer of a shape of an extension, as a negative
// ts_query_fault (own_shape.h). Order and points depend on the arguments alone. At most one part is a plane;
// both lie in the plane z = 0 or neither does. No allocation.
int ts_convex_touches(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                      double margin, ts_touch *touches, int capacity);

#endif
