// Superellipsoids: the sets {x : sum of |x_i / a_i|^p_i <= 1} with semi-axes a and exponents p >= 2, in space or, where
// a.z is 0, in the plane. With all exponents 2 they are ellipsoids; growing exponents lead to boxes, growing p_z alone
// to elliptic cylinders.
//
// All is computed from the gauge g(x), the factor by which the set has to be blown up to have x on its surface: its
// powers are at most 1, so that nothing overflows whatever the exponents, and where they are all 2 it is the
// ellipsoid's |x_i / a_i|.
#ifndef TS_SHAPE_POWER_SUM_H
#define TS_SHAPE_POWER_SUM_H

#include "shape/core.h"

// What tables of kinds want (shape_type.h).
void ts_power_sum_measure(const ts_shape *shape, ts_convex *part);
ts_vec3 ts_power_sum_support(const ts_convex *part, ts_vec3 direction);
ts_bounds ts_power_sum_bounds(const ts_convex *part, const ts_frame *frame);
double ts_power_sum_inner_radius(const ts_convex *part);
ts_mass_properties ts_power_sum_mass(const ts_convex *part);
double ts_power_sum_gauge(const ts_convex *part, ts_vec3 point); // g, >= 0
double ts_power_sum_outside(const ts_convex *part, ts_vec3 point);
ts_vec3 ts_power_sum_bend(const ts_core *core, ts_vec3 m, ts_vec3 t);

// s (g^2 - 1) / 2 with s the geometric mean of reach and shortest semi-axis, so that gradients on the surface have a
// length between c and 1/c, c^2 the ratio of the two. Convex, and twice differentiable but for the centre, where the
// second derivative depends on the direction unless all exponents are 2; it is bounded there. Along the coordinate
// planes it is continuous, of exponents between 2 and 3 with an infinite slope.
double ts_power_sum_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);

#endif
