#include "complementarity/friction/friction_solver.h"

#include "complementarity/friction/friction_view.h"

#include <string.h>

// With all q_n >= 0 nothing is pressed together: r = 0 is a solution.
static bool separates_by_itself(const ts_cone_problem *p)
{
  for (int i = 0; i < p->contacts; ++i)
    if (p->q[(size_t)i * (size_t)p->stride] < 0.0) return false;
  return true;
}

ts_outcome ts_friction_solve_beyond(double share, const ts_problem *problem, bool needs_W, ts_run *run, double *z,
                                    ts_outcome (*stages)(ts_cone_state *state))
{
  ts_friction_view *view = ts_arena_bytes(run->arena, 1, sizeof *view);
  if (!ts_friction_view_init(view, problem, !needs_W, run->arena)) {
    memset(z, 0, ts_problem_size(problem) * sizeof *z);
    return TS_BROKE_DOWN;
  }
  double *start = NULL;
  if (run->options->warm_start) {
    start = ts_arena_doubles(run->arena, view->cone.length);
    ts_friction_view_import(view, z, start);
  }
  ts_cone_state state;
  ts_outcome outcome = TS_SOLVED;
  if (separates_by_itself(&view->cone)) {
    ts_cone_state_init(&state, &view->cone, run, NULL);
  } else {
    ts_cone_state_init(&state, &view->cone, run, start);
    outcome = state.error <= share * state.target ? TS_SOLVED : stages(&state);
  }
  run->report->claimed = state.error;
  ts_friction_view_export(view, state.r, z);
  return outcome;
}

ts_outcome ts_friction_solve(const ts_problem *problem, bool needs_W, ts_run *run, double *z,
                             ts_outcome (*stages)(ts_cone_state *state))
{
  return ts_friction_solve_beyond(1.0, problem, needs_W, run, z, stages);
}
