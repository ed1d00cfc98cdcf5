// Stage: proximal steps. From x_k the next point solves the friction problem whose contacts give way to any change,
//   u = (W + alpha I) r + q - alpha x_k,
// which is better conditioned than the original, has one solution where alpha is large, and has the solution of the
// original where x_k stops moving (Rockafellar, SIAM J. Control Optim. 14, 1976). Each is an implicit Euler step of
// length 1/alpha along the flow that Gauss-Seidel sweeps follow in steps of about 1: where sweeps drift for thousands
// of steps past points that are nearly solutions (a pile that is about to give way), a few of these do the same.
// Residuals may rise on the way, as they have to between two solutions, and no merit function is asked to fall; only
// the Newton steps within one proximal step have to converge, and alpha is chosen so that they do. That is
// pseudo-transient continuation (Kelley and Keyes, SIAM J. Numer. Anal. 35, 1998).
#include "complementarity/friction/cone_state.h"

#include <math.h>
#include <string.h>

enum { MOST_NEWTON_STEPS = 8, FEW_NEWTON_STEPS = 4, MANY_FACTORIZATIONS = 10 };

static const double FIRST_ALPHA = 1e-3, SMALLEST_ALPHA = 1e-9, LARGEST_ALPHA = 1.0;
static const double LONGER = 0.5, SHORTER = 1.5, RETRY = 4.0; // factors of alpha
static const double REDUCTION = 0.5;                          // what the Newton steps have to make of the residual
static const double DIVERGED = 1e3;                           // growth of the residual that ends them

typedef struct proximal {
  ts_cone_state *state;
  double alpha;
  double *x, *x_u;     // where the step starts, and its velocity
  double *r, *u;       // where it has got to
  double *giving;      // u + alpha (r - x)
  double *newton_step; // of r
} proximal;

// Residual of the proximal step's own problem; fills `giving`.
static double residual_of_step(proximal *s)
{
  const ts_cone_problem *p = s->state->p;
  for (size_t k = 0; k < p->length; ++k) s->giving[k] = s->u[k] + s->alpha * (s->r[k] - s->x[k]);
  return ts_cone_residual(p, s->r, s->giving);
}

// Newton steps until the residual has fallen enough. Returns how many it took, or -1 where they do not converge. What
// they pass may solve the original problem, and is offered.
static int solve_step(proximal *s)
{
  ts_cone_state *state = s->state;
  const size_t length = state->p->length, bytes = length * sizeof *s->r;
  memcpy(s->r, s->x, bytes);
  memcpy(s->u, s->x_u, bytes);
  const double first = residual_of_step(s);
  double residual = first;
  for (int k = 1; k <= MOST_NEWTON_STEPS && !ts_run_is_over(state->run); ++k) {
    if (isinf(ts_cone_newton_step(state, ts_alart_curnier, s->alpha, s->r, s->giving, s->newton_step))) return -1;
    for (size_t j = 0; j < length; ++j) s->r[j] += s->newton_step[j];
    ts_run_record(state->run, ts_cone_offer(state, s->r, s->u), 1.0, s->alpha, 0);
    residual = residual_of_step(s);
    if (residual <= REDUCTION * first || ts_cone_done(state)) return k;
    if (!(residual < DIVERGED * first)) return -1;
  }
  return -1;
}

static void accept(proximal *s)
{
  const size_t bytes = s->state->p->length * sizeof *s->x;
  memcpy(s->x, s->r, bytes);
  memcpy(s->x_u, s->u, bytes);
}

static void adapt(proximal *s, int newton_steps)
{
  if (newton_steps < 0)
    s->alpha *= RETRY;
  else if (newton_steps <= FEW_NEWTON_STEPS)
    s->alpha = fmax(SMALLEST_ALPHA, LONGER * s->alpha);
  else if (newton_steps == MOST_NEWTON_STEPS)
    s->alpha *= SHORTER;
}

// After many factorizations a point will do that is barely inside the tolerance.
static bool is_content(const ts_cone_state *state, int factorizations)
{
  return ts_cone_done(state) || (factorizations >= MANY_FACTORIZATIONS && ts_cone_will_do(state));
}

ts_outcome ts_cone_proximal_steps(ts_cone_state *state, int factorizations)
{
  ts_run *run = state->run;
  const size_t length = state->p->length;
  const int before = run->report->factorizations;
  ts_cone_system(state);
  const ts_arena_mark mark = ts_arena_save(run->arena);
  proximal s = {.state = state,
                .alpha = FIRST_ALPHA,
                .x = ts_arena_doubles(run->arena, length),
                .x_u = ts_arena_doubles(run->arena, length),
                .r = ts_arena_doubles(run->arena, length),
                .u = ts_arena_doubles(run->arena, length),
                .giving = ts_arena_doubles(run->arena, length),
                .newton_step = ts_arena_doubles(run->arena, length)};
  memcpy(s.x, state->r, length * sizeof *s.x);
  ts_cone_velocity(state->p, s.x, s.x_u);
  for (int done = 0; !is_content(state, done) && !ts_run_is_over(run) && s.alpha <= LARGEST_ALPHA;
       done = run->report->factorizations - before) {
    if (done >= factorizations) break;
    const int newton_steps = solve_step(&s);
    if (newton_steps >= 0) accept(&s);
    adapt(&s, newton_steps);
  }
  ts_arena_restore(run->arena, mark);
  return ts_cone_done(state) ? TS_SOLVED : ts_run_ending(run, TS_STALLED);
}
