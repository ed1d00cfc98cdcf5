// A convex part as the set {x : f_i(x) <= 0 for all i} of convex functions, twice differentiable: value, gradient and
// Hessian, in the part's own frame. Values are lengths near the surface: f_i is scaled such that |grad f_i| = 1 there
// for planes, spheres, boxes and polytopes. The implicit stepper (003 eqs. 13-17; thesis 3.5) builds on them.
#ifndef TS_SHAPE_IMPLICIT_H
#define TS_SHAPE_IMPLICIT_H

#include "shape/convex.h"

// Functions of the part: 1 for smooth ones, one a face for polytopes, 3 for a capsule's and a cylinder's pieces, ...
int ts_implicit_count(const ts_convex *part);

// f_i(x); `gradient` and `hessian` (may be NULL) receive its derivatives.
double ts_implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);

#endif
