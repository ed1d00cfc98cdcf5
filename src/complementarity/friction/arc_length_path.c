// Stage: follow the zero of the smoothed law (smoothing.h) by arc length in (z, tau = ln eps), so that the path may
// turn back in eps: it passes the folds at which the smoothing path gives up. Lengths are measured by |dz|^2/(eps^2
// contacts) + dtau^2. Each corrector step solves twice with one factorization.
#include "complementarity/friction/smoothing.h"

#include <math.h>
#include <string.h>

static const double LONGEST = 100.0, SHORTEST = 1e-4;
enum { CORRECTOR_STEPS = 5, POLISH_STEPS = 10 };

typedef struct arc {
  ts_path_walk walk;
  double centring;
  double tau;
  double *tangent, tangent_tau; // unit tangent of the path
  double *predicted;            // where the corrector works
  double *Ftau, *slope, *scratch;
} arc;

static double metric(const arc *a, double tau, const double *x, const double *y)
{
  const ts_cone_problem *p = a->walk.state->p;
  const double eps = exp(tau);
  double sum = 0.0;
  for (size_t k = 0; k < p->length; ++k) sum += x[k] * y[k];
  return sum / (eps * eps * p->contacts);
}

// Factor J at (z, tau), and slope = -J^-1 dF/dtau: the path's dz/dtau. The derivative by a central difference; F is
// cheap once u is there.
static bool factor_and_slope(arc *a, const double *z, double tau, double *norm)
{
  const double delta = 1e-5;
  ts_path_walk *walk = &a->walk;
  if (!ts_path_factor(walk, exp(tau), z, norm)) return false;
  ts_smoothing_map(&walk->smoothing, exp(tau + delta), z, walk->u, a->Ftau, NULL);
  ts_smoothing_map(&walk->smoothing, exp(tau - delta), z, walk->u, a->scratch, NULL);
  for (size_t k = 0; k < walk->state->p->length; ++k) a->Ftau[k] = (a->Ftau[k] - a->scratch[k]) / (2.0 * delta);
  ts_path_solve(walk, a->Ftau, a->slope);
  return true;
}

// Unit tangent at the point, on the side of the last one.
static bool set_tangent(arc *a)
{
  double norm;
  if (!factor_and_slope(a, a->walk.z, a->tau, &norm)) return false;
  const double inner = metric(a, a->tau, a->slope, a->tangent) + a->tangent_tau;
  const double length = copysign(sqrt(metric(a, a->tau, a->slope, a->slope) + 1.0), inner);
  if (!isfinite(length)) return false;
  for (size_t k = 0; k < a->walk.state->p->length; ++k) a->tangent[k] = a->slope[k] / length;
  a->tangent_tau = 1.0 / length;
  return true;
}

// Newton back to the path in the plane across the tangent, from (predicted, *tau). Returns the steps, or -1.
static int correct(arc *a, double *tau)
{
  ts_path_walk *walk = &a->walk;
  const double root = sqrt((double)walk->state->p->contacts);
  double first = INFINITY;
  for (int step = 0; step <= CORRECTOR_STEPS; ++step) {
    double norm = ts_path_evaluate(walk, exp(*tau), a->predicted, NULL);
    if (!isfinite(norm) || norm > 10.0 * first) return -1;
    if (norm <= a->centring * exp(*tau) * root) return step;
    if (step == CORRECTOR_STEPS || ts_run_is_over(walk->state->run)) return -1;
    if (step == 0) first = norm;
    if (!factor_and_slope(a, a->predicted, *tau, &norm)) return -1;
    ts_path_solve(walk, walk->F, walk->step);
    const double along = metric(a, *tau, a->tangent, a->slope) + a->tangent_tau;
    const double dtau = -metric(a, *tau, a->tangent, walk->step) / along;
    if (!isfinite(dtau) || fabs(dtau) > 3.0) return -1;
    for (size_t k = 0; k < walk->state->p->length; ++k) a->predicted[k] += walk->step[k] + dtau * a->slope[k];
    *tau += dtau;
    ts_run_record(walk->state->run, norm, 1.0, exp(*tau), 0);
  }
  return -1;
}

