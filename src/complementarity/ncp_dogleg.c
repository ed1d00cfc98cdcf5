// Friction problems by the method of 002: nonsmooth Newton on the hybrid variable, made global by a dogleg whose two
// line searches know where the residual has its edges.
//
// An iteration factors J^T J + lambda I once. The Newton point x - (J^T J + lambda I)^-1 J^T phi is taken outright when
// psi = 1/2 |phi|^2 drops by a tenth. Otherwise psi is minimized along the negative gradient (Cauchy point), then on
// the segment from there to the Newton point, and the lower of the two minima is taken. Along a line phi is smooth
// between the points where a contact crosses the plane z_n = 0 or the cone |z_t| = -mu z_n; these are computed exactly,
// and each piece is searched by itself, so that the search sees the kinks that make plain Newton methods chatter.
//
// psi has local minima that are no solutions. When it hardly falls any more the method starts again from another point:
// cold it starts with all contacts stuck; then come points smoothed by projected Gauss-Seidel sweeps, which 002 does
// not have. Iterations of all starts count, and a smoothed start counts as one.
#include "complementarity/mncp.h"
#include "complementarity/mncp_ray.h"
#include "complementarity/solver.h"

#include "base/random.h"
#include "math/dense.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const double newton_drop = 0.9; // psi of a Newton point that is taken outright, relative to psi before
static const double idle_drop = 0.98;  // an iteration that leaves more than this of psi gained nothing
enum { IDLE_LIMIT = 2, SWEEPS = 40 };
static const double damping_start = 1e-8, damping_smallest = 1e-12, damping_largest = 1e-2, damping_factor = 10.0;

typedef struct dogleg {
  const ts_mncp *mncp;
  ts_run *run;
  int n;
  double *x, *phi, psi;
  double *trial, *trial_phi, trial_psi;
  double *J, *N, *gradient, *step, *leg; // N: J^T J + lambda I, then its factor
  double *best, measure, best_measure;
  double lambda;
  ts_ray ray;
  ts_random random;
  int starts, idle;
} dogleg;

static double evaluate(const dogleg *s, const double *x, double *phi)
{
  ts_mncp_residual(s->mncp, x, phi);
  return 0.5 * cblas_ddot(s->n, phi, 1, phi, 1);
}

// Judge the point that x now holds.
static void arrive(dogleg *s)
{
  s->psi = evaluate(s, s->x, s->phi);
  s->measure = ts_mncp_measure(s->mncp, s->x, s->phi);
  if (!(s->measure < s->best_measure)) return;
  s->best_measure = s->measure;
  memcpy(s->best, s->x, (size_t)s->n * sizeof *s->best);
}

static void dogleg_init(dogleg *s, const ts_mncp *mncp, ts_run *run)
{
  const size_t n = (size_t)mncp->size;
  ts_arena *arena = run->arena;
  *s = (dogleg){.mncp = mncp, .run = run, .n = mncp->size, .best_measure = INFINITY};
  double **const vectors[] = {&s->x, &s->phi, &s->trial, &s->trial_phi, &s->gradient, &s->step, &s->leg, &s->best};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = ts_arena_doubles(arena, n);
  s->J = ts_arena_doubles(arena, n * n);
  s->N = ts_arena_doubles(arena, n * n);
  s->lambda = run->options->damping > 0.0 ? run->options->damping : damping_start;
  ts_ray_init(&s->ray, mncp, arena);
  ts_random_init(&s->random, run->options->seed);
}

static bool newton_step(dogleg *s)
{
  const int n = s->n;
  ts_mncp_jacobian(s->mncp, s->x, s->J);
  cblas_dgemv(CblasColMajor, CblasTrans, n, n, 1.0, s->J, n, s->phi, 1, 0.0, s->gradient, 1);
  for (;;) {
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, n, 1.0, s->J, n, 0.0, s->N, n);
    for (int i = 0; i < n; ++i) s->N[(size_t)i * (size_t)n + (size_t)i] += s->lambda;
    ++s->run->report->factorizations;
    if (ts_cholesky_factor(n, s->N)) break;
    if (s->lambda >= damping_largest) return false;
    s->lambda *= damping_factor;
  }
  for (int i = 0; i < n; ++i) s->step[i] = -s->gradient[i];
  ts_cholesky_solve(n, s->N, s->step);
  return true;
}

static double gradient_reach(dogleg *s)
{
  const int n = s->n;
  const double g = cblas_dnrm2(n, s->gradient, 1);
  cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1.0, s->J, n, s->gradient, 1, 0.0, s->leg, 1);
  const double curvature = cblas_dnrm2(n, s->leg, 1);
  const double quadratic = curvature > 0.0 ? g * g / (curvature * curvature) : 0.0;
  return 4.0 * fmax(quadratic, cblas_dnrm2(n, s->step, 1) / g);
}

// x becomes lower point of the two searches; returns the step
static double dogleg_step(dogleg *s)
{
  const int n = s->n;
  const double reach = gradient_reach(s);
  for (int i = 0; i < n; ++i) s->gradient[i] = -s->gradient[i];
  const ts_ray_point cauchy = ts_ray_minimize(&s->ray, s->x, s->gradient, reach);
  for (int i = 0; i < n; ++i) {
    s->trial[i] = s->x[i] + cauchy.t * s->gradient[i];
    s->leg[i] = s->x[i] + s->step[i] - s->trial[i];
  }
  const ts_ray_point leg = ts_ray_minimize(&s->ray, s->trial, s->leg, 1.0);
  for (int i = 0; i < n; ++i) s->x[i] = s->trial[i] + leg.t * s->leg[i];
  return leg.t;
}

