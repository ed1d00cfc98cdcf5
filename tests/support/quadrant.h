// The signed distance of a smooth outline to a quadrant of the plane in closed form: the greatest, over the normals n
// between those of its two sides, of the separation along n by support functions.
#ifndef TEST_SUPPORT_QUADRANT_H
#define TEST_SUPPORT_QUADRANT_H

#include "touchstone/shape.h"

typedef struct quadrant {
  ts_vec3 corner;
  ts_vec3 sides[2]; // outward unit normals, across each other
} quadrant;

// Of a disc, or a superellipse whose exponents are equal. The normal points from the quadrant to the shape, point_1
// lies on the shape and point_2 on the quadrant.
ts_separation quadrant_separation(const quadrant *from, const ts_shape *shape, const ts_pose *pose);

#endif
