// Solver `auto`: chooses by type and size, and falls down a declared chain.
#include "complementarity/auto_friction.h"
#include "complementarity/solver.h"

#include <string.h>

static ts_outcome solve_auto(const ts_problem *problem, ts_run *run, double *z)
{
  return ts_auto_friction(problem, run, z);
}

const ts_solver ts_solver_auto = {"auto", "chooses by type, size and measured success, and falls down a chain",
                                  TS_FRICTION | TS_GLOBAL_FRICTION, 1000000, solve_auto};
