// The gyroscopic torque of a body whose inertia is not the same about all axes.
#ifndef TS_DYNAMICS_GYROSCOPIC_H
#define TS_DYNAMICS_GYROSCOPIC_H

#include "math/vec3.h"

// All in body axes. Change of angular velocity in time h at the present rate: -h I^-1 (w x I w). It gains energy:
// exactly h^2/2 T.I^-1 T a step, T = w x I w.
ts_vec3 ts_gyroscopic_explicit(const ts_mat3 *inertia, const ts_mat3 *inverse_inertia, double h, ts_vec3 w);

// The angular velocity w' with I (w' - w) + h w' x I w' = 0: it loses energy, |w' - w|^2/2 in the norm of I.
ts_vec3 ts_gyroscopic_implicit(const ts_mat3 *inertia, double h, ts_vec3 w);

// The angular velocity w' with I (w' - w) + h m x I m = 0, m = (w + w')/2. Multiplied by m and by I m it shows that
// energy and the length of the angular momentum stay as they are, at any h.
ts_vec3 ts_gyroscopic_midpoint(const ts_mat3 *inertia, double h, ts_vec3 w);

// The velocity x in the axes of the start that is y in the axes of the end, when orientations turn at the rate
// weight x + (1 - weight) w in between.
ts_vec3 ts_gyroscopic_carry(double h, double weight, ts_vec3 w, ts_vec3 y);

#endif
