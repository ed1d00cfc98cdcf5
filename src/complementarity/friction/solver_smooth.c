// Solver `smooth`: the smoothing path, with settings that between them solve nearly everything.
#include "complementarity/friction/friction_solver.h"

static ts_outcome run_smooth(ts_cone_state *state)
{
  static const struct {
    double gamma, factor;
  } settings[] = {{0.1, 0.3}, {0.03, 0.3}, {0.1, 0.1}, {0.01, 0.3}, {0.1, 0.5}};
  ts_outcome outcome = TS_STALLED;
  for (size_t k = 0; k < sizeof settings / sizeof settings[0]; ++k) {
    outcome = ts_cone_smoothing_path(state, settings[k].gamma, settings[k].factor);
    if (outcome != TS_STALLED) break;
  }
  return outcome;
}

static ts_outcome solve_smooth(const ts_problem *problem, ts_run *run, double *z)
{
  return ts_friction_solve(problem, false, run, z, run_smooth);
}

const ts_solver ts_solver_smooth = {"smooth", "smoothing path of the cone's projection, with Newton polish",
                                    TS_FRICTION | TS_GLOBAL_FRICTION, 1000, solve_smooth};
