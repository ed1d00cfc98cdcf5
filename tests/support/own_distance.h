// Gaps between shapes by formulas of the tests' own: separating axes of boxes, and signed distances, which are convex,
// searched along the segments that spheres and capsules are grown from. Nothing of the library's is used.
#ifndef TS_TESTS_OWN_DISTANCE_H
#define TS_TESTS_OWN_DISTANCE_H

#include "touchstone/shape.h"

// Gap of two shapes in space, negative where they overlap [m]. Planes, spheres, boxes and capsules; not of two planes.
// Of boxes that are apart it is a lower bound: the widest gap along a separating axis.
double own_gap(const ts_shape *first, const ts_pose *at, const ts_shape *second, const ts_pose *there);

// How far the first lies beyond the second along a unit direction, negative where they overlap in it [m]
double own_gap_along(const ts_shape *first, const ts_pose *at, const ts_shape *second, const ts_pose *there,
                     ts_vec3 direction);

#endif
