// fb-plm: the same equations as fb-rlm, solved by the "projected" Levenberg-Marquardt algorithm of 000 (after Kanzow
// and Petra; nothing is projected, ERRATA B'): a nearly undamped Gauss-Newton direction from the QR factorization of J
// stacked on sqrt(lambda) I, lambda constant, with the non-monotone line search of Grippo, Lampariello and Lucidi
// (1986) and a watchdog: when the best psi has not been reduced enough in a number of iterations, the search goes back
// to that point and is monotone until it has got below. The line search is monotone throughout when the options say so.
#include "complementarity/fb_system.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const double LAMBDA = 1e-16;        // 000, PLM
static const double LARGEST_LAMBDA = 1e-2; // up to here lambda is raised when the system is singular
static const double ARMIJO = 1e-4, SHORTEST_STEP = 1e-12;
static const double DESCENT = 1e-10; // cosine below which a direction is no descent direction
static const double WATCHDOG_REDUCTION = 0.9;
enum { MEMORY = 10, PATIENCE = 20 };

typedef struct line_search {
  double recent[MEMORY]; // psi of the last points
  int count;             // points seen since the memory was cleared
  bool monotone;
} line_search;

static void remember(line_search *search, double psi)
{
  search->recent[search->count++ % MEMORY] = psi;
}

// What a new point has to stay below: the largest of the recent values, or the last one.
static double reference(const line_search *search)
{
  if (search->monotone) return search->recent[(search->count - 1) % MEMORY];
  double largest = 0.0;
  for (int k = 0; k < search->count && k < MEMORY; ++k) largest = fmax(largest, search->recent[k]);
  return largest;
}

// The least-squares direction; the steepest descent one where that does not exist or does not descend. Returns its
// slope.
static double find_direction(ts_fb_system *s, double lambda, ts_report *report)
{
  const int n = s->view.size;
  bool solved = false;
  for (double damping = lambda; !solved && damping <= fmax(lambda, LARGEST_LAMBDA); damping *= 1e3) {
    ++report->factorizations;
    solved = ts_damped_step_solve(&s->step, damping, s->phi, s->d);
  }
  const double slope = solved ? ts_fb_slope(s) : 0.0;
  const double size = cblas_dnrm2(n, s->d, 1) * cblas_dnrm2(n, s->step.gradient, 1);
  if (solved && slope < -DESCENT * size) return slope;
  for (int i = 0; i < n; ++i) s->d[i] = -s->step.gradient[i];
  return ts_fb_slope(s);
}

// Halve the step until psi is below the reference by Armijo's rule. Returns the step length, 0 when none was found.
static double search_along(ts_fb_system *s, double slope, double below)
{
  for (double t = 1.0; t > SHORTEST_STEP; t *= 0.5) {
    for (int i = 0; i < s->view.size; ++i) s->trial_z[i] = s->z[i] + t * s->d[i];
    if (ts_fb_try(s) && s->trial_psi <= below + ARMIJO * t * slope) return t;
  }
  return 0.0;
}

static bool return_to_best(ts_fb_system *s)
{
  memcpy(s->trial_z, s->best_z, (size_t)s->view.size * sizeof *s->trial_z);
  if (!ts_fb_try(s)) return false;
  ts_fb_accept(s);
  return ts_fb_linearize(s);
}

static ts_outcome iterate(ts_fb_system *s, ts_run *run)
{
  const double lambda = run->options->damping > 0.0 ? run->options->damping : LAMBDA;
  const bool always_monotone = run->options->line_search == TS_MONOTONE;
  line_search search = {.monotone = always_monotone};
  double goal = WATCHDOG_REDUCTION * s->psi; // psi that the watchdog wants to see
  int waited = 0;
  remember(&search, s->psi);
  for (int k = 0; k < run->limit; ++k) {
    if (ts_fb_converged(s, run->options->tolerance)) return TS_SOLVED;
    if (ts_run_out_of_time(run)) return TS_TIME_LIMIT;
    const double slope = find_direction(s, lambda, run->report);
    const double t = slope < 0.0 ? search_along(s, slope, reference(&search)) : 0.0;
    ts_run_record(run, s->residual, t, lambda, 0);
    if (t == 0.0 || ts_fb_step_vanishes(s, t)) {
      if (search.monotone || !(s->best_psi < s->psi)) return TS_STALLED;
      waited = PATIENCE; // stuck above the best point: go back to it at once
    } else {
      ts_fb_accept(s);
      if (!ts_fb_linearize(s)) return TS_BROKE_DOWN;
      remember(&search, s->psi);
      ++waited;
    }
    if (s->psi <= goal) {
      goal = WATCHDOG_REDUCTION * s->psi;
      search.monotone = always_monotone;
      waited = 0;
    } else if (!search.monotone && waited >= PATIENCE) {
      if (!return_to_best(s)) return TS_BROKE_DOWN;
      search = (line_search){.monotone = true};
      remember(&search, s->psi);
      goal = WATCHDOG_REDUCTION * s->psi;
      waited = 0;
    }
  }
  return TS_ITERATION_LIMIT;
}

static ts_outcome solve(const ts_problem *problem, ts_run *run, double *z)
{
  ts_fb_system s;
  if (!ts_fb_init(&s, problem, TS_STACKED_QR, run, z) || !ts_fb_linearize(&s)) {
    memcpy(z, s.best_z, (size_t)s.view.size * sizeof *z);
    return TS_BROKE_DOWN;
  }
  const ts_outcome outcome = iterate(&s, run);
  ts_fb_finish(&s, run, z);
  return outcome;
}

const ts_solver ts_solver_fb_plm = {
    .name = "fb-plm",
    .summary = "Fischer-Burmeister equations, least-squares Newton with non-monotone search (Mylapilli and Jain 2014)",
    .takes = TS_LCP | TS_MLCP | TS_MCP,
    .limit = 500,
    .solve = solve,
};
