// The point of the difference A - B nearest to the origin, by the algorithm of Gilbert, Johnson and Keerthi (1988): the
// distance of parts that are apart, or a tetrahedron around the origin for parts that overlap.
#ifndef TS_SHAPE_GJK_H
#define TS_SHAPE_GJK_H

#include "shape/core.h"

// {a - b + shift + inflation u : a in A, b in B, |u| <= 1}
typedef struct ts_difference {
  const ts_core *a, *b;
  ts_vec3 shift;
  double inflation;
} ts_difference;

// A point of the difference and where it comes from: w = a - b + shift + inflation (...).
typedef struct ts_difference_point {
  ts_vec3 w, a, b;
} ts_difference_point;

ts_difference_point ts_difference_support(const ts_difference *difference, ts_vec3 direction);

typedef struct ts_gjk {
  ts_difference_point vertices[4];
  double weights[4]; // of the vertices in the nearest point; they add up to 1
  int count;
  ts_vec3 nearest;
  double distance, least; // of `nearest` from the origin, and a lower bound of the true distance
  bool overlap; // the origin lies in the simplex (to rounding), which has four vertices but in degenerate cases
} ts_gjk;

// Stop when distance and lower bound are no further apart than `accuracy` (a length), or when rounding allows no
// better. `guess` is a first estimate of the nearest point's direction.
void ts_gjk_run(const ts_difference *difference, ts_vec3 guess, double accuracy, ts_gjk *gjk);

// The points of A and B that make up the nearest point.
void ts_gjk_witnesses(const ts_gjk *gjk, ts_vec3 *a, ts_vec3 *b);

#endif
