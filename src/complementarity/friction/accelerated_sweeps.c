// Stage: sweeps with Anderson's acceleration (anderson.h) on the blocks of W.
#include "complementarity/friction/anderson.h"
#include "complementarity/friction/cone_state.h"
#include "complementarity/friction/sweep.h"

#include <math.h>
#include <string.h>

typedef struct matrix_walk {
  ts_cone_state *state;
  double relaxation;
  const double *x; // measured last,
  double *u;       // its velocity
  double error;    // and its error
} matrix_walk;

static void sweep(void *self, double *x)
{
  const matrix_walk *m = self;
  ts_sweep(m->state->p, m->state->contacts, 1, TS_FORWARD, m->relaxation, x);
}

static void project(void *self, double *x)
{
  const ts_cone_problem *p = ((const matrix_walk *)self)->state->p;
  for (int i = 0; i < p->contacts; ++i) ts_cone_project(p->d, p->mu[i], x + (size_t)i * (size_t)p->stride);
}

static ts_momentum_figures measure(void *self, const double *x)
{
  matrix_walk *m = self;
  const ts_cone_state *state = m->state;
  m->x = x;
  ts_cone_velocity(state->p, x, m->u);
  m->error = ts_cone_error(state, x, m->u);
  return (ts_momentum_figures){m->error, state->enough > 0.0 ? ts_cone_velocity_error(state->p, x, m->u) : INFINITY};
}

static void keep(void *self)
{
  const matrix_walk *m = self;
  ts_cone_state *state = m->state;
  const size_t bytes = state->p->length * sizeof *m->u;
  memcpy(state->r, m->x, bytes);
  memcpy(state->u, m->u, bytes);
  state->error = m->error;
}

ts_outcome ts_cone_accelerated_sweeps(ts_cone_state *state, const double *start, int sweeps, int stall,
                                      double relaxation)
{
  static const ts_anderson_ops ops = {sweep, project, measure, keep};
  ts_run *run = state->run;
  const ts_arena_mark mark = ts_arena_save(run->arena);
  matrix_walk m = {.state = state, .relaxation = relaxation, .u = ts_arena_doubles(run->arena, state->p->length)};
  const ts_anderson_start from = {state->p->length, start, state->error};
  const ts_momentum_goal goal = {.target = state->target,
                                 .will_do = TS_WILL_DO * run->options->tolerance,
                                 .velocity_error = state->enough,
                                 .most = sweeps,
                                 .stall = stall};
  const ts_outcome outcome = ts_anderson_run(&ops, &m, &from, &goal, run);
  ts_arena_restore(run->arena, mark);
  return outcome;
}