static void init_arc(arc *a, ts_cone_state *state, double centring, double gamma)
{
  ts_arena *arena = state->run->arena;
  const size_t length = state->p->length;
  double eps;
  *a = (arc){.centring = centring,
             .tangent = ts_arena_zeros(arena, length),
             .tangent_tau = -1.0,
             .predicted = ts_arena_doubles(arena, length),
             .Ftau = ts_arena_doubles(arena, length),
             .slope = ts_arena_doubles(arena, length),
             .scratch = ts_arena_doubles(arena, length)};
  ts_path_walk_init(&a->walk, state, gamma, &eps);
  a->tau = log(eps);
}

// Back onto the path at the present eps, closer than the corrector asks, with a fresh tangent: a point at the edge of
// the tolerance has a tangent of its own that leads away.
static bool recentre(arc *a)
{
  memcpy(a->predicted, a->walk.z, a->walk.state->p->length * sizeof *a->predicted);
  if (ts_path_centre(&a->walk, exp(a->tau), 0.03 * a->centring) < 0)
    memcpy(a->walk.z, a->predicted, a->walk.state->p->length * sizeof *a->predicted);
  return set_tangent(a);
}

// Predict, correct, and move there; returns the corrector's steps, or -1.
static int advance(arc *a, double step)
{
  ts_path_walk *walk = &a->walk;
  double tau = a->tau + step * a->tangent_tau;
  if (fabs(tau - a->tau) > 3.0) return -1;
  for (size_t k = 0; k < walk->state->p->length; ++k) a->predicted[k] = walk->z[k] + step * a->tangent[k];
  const int steps = correct(a, &tau);
  if (steps < 0) return -1;
  memcpy(walk->z, a->predicted, walk->state->p->length * sizeof *walk->z);
  a->tau = tau;
  return steps;
}

// Measure the point of the path, and polish it once per unit of tau when it is near enough.
static void offer_point(arc *a, double *last_polish)
{
  ts_path_walk *walk = &a->walk;
  ts_smoothing_point(&walk->smoothing, walk->z, walk->r, walk->u);
  const double error = ts_cone_offer(walk->state, walk->r, walk->u);
  if (error < 3e-2 && fabs(a->tau - *last_polish) >= 1.0) {
    *last_polish = a->tau;
    ts_cone_polish(walk->state, walk->r, POLISH_STEPS);
  }
}

ts_outcome ts_cone_arc_length(ts_cone_state *state, double centring, double gamma, int factorizations)
{
  ts_run *run = state->run;
  ts_cone_system(state);
  const ts_arena_mark mark = ts_arena_save(run->arena);
  const int budget = run->report->factorizations + factorizations;
  arc a;
  init_arc(&a, state, centring, gamma);
  double step = 0.5, last_polish = INFINITY;
  bool alive = ts_path_centre(&a.walk, exp(a.tau), centring) >= 0 && set_tangent(&a), centred = false;
  while (alive && !ts_cone_done(state) && step >= SHORTEST && a.tau > log(1e-14) &&
         run->report->factorizations < budget && !ts_run_is_over(run)) {
    const int steps = advance(&a, step);
    if (steps < 0) {
      step *= 0.3;
      if (!centred) alive = recentre(&a);
      centred = true;
      continue;
    }
    centred = false;
    alive = set_tangent(&a);
    offer_point(&a, &last_polish);
    if (steps <= 2) step = fmin(1.7 * step, LONGEST);
    if (steps >= 4) step *= 0.7;
  }
  ts_arena_restore(run->arena, mark);
  if (ts_cone_done(state)) return TS_SOLVED;
  return ts_run_ending(run, run->report->factorizations >= budget ? TS_ITERATION_LIMIT : TS_STALLED);
}
