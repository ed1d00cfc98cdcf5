// The gyroscopic torque of a body whose inertia is not the same about all axes.
#ifndef TS_DYNAMICS_GYROSCOPIC_H
#define TS_DYNAMICS_GYROSCOPIC_H

#include "math/vec3.h"

// All in body axes. Change of angular velocity in time h at the present rate: -h I^-1 (w x I w). It gains energy:
// exactly h^2/2 T.I^-1 T a step, T = w x I w.
ts_vec3 ts_gyroscopic_explicit(const ts_mat3 *inertia, const ts_mat3 *inverse_inertia, double h, ts_vec3 w);

// The angular velocity w' with I (w' - w) + h w' x I w' = 0: it never gains energy.
ts_vec3 ts_gyroscopic_implicit(const ts_mat3 *inertia, double h, ts_vec3 w);

#endif
