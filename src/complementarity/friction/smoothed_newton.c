// Stage: Newton steps on Alart-Curnier's map, each judged after Gauss-Seidel smoothing. Next to a kink of the map a
// Newton step is no descent direction of any merit function, and a line search on it stops there; a few sweeps from the
// trial point tell whether the step brought the contacts into better modes.
#include "complementarity/friction/cone_state.h"
#include "complementarity/friction/sweep.h"

#include <math.h>
#include <string.h>

enum { SMOOTHING_SWEEPS = 20 };

typedef struct smoothed_newton {
  ts_cone_state *state;
  double *r, *u, *step, *trial, *trial_u;
  double residual; // of r
  int sweeps;      // after a rejection
} smoothed_newton;

static double measure(smoothed_newton *n, const double *r, double *u)
{
  ts_cone_offer(n->state, r, u);
  return ts_cone_residual(n->state->p, r, u);
}

static void accept(smoothed_newton *n, double residual)
{
  const size_t bytes = n->state->p->length * sizeof *n->r;
  memcpy(n->r, n->trial, bytes);
  memcpy(n->u, n->trial_u, bytes);
  n->residual = residual;
}

static void move(smoothed_newton *n, double length)
{
  for (size_t k = 0; k < n->state->p->length; ++k) n->trial[k] = n->r[k] + length * n->step[k];
}

// One step; returns the length taken, 0 when every trial was rejected.
static double advance(smoothed_newton *n)
{
  static const double lengths[] = {1.0, 0.5, 0.2, 0.05};
  ts_cone_state *state = n->state;
  if (!isinf(ts_cone_newton_step(state, ts_alart_curnier, TS_NEWTON_SHIFT, n->r, n->u, n->step))) {
    move(n, 1.0);
    const double residual = measure(n, n->trial, n->trial_u);
    if (residual < 0.1 * n->residual) { // the quadratic phase needs no smoothing
      accept(n, residual);
      return 1.0;
    }
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0] && !ts_run_out_of_time(state->run); ++k) {
      move(n, lengths[k]);
      ts_sweep(state->p, state->contacts, SMOOTHING_SWEEPS, TS_ALTERNATING, 1.0, n->trial);
      const double smoothed = measure(n, n->trial, n->trial_u);
      if (smoothed < 0.95 * n->residual) {
        accept(n, smoothed);
        return lengths[k];
      }
    }
  }
  if (ts_run_out_of_time(state->run)) return 0.0; // the sweeps of one step may take long
  move(n, 0.0);
  ts_sweep(state->p, state->contacts, n->sweeps, TS_ALTERNATING, 1.0, n->trial);
  accept(n, measure(n, n->trial, n->trial_u));
  n->sweeps = n->sweeps < 200 ? n->sweeps * 3 / 2 : n->sweeps;
  return 0.0;
}

ts_outcome ts_cone_smoothed_newton(ts_cone_state *state, const double *start, int factorizations, int most_rejections)
{
  ts_run *run = state->run;
  const size_t length = state->p->length;
  ts_cone_system(state);
  const ts_arena_mark mark = ts_arena_save(run->arena);
  smoothed_newton n = {.state = state,
                       .r = ts_arena_doubles(run->arena, length),
                       .u = ts_arena_doubles(run->arena, length),
                       .step = ts_arena_doubles(run->arena, length),
                       .trial = ts_arena_doubles(run->arena, length),
                       .trial_u = ts_arena_doubles(run->arena, length),
                       .sweeps = 50};
  memcpy(n.r, start, length * sizeof *n.r);
  ts_cone_velocity(state->p, n.r, n.u);
  n.residual = ts_cone_residual(state->p, n.r, n.u);
  ts_outcome outcome = TS_ITERATION_LIMIT;
  int rejections = 0;
  for (int k = 0; k < factorizations; ++k) {
    if (ts_cone_done(state) || rejections >= most_rejections || ts_run_is_over(run)) break;
    const double taken = advance(&n);
    rejections += taken == 0.0;
    ts_run_record(run, n.residual, taken, 0.0, 0);
  }
  if (ts_cone_done(state))
    outcome = TS_SOLVED;
  else if (rejections >= most_rejections)
    outcome = TS_STALLED;
  else if (ts_run_out_of_time(run))
    outcome = TS_TIME_LIMIT;
  ts_arena_restore(run->arena, mark);
  return outcome;
}
