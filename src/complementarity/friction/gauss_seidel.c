// Stage: nonlinear Gauss-Seidel with the exact one-contact solver.
#include "complementarity/friction/cone_state.h"
#include "complementarity/friction/sweep.h"

#include <math.h>
#include <string.h>

// Residuals of these sweeps are not monotone, so the best point is kept and a stall is judged over many sweeps: fewer
// of them when another method waits.
enum { SWEEPS_A_TEST = 5, SWEEPS_A_LONG_FORECAST = 50, SWEEPS_A_STALL = 50, SWEEPS_A_STALL_ALONE = 1000 };
static const double LONG_PATIENCE = 100.0;

// Sweeps until the next test: single ones at first, since a problem of few or separate contacts is solved at once.
static int next_batch(int done)
{
  return done < 2 ? 1 : done < 5 ? 5 - done : SWEEPS_A_TEST;
}

// How often the pace is looked at. Who has patience for many sweeps judges by many: residuals go up and down.
static int forecast_interval(double patience)
{
  return patience > LONG_PATIENCE ? SWEEPS_A_LONG_FORECAST : SWEEPS_A_TEST;
}

// Whether the pace of the last `interval` sweeps, which took the error from `before` to `now`, would take more than
// `patience` further ones. The fifth sweep is too early for a forecast, but not for seeing that nothing moves.
static bool is_too_slow(int done, int interval, double before, double now, double target, double patience)
{
  if (isinf(patience) || done < interval) return false;
  if (now >= (interval > SWEEPS_A_TEST ? 0.98 : 0.9) * before) return true;
  return done > interval && interval * log(target / now) / log(now / before) > patience;
}

ts_outcome ts_cone_gauss_seidel(ts_cone_state *state, int sweeps, double relaxation, double patience)
{
  ts_run *run = state->run;
  const ts_cone_problem *p = state->p;
  const ts_arena_mark mark = ts_arena_save(run->arena);
  double *r = ts_arena_doubles(run->arena, p->length), *u = ts_arena_doubles(run->arena, p->length);
  memcpy(r, state->r, p->length * sizeof *r);
  ts_outcome outcome = TS_ITERATION_LIMIT;
  double reference = state->error, before = INFINITY;
  const int interval = forecast_interval(patience);
  const int window = patience > LONG_PATIENCE ? SWEEPS_A_STALL_ALONE : SWEEPS_A_STALL;
  if (ts_run_iterations_left(run) < sweeps) sweeps = ts_run_iterations_left(run);
  for (int done = 0, stall = window; done < sweeps;) {
    const int batch = next_batch(done) < sweeps - done ? next_batch(done) : sweeps - done;
    // Over-relaxation would move a contact that is solved already away from its solution: the first sweeps are plain.
    ts_sweep(p, state->contacts, batch, TS_FORWARD, done < 2 ? 1.0 : relaxation, r);
    done += batch;
    const double error = ts_cone_offer(state, r, u);
    for (int k = 0; k < batch; ++k) ts_run_record(run, error, 0.0, 0.0, 0);
    if (ts_cone_done(state)) {
      outcome = TS_SOLVED;
      break;
    }
    if (done % interval == 0) {
      if (is_too_slow(done, interval, before, state->error, state->target, patience)) {
        outcome = TS_STALLED;
        break;
      }
      before = state->error;
    }
    if (done >= stall) {
      if (state->error > 0.5 * reference) {
        outcome = TS_STALLED;
        break;
      }
      reference = state->error;
      stall += window;
    }
    if (ts_run_out_of_time(run)) {
      outcome = TS_TIME_LIMIT;
      break;
    }
  }
  ts_arena_restore(run->arena, mark);
  return outcome;
}
