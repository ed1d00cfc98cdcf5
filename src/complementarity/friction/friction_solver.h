// The frame of every solver that works on the scaled cone problem.
#ifndef TS_COMPLEMENTARITY_FRICTION_FRICTION_SOLVER_H
#define TS_COMPLEMENTARITY_FRICTION_FRICTION_SOLVER_H

#include "complementarity/friction/cone_state.h"
#include "complementarity/solver.h"

// Make the problem ready, run the stages from z or from zero, and put the best point into z. `needs_W`: the stages
// sweep over contacts, so that a large global problem is condensed all the same.
ts_outcome ts_friction_solve(const ts_problem *problem, bool needs_W, ts_run *run, double *z,
                             ts_outcome (*stages)(ts_cone_state *state));

// The same, where the stages are run unless the error of z is within this share of what counts as solved.
ts_outcome ts_friction_solve_beyond(double share, const ts_problem *problem, bool needs_W, ts_run *run, double *z,
                                    ts_outcome (*stages)(ts_cone_state *state));

#endif
