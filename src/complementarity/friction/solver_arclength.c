// Solver `arclength`: the smoothed law followed by arc length, past folds.
#include "complementarity/friction/friction_solver.h"

static ts_outcome run_arclength(ts_cone_state *state)
{
  static const struct {
    double centring, gamma;
  } settings[] = {{0.1, 0.1}, {0.1, 0.03}, {0.5, 0.1}, {0.03, 0.1}, {0.1, 0.3}};
  ts_outcome outcome = TS_STALLED;
  for (size_t k = 0; k < sizeof settings / sizeof settings[0]; ++k) {
    outcome = ts_cone_arc_length(state, settings[k].centring, settings[k].gamma, state->run->limit);
    if (outcome == TS_SOLVED || ts_run_is_over(state->run)) break;
  }
  return outcome;
}

static ts_outcome solve_arclength(const ts_problem *problem, ts_run *run, double *z)
{
  return ts_friction_solve(problem, false, run, z, run_arclength);
}

const ts_solver ts_solver_arclength = {"arclength", "smoothed law followed by arc length, past folds",
                                       TS_FRICTION | TS_GLOBAL_FRICTION, 300, solve_arclength};
