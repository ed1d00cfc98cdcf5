// Stage: follow the zero of the smoothed law (smoothing.h) from a large smoothing parameter to a small one. Like an
// interior path it keeps hyperstatic impulses centred, so that the contacts' modes are clear at its end, but it has no
// boundary that cuts steps. Where the path folds back the step factor tends to 1 and the stage gives up.
#include "complementarity/smoothing.h"

#include <math.h>
#include <string.h>

// Newton stops when |F| <= CENTRING eps sqrt(contacts): near enough to the path to go on.
static const double CENTRING = 0.1, SHIFT = 1e-9;
enum { MOST_STEPS = 8, POLISH_STEPS = 6, MOST_FAILURES = 25 };

typedef struct path {
  ts_cone_state *state;
  ts_smoothing smoothing;
  double *z, *saved, *trial, *r, *u, *F, *step;
} path;

static double evaluate(path *p, double eps, const double *z, ts_newton_system *system)
{
  ts_smoothing_point(&p->smoothing, z, p->r, p->u);
  return ts_smoothing_map(&p->smoothing, eps, z, p->u, p->F, system);
}

// One damped Newton step at fixed eps. Returns the step length, 0 when none was found; *norm is |F| before and after.
static double newton_step(path *p, double eps, double *norm)
{
  ts_newton_system *system = ts_cone_system(p->state);
  const size_t length = p->state->p->length;
  evaluate(p, eps, p->z, system);
  ++p->state->run->report->factorizations;
  if (!ts_newton_system_factor(system, SHIFT)) return 0.0;
  for (size_t k = 0; k < length; ++k) p->step[k] = -p->F[k];
  ts_newton_system_solve(system, p->step); // a step in r
  for (size_t k = 0; k < length; ++k)
    p->step[k] = p->smoothing.impulse[k] > 0.0 ? p->step[k] / p->smoothing.impulse[k] : 0.0;
  for (double t = 1.0; t > 1e-3; t *= 0.5) {
    for (size_t k = 0; k < length; ++k) p->trial[k] = p->z[k] + t * p->step[k];
    const double trial = evaluate(p, eps, p->trial, NULL);
    if (trial <= (1.0 - 1e-4 * t) * *norm) {
      double *swap = p->z;
      p->z = p->trial;
      p->trial = swap;
      *norm = trial;
      return t;
    }
  }
  return 0.0;
}

// Newton to the path at one eps; returns the steps it took, or -1.
static int centre(path *p, double eps)
{
  const double enough = CENTRING * eps * sqrt((double)p->state->p->contacts);
  double norm = evaluate(p, eps, p->z, NULL);
  int steps = 0;
  for (int budget = MOST_STEPS; norm > enough; ++steps) {
    if (budget <= 0 || ts_run_out_of_time(p->state->run)) return -1;
    const double taken = newton_step(p, eps, &norm);
    if (taken == 0.0) return -1;
    budget -= taken < 0.1 ? 2 : 1;
    ts_run_record(p->state->run, norm, taken, eps, 0);
  }
  return steps;
}

static void init_path(path *p, ts_cone_state *state, double gamma)
{
  ts_arena *arena = state->run->arena;
  const size_t length = state->p->length;
  *p = (path){.state = state,
              .z = ts_arena_zeros(arena, length),
              .saved = ts_arena_doubles(arena, length),
              .trial = ts_arena_zeros(arena, length),
              .r = ts_arena_doubles(arena, length),
              .u = ts_arena_doubles(arena, length),
              .F = ts_arena_doubles(arena, length),
              .step = ts_arena_doubles(arena, length)};
  ts_smoothing_init(&p->smoothing, state->p, gamma, arena);
}

ts_outcome ts_cone_smoothing_path(ts_cone_state *state, double gamma, double factor)
{
  ts_run *run = state->run;
  ts_cone_system(state);
  const ts_arena_mark mark = ts_arena_save(run->arena);
  const size_t bytes = state->p->length * sizeof(double);
  path p;
  init_path(&p, state, gamma);
  double eps = p.smoothing.largest_data, saved_eps = eps, last_polish = INFINITY;
  for (int i = 0; i < state->p->contacts; ++i) p.z[(size_t)i * (size_t)state->p->stride] = eps;
  memcpy(p.saved, p.z, bytes);
  int failures = 0;
  while (!ts_cone_done(state) && failures < MOST_FAILURES && factor <= 0.97 && eps > 1e-14 && !ts_run_out_of_time(run)) {
    const int steps = centre(&p, eps);
    if (steps < 0) {
      ++failures;
      memcpy(p.z, p.saved, bytes);
      factor = sqrt(factor);
      eps = saved_eps * factor;
      continue;
    }
    memcpy(p.saved, p.z, bytes);
    saved_eps = eps;
    ts_smoothing_point(&p.smoothing, p.z, p.r, p.u);
    const double error = ts_cone_offer(state, p.r, p.u);
    if (eps <= 0.2 * last_polish && error < 3e-2) {
      last_polish = eps;
      if (ts_cone_polish(state, p.r, POLISH_STEPS) == TS_SOLVED) break;
    }
    if (steps <= 2) factor = fmax(pow(factor, 1.5), 0.02);
    if (steps > 4) factor = fmin(sqrt(factor), 0.9);
    eps *= factor;
  }
  ts_arena_restore(run->arena, mark);
  if (ts_cone_done(state)) return TS_SOLVED;
  return ts_run_out_of_time(run) ? TS_TIME_LIMIT : TS_STALLED;
}
