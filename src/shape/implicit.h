// A convex part as the set {x : f_i(x) <= 0 for all i} of convex functions: value, gradient and Hessian, in the part's
// own frame. Values are lengths near the surface: |grad f_i| = 1 there, but for ellipsoids, where it lies between c and
// 1/c with c^2 = shortest/longest semi-axis. The implicit stepper (003 eqs. 13-17; thesis 3.5) builds on them.
//
// All functions are linear or quadratic, so smooth everywhere, except the capsule's: it has a continuous gradient, and
// a Hessian that jumps where the caps begin (in the planes |z| = half length). The functions of planar parts do not
// depend on z.
#ifndef TS_SHAPE_IMPLICIT_H
#define TS_SHAPE_IMPLICIT_H

#include "shape/convex.h"

// Functions of the part: one a face for boxes, polytopes and polygons, in the order of the hull's faces; 3 for a
// cylinder (side, bottom, top); 6 for a point, which is a box without size; else 1.
int ts_implicit_count(const ts_convex *part);

// f_i(x); `gradient` and `hessian` (may be NULL) receive its derivatives.
double ts_implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);

#endif
