// Parts that are hulls: boxes, polytopes, polygons.
#ifndef TS_SHAPE_HULL_PART_H
#define TS_SHAPE_HULL_PART_H

#include "shape/convex.h"

// Give a hull to a part: its middle, its reach, and where searches begin when it has many vertices.
void ts_take_hull(ts_convex *part, const ts_hull *built, ts_arena *arena);

// What a table of a kind wants (shape_type.h).
ts_vec3 ts_hull_support(const ts_convex *part, ts_vec3 direction);
ts_bounds ts_hull_bounds(const ts_convex *part, const ts_frame *frame);
double ts_hull_inner_radius(const ts_convex *part);
int ts_hull_implicit_count(const ts_convex *part);
double ts_hull_implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);

// How far a point lies outside; negative inside.
double ts_hull_outside(const ts_convex *part, ts_vec3 point);

#endif
