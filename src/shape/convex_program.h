// Convex programs over a part that is given by its implicit functions f_i: its point furthest along a direction, and
// the point deepest inside.
#ifndef TS_SHAPE_CONVEX_PROGRAM_H
#define TS_SHAPE_CONVEX_PROGRAM_H

#include "shape/convex.h"

enum { TS_PROGRAM_MOST_FUNCTIONS = 128 };

// A point of the surface, and functions that hold it there: with n the direction, n = sum of weight * gradient
typedef struct ts_held_point {
  ts_vec3 x;
  int count;
  int function[3];
  double weight[3]; // >= 0
} ts_held_point;

// The point furthest along a unit direction; where that is a face or a line, one from its inside. `start` is
// the middle of a ball of part->radius inside, and `size` is a length of the part. No allocation.
ts_held_point ts_program_furthest(const ts_convex *part, ts_vec3 direction, ts_vec3 start, double size);

// The point at which the greatest f_i is least, which is returned: negative where the part has an inside. The part has
// to be bounded.
double ts_program_deepest(const ts_convex *part, ts_vec3 start, double size, ts_vec3 *deepest);

// How the point furthest along the direction of `held` moves when that turns by t: h''(n) t of its support function.
ts_vec3 ts_program_bend(const ts_convex *part, const ts_held_point *held, ts_vec3 t, double size);

#endif
