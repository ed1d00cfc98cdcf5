// A convex part as the set {x : f_i(x) <= 0 for all i} of convex functions: value, gradient and Hessian, in the part's
// own frame. Values are lengths near the surface: |grad f_i| = 1 there, but for ellipsoids, where it lies between c and
// 1/c with c^2 = shortest/longest semi-axis. The implicit stepper (003 eqs. 13-17; thesis 3.5) builds on them.
//
// Most functions are linear or quadratic, so smooth everywhere; where a kind's are not, its table says so. The
// functions of planar parts do not depend on z.
#ifndef TS_SHAPE_IMPLICIT_H
#define TS_SHAPE_IMPLICIT_H

#include "shape/convex.h"

// Functions of the part: one a face for boxes, polytopes and polygons, in the order of the hull's faces; else what its
// table says, of most kinds 1.
int ts_implicit_count(const ts_convex *part);

// f_i(x); `gradient` and `hessian` (may be NULL) receive its derivatives.
double ts_implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);

// What they are made of, in the same form.
// f = n.x - offset
double ts_implicit_half_space(ts_vec3 n, double offset, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);

// f = s (x^T D x - 1) / 2, D = diag(d)
double ts_implicit_quadric(double s, ts_vec3 d, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);

// (|x|^2 - r^2) / (2 r): smooth everywhere, unlike |x| - r, and with the same gradient on the surface
double ts_implicit_ball(double r, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);

// The ball's function of the distance to the axis
double ts_implicit_round_side(double r, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);

#endif
