#include "complementarity/friction/cone_state.h"

#include "base/hot.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_POLISH_STEPS = 20 };

// The certificate adds in another order than the stages do, so that the two differ by round-off: measured as up to six
// units of the impulses' last digit. Nearly jammed problems have points with impulses of 1e6 times the data that are
// solutions to within round-off alone. What the stages call solved has to be solved when the certificate looks at it:
// they count round-off as part of the error, and stop well inside the tolerance.
static const double ROUND_OFF = 4.0 * DBL_EPSILON;

void ts_cone_state_init(ts_cone_state *state, const ts_cone_problem *p, ts_run *run, const double *start)
{
  ts_arena *arena = run->arena;
  *state = (ts_cone_state){.p = p,
                           .run = run,
                           .contacts = ts_one_contact_prepare(p, arena),
                           .r = ts_arena_zeros(arena, p->length),
                           .u = ts_arena_doubles(arena, p->length),
                           .target = TS_SHARE_OF_TOLERANCE * run->options->tolerance};
  const double asked = run->options->velocity_error;
  if (asked > 0.0) state->enough = TS_SHARE_OF_VELOCITY_ERROR * fmax(asked, TS_SHARE_OF_SPEED * ts_cone_data_speed(p));
  state->error = INFINITY; // whatever comes is better than the cold start, and a start that overflows is none
  if (start) ts_cone_offer(state, start, state->u);
}

double ts_cone_error(const ts_cone_state *state, const double *r, const double *u)
{
  const double residual = ts_cone_residual(state->p, r, u);
  if (!(residual <= 1e3 * state->target)) return residual;
  const double raw = ts_cone_raw_residual(state->p, r, u);
  return (raw > residual ? raw : residual) + ROUND_OFF * cblas_dnrm2((int)state->p->length, r, 1);
}

bool ts_cone_is_accurate(const ts_cone_state *state)
{
  return state->enough > 0.0 && isfinite(state->error) &&
         ts_cone_velocity_error(state->p, state->r, state->u) <= state->enough;
}

// Largest eigenvalue of the symmetric part of a block, by power steps: a step parameter needs no more than a few
// digits.
TS_INLINE double largest_eigenvalue(const double *block, const int d, const int stride)
{
  double x[4] = {1.0, 0.5, 0.25, 0.125}, size = 0.0, symmetric[4][4];
  for (int c = 0; c < d; ++c)
    for (int r = 0; r < d; ++r) symmetric[c][r] = 0.5 * (block[c * stride + r] + block[r * stride + c]);
  for (int step = 0; step < 8; ++step) {
    double y[4] = {0};
    size = 0.0;
    for (int c = 0; c < d; ++c)
      for (int r = 0; r < d; ++r) y[r] += symmetric[c][r] * x[c];
    for (int k = 0; k < d; ++k) size += y[k] * y[k];
    size = sqrt(size);
    if (size == 0.0) return 0.0;
    for (int k = 0; k < d; ++k) x[k] = y[k] / size;
  }
  return size;
}

TS_INLINE void set_steps(const ts_cone_problem *p, double *rho, const int d)
{
  const int stride = d == 2 ? 2 : 4;
  for (int i = 0; i < p->contacts; ++i) {
    const double largest = largest_eigenvalue(p->W + (size_t)p->diagonal[i] * (size_t)(stride * d), d, stride);
    rho[i] = largest > 0.0 ? 1.0 / largest : 1.0;
  }
}

ts_newton_system *ts_cone_system(ts_cone_state *state)
{
  if (state->system) return state->system;
  const ts_cone_problem *p = state->p;
  state->rho = ts_arena_doubles(state->run->arena, (size_t)p->contacts);
  if (p->d == 2) // a constant dimension lets the compiler unroll
    set_steps(p, state->rho, 2);
  else if (p->d == 3)
    set_steps(p, state->rho, 3);
  else
    set_steps(p, state->rho, 4);
  state->system = ts_newton_system_create(p, state->run->deadline, state->run->arena);
  return state->system;
}

double ts_cone_offer(ts_cone_state *state, const double *r, double *u)
{
  ts_cone_velocity(state->p, r, u);
  const double error = ts_cone_error(state, r, u);
  if (error < state->error) {
    const size_t bytes = state->p->length * sizeof *r;
    state->error = error;
    memcpy(state->r, r, bytes);
    if (u != state->u) memcpy(state->u, u, bytes);
  }
  return error;
}

double ts_cone_newton_step(ts_cone_state *state, ts_contact_map *map, double shift, const double *r, const double *u,
                           double *step)
{
  const ts_cone_problem *p = state->p;
  ts_newton_system *system = ts_cone_system(state);
  double norm = 0.0;
  for (int i = 0; i < p->contacts; ++i) {
    const size_t at = (size_t)i * (size_t)p->stride;
    double F[4] = {0};
    map(p->d, p->mu[i], state->rho[i], r + at, u + at, F, ts_newton_system_A(system, i), ts_newton_system_B(system, i));
    for (int k = 0; k < p->stride; ++k) {
      step[at + (size_t)k] = -F[k];
      norm += F[k] * F[k];
    }
  }
  ++state->run->report->factorizations;
  if (!ts_newton_system_factor(system, shift)) {
    memset(step, 0, p->length * sizeof *step);
    return INFINITY;
  }
  ts_newton_system_solve(system, step);
  return sqrt(norm);
}

ts_outcome ts_cone_polish(ts_cone_state *state, const double *start, int steps)
{
  const ts_cone_problem *p = state->p;
  ts_arena *arena = state->run->arena;
  ts_cone_system(state);
  const ts_arena_mark mark = ts_arena_save(arena);
  double *r = ts_arena_doubles(arena, p->length), *u = ts_arena_doubles(arena, p->length);
  double *step = ts_arena_doubles(arena, p->length);
  memcpy(r, start, p->length * sizeof *r);
  ts_cone_velocity(p, r, u);
  const double first = ts_cone_error(state, r, u);
  for (int k = 0; k < steps && !ts_cone_done(state) && !ts_run_is_over(state->run); ++k) {
    ts_contact_map *map = k % 2 == 0 ? ts_alart_curnier : ts_natural_map;
    if (isinf(ts_cone_newton_step(state, map, TS_NEWTON_SHIFT, r, u, step))) break;
    for (size_t j = 0; j < p->length; ++j) r[j] += step[j];
    const double error = ts_cone_offer(state, r, u);
    ts_run_record(state->run, error, 1.0, 0.0, 0);
    if (!(error < 1e3 * first)) break;
    if (error < 1e-3 * first && k == steps - 1 && steps < MOST_POLISH_STEPS) ++steps; // nearly there: go on
  }
  ts_arena_restore(arena, mark);
  return ts_cone_done(state) ? TS_SOLVED : TS_STALLED;
}
