// Stage: follow the zero of the smoothed law (smoothing.h) from a large smoothing parameter to a small one. Like an
// interior path it keeps hyperstatic impulses centred, so that the contacts' modes are clear at its end, but it has no
// boundary that cuts steps. Where the path folds back the step factor tends to 1 and the stage gives up.
#include "complementarity/friction/smoothing.h"

#include <math.h>
#include <string.h>

// How near to the path a point has to be before eps falls further.
static const double CENTRING = 0.1;

// After a failure the step factor is held for CALM successes: tried at once again, the old pace fails again.
enum { POLISH_STEPS = 10, MOST_FAILURES = 25, CALM = 2 };

ts_outcome ts_cone_smoothing_path(ts_cone_state *state, double gamma, double factor)
{
  ts_run *run = state->run;
  ts_cone_system(state);
  const ts_arena_mark mark = ts_arena_save(run->arena);
  const size_t bytes = state->p->length * sizeof(double);
  ts_path_walk walk;
  double eps, last_polish = INFINITY, *saved = ts_arena_doubles(run->arena, state->p->length);
  ts_path_walk_init(&walk, state, gamma, &eps);
  double saved_eps = eps;
  memcpy(saved, walk.z, bytes);
  int failures = 0, calm = 0;
  while (!ts_cone_done(state) && failures < MOST_FAILURES && factor <= 0.97 && eps > 1e-14 && !ts_run_is_over(run)) {
    const int steps = ts_path_centre(&walk, eps, CENTRING);
    if (steps < 0) {
      ++failures;
      memcpy(walk.z, saved, bytes);
      calm = CALM;
      factor = sqrt(factor);
      eps = saved_eps * factor;
      continue;
    }
    memcpy(saved, walk.z, bytes);
    saved_eps = eps;
    ts_smoothing_point(&walk.smoothing, walk.z, walk.r, walk.u);
    const double error = ts_cone_offer(state, walk.r, walk.u);
    if (eps <= 0.2 * last_polish && error < 3e-2) {
      last_polish = eps;
      if (ts_cone_polish(state, walk.r, POLISH_STEPS) == TS_SOLVED) break;
    }
    if (calm > 0)
      --calm;
    else if (steps <= 1)
      factor = fmax(pow(factor, 1.5), 0.02);
    if (steps > 4) factor = fmin(sqrt(factor), 0.9);
    eps *= factor;
  }
  ts_arena_restore(run->arena, mark);
  if (ts_cone_done(state)) return TS_SOLVED;
  return ts_run_ending(run, TS_STALLED);
}
