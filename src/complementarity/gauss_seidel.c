// Stage: nonlinear Gauss-Seidel with the exact one-contact solver.
#include "complementarity/cone_state.h"
#include "complementarity/sweep.h"

#include <math.h>
#include <string.h>

// Residuals of these sweeps are not monotone, so the best point is kept and a stall is judged over many sweeps.
enum { SWEEPS_A_TEST = 5, TESTS_A_STALL = 10 };

ts_outcome ts_cone_gauss_seidel(ts_cone_state *state, int sweeps, double relaxation)
{
  ts_run *run = state->run;
  const ts_cone_problem *p = state->p;
  const ts_arena_mark mark = ts_arena_save(run->arena);
  double *r = ts_arena_doubles(run->arena, p->length), *u = ts_arena_doubles(run->arena, p->length);
  memcpy(r, state->r, p->length * sizeof *r);
  ts_outcome outcome = TS_ITERATION_LIMIT;
  double reference = state->error;
  // A chain of one contact is solved by its first visit: test early, then at intervals.
  int batch = p->contacts < 4 ? 1 : SWEEPS_A_TEST, done = 0, tests = 0;
  while (done < sweeps) {
    if (batch > sweeps - done) batch = sweeps - done;
    ts_sweep(p, state->contacts, batch, TS_FORWARD, relaxation, r);
    done += batch;
    const double error = ts_cone_offer(state, r, u);
    for (int k = 0; k < batch; ++k) ts_run_record(run, error, 0.0, 0.0, 0);
    if (ts_cone_done(state)) {
      outcome = TS_SOLVED;
      break;
    }
    if (++tests % TESTS_A_STALL == 0) {
      if (state->error > 0.5 * reference) {
        outcome = TS_STALLED;
        break;
      }
      reference = state->error;
      batch = SWEEPS_A_TEST;
    }
    if (ts_run_out_of_time(run)) {
      outcome = TS_TIME_LIMIT;
      break;
    }
  }
  ts_arena_restore(run->arena, mark);
  return outcome;
}
