// Stage: follow the zero of the smoothed law (smoothing.h) by arc length in (z, tau = ln eps), so that the path may turn
// back in eps: it passes the folds at which the smoothing path gives up. Lengths are measured by
// |dz|^2/(eps^2 contacts) + dtau^2. Each corrector step solves twice with one factorization.
#include "complementarity/smoothing.h"

#include <math.h>
#include <string.h>

static const double SHIFT = 1e-9, LONGEST = 100.0, SHORTEST = 1e-4;
enum { CORRECTOR_STEPS = 5, POLISH_STEPS = 10 };

typedef struct arc {
  ts_cone_state *state;
  ts_smoothing smoothing;
  double centring;
  double *z, *tangent, *trial, *r, *u, *F, *Ftau, *newton, *scratch;
  double tau, tangent_tau;
} arc;

static double metric(const arc *a, double tau, const double *x, const double *y)
{
  const double eps = exp(tau);
  double sum = 0.0;
  for (size_t k = 0; k < a->state->p->length; ++k) sum += x[k] * y[k];
  return sum / (eps * eps * a->state->p->contacts);
}

// F and its blocks at (z, tau), and dF/dtau by a central difference (F is cheap once u is there).
static double evaluate(arc *a, const double *z, double tau, ts_newton_system *system)
{
  const double delta = 1e-5;
  ts_smoothing_point(&a->smoothing, z, a->r, a->u);
  if (system) {
    ts_smoothing_map(&a->smoothing, exp(tau + delta), z, a->u, a->Ftau, NULL);
    ts_smoothing_map(&a->smoothing, exp(tau - delta), z, a->u, a->scratch, NULL);
    for (size_t k = 0; k < a->state->p->length; ++k) a->Ftau[k] = (a->Ftau[k] - a->scratch[k]) / (2.0 * delta);
  }
  return ts_smoothing_map(&a->smoothing, exp(tau), z, a->u, a->F, system);
}

// x = -J^-1 b in the path's variables.
static void solve_in_z(const arc *a, ts_newton_system *system, const double *b, double *x)
{
  const size_t length = a->state->p->length;
  for (size_t k = 0; k < length; ++k) x[k] = -b[k];
  ts_newton_system_solve(system, x);
  for (size_t k = 0; k < length; ++k) x[k] = a->smoothing.impulse[k] > 0.0 ? x[k] / a->smoothing.impulse[k] : 0.0;
}

static bool factor_at(arc *a, const double *z, double tau, double *norm)
{
  ts_newton_system *system = ts_cone_system(a->state);
  *norm = evaluate(a, z, tau, system);
  ++a->state->run->report->factorizations;
  return ts_newton_system_factor(system, SHIFT);
}

// Unit tangent at (z, tau), on the side of the last one.
static bool set_tangent(arc *a)
{
  ts_newton_system *system = ts_cone_system(a->state);
  double norm;
  if (!factor_at(a, a->z, a->tau, &norm)) return false;
  double *slope = a->newton;
  solve_in_z(a, system, a->Ftau, slope);
  const double inner = metric(a, a->tau, slope, a->tangent) + a->tangent_tau;
  const double length = copysign(sqrt(metric(a, a->tau, slope, slope) + 1.0), inner);
  if (!isfinite(length)) return false;
  for (size_t k = 0; k < a->state->p->length; ++k) a->tangent[k] = slope[k] / length;
  a->tangent_tau = 1.0 / length;
  return true;
}