static bool iterate(dogleg *s)
{
  const int n = s->n;
  const double before = s->psi;
  if (!newton_step(s)) return false;
  for (int i = 0; i < n; ++i) s->trial[i] = s->x[i] + s->step[i];
  s->trial_psi = evaluate(s, s->trial, s->trial_phi);
  double t = 1.0;
  const double used = s->lambda;
  if (s->trial_psi <= newton_drop * s->psi) {
    memcpy(s->x, s->trial, (size_t)n * sizeof *s->x);
    s->lambda = fmax(s->lambda / damping_factor, damping_smallest);
  } else {
    t = dogleg_step(s);
    s->lambda = fmin(s->lambda * damping_factor, damping_largest);
  }
  arrive(s);
  ts_run_record(s->run, s->measure, t, used, ts_mncp_active(s->mncp, s->x));
  s->idle = s->psi > idle_drop * before ? s->idle + 1 : 0;
  return s->idle < IDLE_LIMIT;
}

// ---- starts

static void sweep(const ts_mncp *m, double *f, double *u)
{
  const int n = m->size, nb = m->bilaterals, d = m->dimension;
  for (int k = 0; k < nb; ++k) {
    const double diagonal = m->A[(size_t)k * (size_t)n + (size_t)k];
    if (diagonal <= 0.0) continue;
    const double change = -u[k] / diagonal;
    f[k] += change;
    cblas_daxpy(n, change, m->A + (size_t)k * (size_t)n, 1, u, 1);
  }
  for (int i = 0; i < m->contacts; ++i) {
    const int at = nb + i * d;
    double z[TS_MNCP_MAX_DIMENSION], F[TS_MNCP_MAX_DIMENSION];
    const double *block = m->A + (size_t)at * (size_t)n + (size_t)at;
    const double normal = block[0];
    double trace = 0.0;
    for (int k = 1; k < d; ++k) trace += block[(size_t)k * (size_t)n + (size_t)k];
    if (normal <= 0.0) continue;
    const double fn = fmax(0.0, f[at] - u[at] / normal);
    cblas_daxpy(n, fn - f[at], m->A + (size_t)at * (size_t)n, 1, u, 1);
    f[at] = fn;
    z[0] = -fn;
    for (int k = 1; k < d; ++k) z[k] = (trace > 0.0 ? u[at + k] / trace : 0.0) - f[at + k];
    ts_contact_force(ts_contact_mode_of(z, m->mu[i], d), z, m->mu[i], d, F);
    for (int k = 1; k < d; ++k) {
      cblas_daxpy(n, F[k] - f[at + k], m->A + (size_t)(at + k) * (size_t)n, 1, u, 1);
      f[at + k] = F[k];
    }
  }
}

static void smooth(dogleg *s, int sweeps)
{
  const int n = s->n;
  double *f = s->trial, *u = s->trial_phi;
  ts_mncp_force(s->mncp, s->x, f);
  memcpy(u, s->mncp->b, (size_t)n * sizeof *u);
  cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1.0, s->mncp->A, n, f, 1, 1.0, u, 1);
  for (int k = 0; k < sweeps; ++k) sweep(s->mncp, f, u);
  for (int i = 0; i < n; ++i) s->x[i] = i < s->mncp->bilaterals ? f[i] : u[i] - f[i];
}

static void restart(dogleg *s)
{
  ++s->starts;
  if (s->starts % 2)
    memcpy(s->x, s->best, (size_t)s->n * sizeof *s->x);
  else
    for (int i = 0; i < s->n; ++i) s->x[i] = ts_random_normal(&s->random);
  smooth(s, SWEEPS);
  s->lambda = damping_start;
  s->idle = 0;
  arrive(s);
  ts_run_record(s->run, s->measure, 0.0, 0.0, ts_mncp_active(s->mncp, s->x));
}

static ts_outcome solve(const ts_problem *problem, ts_run *run, double *z)
{
  ts_mncp mncp;
  dogleg s;
  ts_mncp_init(&mncp, &problem->friction, run->options->impulse_scale, run->arena);
  dogleg_init(&s, &mncp, run);
  if (run->options->warm_start)
    ts_mncp_start_at(&mncp, z, s.x);
  else
    ts_mncp_start_stick(&mncp, s.x, run->arena);
  arrive(&s);
  ts_outcome outcome = TS_ITERATION_LIMIT;
  const int first = run->report->iterations;
  while (s.best_measure > 0.5 * run->options->tolerance && run->report->iterations - first < run->limit) {
    if (ts_run_out_of_time(run)) {
      outcome = TS_TIME_LIMIT;
      break;
    }
    if (!iterate(&s)) restart(&s);
  }
  ts_mncp_recover(&mncp, s.best, z);
  run->report->claimed = s.best_measure;
  return s.best_measure <= 0.5 * run->options->tolerance ? TS_SOLVED : outcome;
}

const ts_solver ts_solver_ncp_dogleg = {
    .name = "ncp-dogleg",
    .summary = "hybrid impulse-velocity variable, dogleg with edge-aware line searches (002)",
    .takes = TS_FRICTION,
    .limit = 100,
    .solve = solve,
};
