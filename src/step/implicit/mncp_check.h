// Whether a solution of the problem is one of the step: by distances, support points and the friction problem of its
// contacts, none of which the problem's own functions and derivatives enter.
#ifndef TS_STEP_IMPLICIT_MNCP_CHECK_H
#define TS_STEP_IMPLICIT_MNCP_CHECK_H

#include "step/implicit/mncp.h"
#include "step/implicit/mncp_problem.h"

// Contacts, impulses and velocities of a solved problem, at their places in the solution. `point` in its own units.
void ts_ecp_take(ts_ecp_problem *problem, const double *point, int dimension, ts_ecp_solution *solution);

// Whether the contacts of a problem hold at a point in its own units: parts do not overlap, and a plane with the normal
// of a contact that bears separates them.
bool ts_ecp_touches_hold(ts_ecp_problem *problem, const double *point);

// The residual of a solution. The step has its contacts and system afterwards, `solution->velocity` is what its
// impulses make of the free velocities.
double ts_ecp_residual(ts_step *step, ts_arrival *arrival, const double *joint_impulse, ts_ecp_solution *solution);

#endif