// Newton back to the path in the plane across the tangent, from (trial, *tau). Returns the steps, or -1.
static int correct(arc *a, double *tau)
{
  ts_newton_system *system = ts_cone_system(a->state);
  const size_t length = a->state->p->length;
  const double root = sqrt((double)a->state->p->contacts);
  double first = INFINITY;
  for (int step = 0; step <= CORRECTOR_STEPS; ++step) {
    double norm = evaluate(a, a->trial, *tau, NULL);
    if (!isfinite(norm) || norm > 10.0 * first) return -1;
    if (norm <= a->centring * exp(*tau) * root) return step;
    if (step == CORRECTOR_STEPS || ts_run_out_of_time(a->state->run)) return -1;
    if (step == 0) first = norm;
    if (!factor_at(a, a->trial, *tau, &norm)) return -1;
    solve_in_z(a, system, a->F, a->newton);
    solve_in_z(a, system, a->Ftau, a->scratch);
    const double along = metric(a, *tau, a->tangent, a->scratch) + a->tangent_tau;
    const double dtau = -metric(a, *tau, a->tangent, a->newton) / along;
    if (!isfinite(dtau) || fabs(dtau) > 3.0) return -1;
    for (size_t k = 0; k < length; ++k) a->trial[k] += a->newton[k] + dtau * a->scratch[k];
    *tau += dtau;
    ts_run_record(a->state->run, norm, 1.0, exp(*tau), 0);
  }
  return -1;
}

static void init_arc(arc *a, ts_cone_state *state, double centring, double gamma)
{
  ts_arena *arena = state->run->arena;
  const size_t length = state->p->length;
  *a = (arc){.state = state,
             .centring = centring,
             .z = ts_arena_zeros(arena, length),
             .tangent = ts_arena_zeros(arena, length),
             .trial = ts_arena_doubles(arena, length),
             .r = ts_arena_doubles(arena, length),
             .u = ts_arena_doubles(arena, length),
             .F = ts_arena_doubles(arena, length),
             .Ftau = ts_arena_doubles(arena, length),
             .newton = ts_arena_doubles(arena, length),
             .scratch = ts_arena_doubles(arena, length),
             .tangent_tau = -1.0};
  ts_smoothing_init(&a->smoothing, state->p, gamma, arena);
  const double eps = a->smoothing.largest_data > 0.0 ? a->smoothing.largest_data : 1.0;
  a->tau = log(eps);
  for (int i = 0; i < state->p->contacts; ++i) a->z[(size_t)i * (size_t)state->p->stride] = eps;
}

// Measure the point of the path, and polish it once per unit of tau when it is near enough.
static void offer_point(arc *a, double *last_polish)
{
  ts_smoothing_point(&a->smoothing, a->z, a->r, a->u);
  const double error = ts_cone_offer(a->state, a->r, a->u);
  if (error < 3e-2 && fabs(a->tau - *last_polish) >= 1.0) {
    *last_polish = a->tau;
    ts_cone_polish(a->state, a->r, POLISH_STEPS);
  }
}

ts_outcome ts_cone_arc_length(ts_cone_state *state, double centring, double gamma, int factorizations)
{
  ts_run *run = state->run;
  ts_cone_system(state);
  const ts_arena_mark mark = ts_arena_save(run->arena);
  const size_t bytes = state->p->length * sizeof(double);
  const int budget = run->report->factorizations + factorizations;
  arc a;
  init_arc(&a, state, centring, gamma);
  double step = 0.5, last_polish = INFINITY;
  memcpy(a.trial, a.z, bytes);
  bool alive = correct(&a, &a.tau) >= 0; // onto the path, at fixed eps since the tangent points along tau
  if (alive) memcpy(a.z, a.trial, bytes);
  alive = alive && set_tangent(&a);
  while (alive && !ts_cone_done(state) && step >= SHORTEST && a.tau > log(1e-14) &&
         run->report->factorizations < budget && !ts_run_out_of_time(run)) {
    double tau = a.tau + step * a.tangent_tau;
    for (size_t k = 0; k < state->p->length; ++k) a.trial[k] = a.z[k] + step * a.tangent[k];
    const int steps = fabs(tau - a.tau) > 3.0 ? -1 : correct(&a, &tau);
    if (steps < 0) {
      step *= 0.3;
      continue;
    }
    memcpy(a.z, a.trial, bytes);
    a.tau = tau;
    alive = set_tangent(&a);
    offer_point(&a, &last_polish);
    if (steps <= 2) step = fmin(1.7 * step, LONGEST);
    if (steps >= 4) step *= 0.7;
  }
  ts_arena_restore(run->arena, mark);
  if (ts_cone_done(state)) return TS_SOLVED;
  if (ts_run_out_of_time(run)) return TS_TIME_LIMIT;
  return run->report->factorizations >= budget ? TS_ITERATION_LIMIT : TS_STALLED;
}
