// The directions that two polyhedra, or polygons, can be apart along. A - B is a polyhedron whose faces are those of A,
// those of B, and, in space, one for every two edges that cross: the parts are apart when they are so along the normal
// of one of these, and how far apart along each is a function that is linear in small motions. So
//   phi = max over the directions of psi,   phi >= 0
// is the condition that nothing overlaps: a disjunction (thesis 3.2, eq. 3.4 and 3.5).
#ifndef TS_SHAPE_DIRECTIONS_H
#define TS_SHAPE_DIRECTIONS_H

#include "shape/manifold.h"

typedef struct ts_direction {
  ts_vec3 normal; // unit, from b to a (world)
  double gap;     // how far apart the parts are along it [m]
  int face;       // of a or b, or -1: of two edges
  bool of_a;      // whose face it is
  bool cut;       // the face is a cut through a polygon that is not convex, not surface
  int edges[2];   // of a and b, where it is of edges
} ts_direction;

// Parts with faces on both sides, or a point and one with faces.
bool ts_have_directions(const ts_convex *a, const ts_convex *b);

// The size of the smaller of those that have faces, which tolerances are shares of [m].
double ts_faceted_size(const ts_convex *a, const ts_convex *b);

// The directions along which the parts are between `margin` apart and as much overlapped; none where along one they are
// farther apart. Of directions that are parallel the first counts: of b's faces, a's faces, edges. Writes up to
// `capacity`, and returns how many there are, which may be more.
int ts_find_directions(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                       double margin, ts_direction *directions, int capacity);

// Touches along one of them, as ts_convex_touches() has them. The first `pushing` (written) may push: where surfaces
// face each other along the direction the corners of their overlap, and vertices that can come to touch within the
// margin, though they be beside the face now. Those behind them, vertices that are only near the face's plane, are
// witnesses: the parts are apart along the direction for sure where none of all has gone through it. Returns how many
// there are, which may be more than the capacity; at least one pushes.
int ts_touches_along(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                     const ts_direction *direction, double margin, ts_touch *touches, int capacity, int *pushing);

#endif
