// Solver `newton`: semi-smooth Newton on Alart-Curnier's map, steps judged after Gauss-Seidel smoothing.
#include "complementarity/friction/friction_solver.h"

#include <math.h>

// Some sweeps first: Newton from r = 0 would see every contact slipping or open.
enum { FIRST_SWEEPS = 20 };

static ts_outcome run_newton(ts_cone_state *state)
{
  const ts_outcome outcome = ts_cone_gauss_seidel(state, FIRST_SWEEPS, 1.0, INFINITY);
  if (outcome == TS_SOLVED || ts_run_is_over(state->run)) return outcome; // before the Newton system is analyzed
  return ts_cone_smoothed_newton(state, state->r, state->run->limit, 4);
}

static ts_outcome solve_newton(const ts_problem *problem, ts_run *run, double *z)
{
  return ts_friction_solve(problem, true, run, z, run_newton);
}

const ts_solver ts_solver_newton = {"newton",
                                    "semi-smooth Newton (Alart-Curnier), steps judged after Gauss-Seidel smoothing",
                                    TS_FRICTION | TS_GLOBAL_FRICTION, 100, solve_newton};
