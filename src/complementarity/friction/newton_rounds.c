// Stage: Newton steps on Alart-Curnier's map and Gauss-Seidel sweeps in turn. As long as a step shortens the error much
// the next one follows; else sweeps bring the contacts that it led astray back, from wherever it went. Nothing is tried
// twice and no merit function is asked to fall, which makes a round cheap: a factorization and a few sweeps.
//
// Where W has no full rank a Newton step moves impulses that nothing determines, as far as its regularization lets it,
// and contacts change what they do for no reason. Hence the shift follows the error: far from the solution impulses
// stay near where they were, and at the solution it is that of all Newton matrices.
#include "complementarity/friction/cone_state.h"
#include "complementarity/friction/sweep.h"

#include <math.h>
#include <string.h>

enum { SWEEPS_A_ROUND = 5, MOST_STEPS_A_ROUND = 20 };

static const double LARGEST_SHIFT = 1e-2; // in units of the scaled problem, as the error is
static const double MUCH = 0.3;           // what a step leaves of the error where the next one may follow at once

typedef struct rounds {
  ts_cone_state *state;
  double *r, *u, *step;
  double error; // of r
} rounds;

// False where the factorization failed, or the step did not shorten the error much.
static bool advance(rounds *n)
{
  ts_cone_state *state = n->state;
  const double before = n->error, shift = fmax(TS_NEWTON_SHIFT, fmin(LARGEST_SHIFT, before));
  if (isinf(ts_cone_newton_step(state, ts_alart_curnier, shift, n->r, n->u, n->step))) return false;
  for (size_t k = 0; k < state->p->length; ++k) n->r[k] += n->step[k];
  n->error = ts_cone_offer(state, n->r, n->u);
  ts_run_record(state->run, n->error, 1.0, shift, 0);
  return n->error <= MUCH * before;
}

static void smooth(rounds *n)
{
  ts_cone_state *state = n->state;
  ts_sweep(state->p, state->contacts, SWEEPS_A_ROUND, TS_FORWARD, 1.0, n->r);
  n->error = ts_cone_offer(state, n->r, n->u);
}

ts_outcome ts_cone_newton_rounds(ts_cone_state *state, int most)
{
  ts_run *run = state->run;
  const size_t length = state->p->length;
  ts_cone_system(state);
  const ts_arena_mark mark = ts_arena_save(run->arena);
  rounds n = {.state = state,
              .r = ts_arena_doubles(run->arena, length),
              .u = ts_arena_doubles(run->arena, length),
              .step = ts_arena_doubles(run->arena, length)};
  memcpy(n.r, state->r, length * sizeof *n.r);
  ts_cone_velocity(state->p, n.r, n.u);
  n.error = ts_cone_error(state, n.r, n.u);
  for (int round = 0; round < most && isfinite(n.error); ++round) {
    for (int k = 0; k < MOST_STEPS_A_ROUND && !ts_cone_done(state) && !ts_run_is_over(run); ++k)
      if (!advance(&n)) break;
    if (ts_cone_done(state) || ts_run_is_over(run)) break;
    smooth(&n);
  }
  ts_arena_restore(run->arena, mark);
  return ts_cone_done(state) ? TS_SOLVED : ts_run_ending(run, TS_STALLED);
}
