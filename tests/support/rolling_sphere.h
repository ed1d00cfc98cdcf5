// 000's sphere as a sequence of friction problems: a solid unit sphere that slides and then rolls (reference-numbers.md
// 1), with m = R = 1, I = 0.4, mu = 0.2, g = 9.81; v_x = 2 at the start.
#ifndef TS_SUPPORT_ROLLING_SPHERE_H
#define TS_SUPPORT_ROLLING_SPHERE_H

#include "touchstone/problem.h"

static const double step_size = 1e-3, gravity = 9.81, friction = 0.2;

typedef struct sphere {
  double x, y, vx, vy, wx, wy;
} sphere;

// The contact problem of a step, with the first tangent at the angle phi from x: q = (n, t1, t2) velocity without
// contact, of the material point at the bottom. `q` has room for 3 numbers and must outlive the problem.
ts_friction sphere_problem(const sphere *s, double phi, double *q);

// Take the impulses (n, t1, t2) of that contact.
void sphere_advance(sphere *s, double phi, const double *r);

#endif
