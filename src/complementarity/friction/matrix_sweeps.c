// Stage: sweeps with momentum (momentum.h) on the blocks of W. For problems that do not say which bodies they come
// from, as those with joints eliminated; else body_sweeps.c is cheaper.
#include "complementarity/friction/cone_state.h"
#include "complementarity/friction/momentum.h"
#include "complementarity/friction/sweep.h"

#include <string.h>

typedef struct matrix_sweeps {
  ts_cone_state *state;
  double *x, *before; // the point, and the one before it
  double *y;          // where the sweep starts
  double *u;          // velocity of x when it was measured
  double error;       // then
} matrix_sweeps;

static double sweep(void *self, double weight)
{
  matrix_sweeps *m = self;
  const ts_cone_problem *p = m->state->p;
  double *fresh = m->before, uphill = 0.0; // the one before is gone with y
  for (size_t k = 0; k < p->length; ++k) fresh[k] = m->y[k] = m->x[k] + weight * (m->x[k] - m->before[k]);
  ts_sweep(p, m->state->contacts, 1, TS_FORWARD, 1.0, fresh);
  for (size_t k = 0; k < p->length; ++k) uphill += (m->y[k] - fresh[k]) * (fresh[k] - m->x[k]);
  m->before = m->x;
  m->x = fresh;
  return uphill;
}

static ts_momentum_figures measure(void *self)
{
  matrix_sweeps *m = self;
  ts_cone_velocity(m->state->p, m->x, m->u);
  m->error = ts_cone_error(m->state, m->x, m->u);
  return (ts_momentum_figures){m->error, ts_cone_velocity_error(m->state->p, m->x, m->u)};
}

// A point that is accurate counts though another one had the smaller error.
static void keep(void *self)
{
  matrix_sweeps *m = self;
  const size_t bytes = m->state->p->length * sizeof *m->x;
  memcpy(m->state->r, m->x, bytes);
  memcpy(m->state->u, m->u, bytes);
  m->state->error = m->error;
}

ts_outcome ts_cone_momentum_sweeps(ts_cone_state *state, int sweeps)
{
  static const ts_momentum_ops ops = {sweep, measure, keep};
  ts_arena *arena = state->run->arena;
  const size_t length = state->p->length;
  const ts_arena_mark mark = ts_arena_save(arena);
  matrix_sweeps m = {.state = state,
                     .x = ts_arena_doubles(arena, length),
                     .before = ts_arena_doubles(arena, length),
                     .y = ts_arena_doubles(arena, length),
                     .u = ts_arena_doubles(arena, length)};
  memcpy(m.x, state->r, length * sizeof *m.x);
  memcpy(m.before, state->r, length * sizeof *m.x);
  const ts_momentum_goal goal = {.target = state->target,
                                 .will_do = TS_WILL_DO * state->run->options->tolerance,
                                 .velocity_error = state->enough,
                                 .most = sweeps};
  const ts_outcome outcome = ts_momentum_run(&ops, &m, &goal, state->run);
  ts_arena_restore(arena, mark);
  return outcome;
}
