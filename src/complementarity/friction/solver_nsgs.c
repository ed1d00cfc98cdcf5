// Solver `nsgs`: nonlinear Gauss-Seidel over contacts.
#include "complementarity/friction/friction_solver.h"

#include <math.h>

static ts_outcome run_nsgs(ts_cone_state *state)
{
  const double relaxation = state->run->options->relaxation;
  return ts_cone_gauss_seidel(state, state->run->limit, relaxation > 0.0 ? relaxation : 1.0, INFINITY);
}

static ts_outcome solve_nsgs(const ts_problem *problem, ts_run *run, double *z)
{
  return ts_friction_solve(problem, true, run, z, run_nsgs);
}

const ts_solver ts_solver_nsgs = {"nsgs", "nonlinear Gauss-Seidel over contacts, each solved exactly",
                                  TS_FRICTION | TS_GLOBAL_FRICTION, 10000, solve_nsgs};
