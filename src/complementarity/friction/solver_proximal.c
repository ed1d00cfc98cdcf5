// Solver `proximal`: sweeps, then implicit steps along the flow that the sweeps follow.
#include "complementarity/friction/friction_solver.h"

// Sweeps are cheap while they get on.
enum { FIRST_SWEEPS = 300 };

static ts_outcome run_proximal(ts_cone_state *state)
{
  const ts_outcome outcome = ts_cone_accelerated_sweeps(state, state->r, FIRST_SWEEPS, 0, 1.0);
  if (outcome == TS_SOLVED || ts_run_is_over(state->run)) return outcome; // before the Newton system is analyzed
  return ts_cone_proximal_steps(state, state->run->limit);
}

static ts_outcome solve_proximal(const ts_problem *problem, ts_run *run, double *z)
{
  return ts_friction_solve(problem, true, run, z, run_proximal);
}

const ts_solver ts_solver_proximal = {
    "proximal", "proximal steps: implicit steps of growing length along the flow that Gauss-Seidel sweeps follow",
    TS_FRICTION | TS_GLOBAL_FRICTION, 2000, solve_proximal};
