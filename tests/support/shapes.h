// Random shapes of every kind, and what tests of shapes share.
#ifndef TEST_SUPPORT_SHAPES_H
#define TEST_SUPPORT_SHAPES_H

#include "touchstone/shape.h"

#include "shape/convex.h"

#include "base/random.h"

enum { TEST_SHAPE_VERTICES = 256 };

typedef struct test_shape {
  ts_shape shape; // its vertices point to the ones below
  ts_vec3 vertices[TEST_SHAPE_VERTICES];
  ts_shape_member members[4];
} test_shape;

// A shape of the kind with sizes of about `size`: polytopes of 4 to 200 points, polygons that are star-shaped (convex
// or not), cones of which half have a tip, intersections of one or two
// round solids or boxes with up to two half-spaces. Passes ts_shape_check().
void random_shape(ts_random *random, ts_shape_kind kind, double size, test_shape *made);

double random_exponent(ts_random *random); // of a superellipsoid: 2, near it, or up to 100

ts_vec3 random_vector(ts_random *random);    // each component normal
ts_vec3 random_direction(ts_random *random); // of unit length
ts_quat random_rotation(ts_random *random);
ts_pose random_pose(ts_random *random, double size);

bool kind_is_planar(ts_shape_kind kind); // lies in the plane z = 0

// Largest distance of a point from the planes of a hull's faces; negative inside.
double outside_hull(const ts_hull *hull, ts_vec3 point);

#endif
