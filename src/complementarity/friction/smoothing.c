#include "complementarity/friction/smoothing.h"

#include <math.h>
#include <string.h>

enum { MAX_D = 4 };

// Below this friction the normal variable mu r_n carries no information: such contacts count as frictionless.
static const double LEAST_FRICTION = 1e-8;

void ts_smoothing_init(ts_smoothing *s, const ts_cone_problem *p, double gamma, ts_arena *arena)
{
  *s = (ts_smoothing){.p = p,
                      .impulse = ts_arena_zeros(arena, p->length),
                      .velocity = ts_arena_zeros(arena, p->length),
                      .gamma = gamma};
  double size = 0.0;
  for (int i = 0; i < p->contacts; ++i) {
    const double *block = p->W + (size_t)p->diagonal[i] * (size_t)(p->stride * p->d);
    const double lean = p->mu[i] > LEAST_FRICTION ? 1.0 / p->mu[i] : 1.0;
    double trace = lean * lean * block[0];
    for (int k = 1; k < p->d; ++k) trace += block[k * p->stride + k];
    const double t = trace > 0.0 ? sqrt(p->d / trace) : 1.0;
    for (int k = 0; k < p->d; ++k) {
      const size_t at = (size_t)i * (size_t)p->stride + (size_t)k;
      s->impulse[at] = k == 0 ? t * lean : t;
      size += s->impulse[at] * p->q[at] * s->impulse[at] * p->q[at];
    }
  }
  size = size > 0.0 ? sqrt(size) : 1.0;
  for (size_t k = 0; k < p->length; ++k) {
    s->velocity[k] = s->impulse[k] / size;
    s->impulse[k] *= size;
    s->largest_data = fmax(s->largest_data, fabs(s->velocity[k] * p->q[k]));
  }
}

void ts_smoothing_point(const ts_smoothing *s, const double *z, double *r, double *u)
{
  for (size_t k = 0; k < s->p->length; ++k) r[k] = s->impulse[k] * z[k];
  ts_cone_velocity(s->p, r, u);
}

// p(l) and p'(l), without cancellation for l < 0.
static inline double smooth_plus(double l, double eps, double *slope)
{
  const double root = sqrt(l * l + 4.0 * eps * eps);
  const double value = l >= 0.0 ? 0.5 * (l + root) : 2.0 * eps * eps / (root - l);
  *slope = value / root;
  return value;
}

// P_eps(x) and its derivative.
static inline void smooth_projection(int d, double eps, const double *x, double *P, double *DP)
{
  double tangent = 0.0, w[MAX_D] = {0}, slope1, slope2;
  for (int k = 1; k < d; ++k) tangent += x[k] * x[k];
  tangent = sqrt(tangent);
  const double p1 = smooth_plus(x[0] - tangent, eps, &slope1), p2 = smooth_plus(x[0] + tangent, eps, &slope2);
  for (int k = 1; k < d; ++k) w[k] = tangent > 0.0 ? x[k] / tangent : 0.0;
  const double mean = 0.5 * (slope2 + slope1), half = 0.5 * (slope2 - slope1);
  const double across = tangent > 0.0 ? (p2 - p1) / (2.0 * tangent) : mean;
  P[0] = 0.5 * (p1 + p2);
  DP[0] = mean;
  for (int r = 1; r < d; ++r) {
    P[r] = 0.5 * (p2 - p1) * w[r];
    DP[r] = DP[r * d] = half * w[r];
    for (int c = 1; c < d; ++c) DP[c * d + r] = (r == c ? across : 0.0) + (mean - across) * w[r] * w[c];
  }
}

// The frictionless law: the normal impulse alone.
static inline void smooth_normal(int d, double eps, const double *x, double *P, double *DP)
{
  double slope;
  memset(P, 0, (size_t)d * sizeof *P);
  memset(DP, 0, (size_t)(d * d) * sizeof *DP);
  P[0] = smooth_plus(x[0], eps, &slope);
  DP[0] = slope;
}

double ts_smoothing_map(const ts_smoothing *s, double eps, const double *z, const double *u, double *F,
                        ts_newton_system *system)
{
  const ts_cone_problem *p = s->p;
  const int d = p->d;
  const double g = s->gamma * eps;
  double norm = 0.0;
  for (int i = 0; i < p->contacts; ++i) {
    const size_t at = (size_t)i * (size_t)p->stride;
    const double *zi = z + at;
    double v[MAX_D], x[MAX_D] = {0}, P[MAX_D], DP[MAX_D * MAX_D], slip = 0.0;
    for (int k = 0; k < d; ++k) v[k] = s->velocity[at + (size_t)k] * u[at + (size_t)k];
    for (int k = 1; k < d; ++k) slip += v[k] * v[k];
    const bool rough = p->mu[i] > LEAST_FRICTION;
    const double length = sqrt(slip + g * g);
    for (int k = 0; k < d; ++k) x[k] = zi[k] - v[k];
    if (rough) {
      x[0] -= slip > 0.0 ? slip / (length + g) : 0.0; // sqrt(|u_t|^2 + g^2) - g without cancellation
      smooth_projection(d, eps, x, P, DP);
    } else {
      smooth_normal(d, eps, x, P, DP);
    }
    for (int k = 0; k < d; ++k) {
      F[at + (size_t)k] = zi[k] - P[k];
      norm += F[at + (size_t)k] * F[at + (size_t)k];
    }
    for (int k = d; k < p->stride; ++k) F[at + (size_t)k] = 0.0;
    if (!system) continue;
    double *A = ts_newton_system_A(system, i), *B = ts_newton_system_B(system, i);
    for (int c = 0; c < d; ++c) {
      const double lean = rough && c > 0 && length > 0.0 ? v[c] / length : 0.0;
      const double ja = 1.0 / s->impulse[at + (size_t)c], jb = s->velocity[at + (size_t)c];
      for (int r = 0; r < d; ++r) {
        A[c * d + r] = ((r == c ? 1.0 : 0.0) - DP[c * d + r]) * ja;
        B[c * d + r] = (DP[c * d + r] + lean * DP[r]) * jb;
      }
    }
  }
  return sqrt(norm);
}

// ---- walking -------------------------------------------------------------------------------------------------------

// Regularization of the Newton matrices along the path.
static const double SHIFT = 1e-9;

enum { MOST_CENTRING_STEPS = 8 };

void ts_path_walk_init(ts_path_walk *walk, ts_cone_state *state, double gamma, double *eps)
{
  ts_arena *arena = state->run->arena;
  const size_t length = state->p->length;
  *walk = (ts_path_walk){.state = state,
                         .z = ts_arena_zeros(arena, length),
                         .r = ts_arena_doubles(arena, length),
                         .u = ts_arena_doubles(arena, length),
                         .F = ts_arena_doubles(arena, length),
                         .trial = ts_arena_zeros(arena, length),
                         .step = ts_arena_doubles(arena, length)};
  ts_smoothing_init(&walk->smoothing, state->p, gamma, arena);
  *eps = walk->smoothing.largest_data > 0.0 ? walk->smoothing.largest_data : 1.0;
  for (int i = 0; i < state->p->contacts; ++i) walk->z[(size_t)i * (size_t)state->p->stride] = *eps;
}

double ts_path_evaluate(ts_path_walk *walk, double eps, const double *z, ts_newton_system *system)
{
  ts_smoothing_point(&walk->smoothing, z, walk->r, walk->u);
  return ts_smoothing_map(&walk->smoothing, eps, z, walk->u, walk->F, system);
}

void ts_path_solve(const ts_path_walk *walk, const double *b, double *step)
{
  const size_t length = walk->state->p->length;
  const double *impulse = walk->smoothing.impulse;
  for (size_t k = 0; k < length; ++k) step[k] = -b[k];
  ts_newton_system_solve(walk->state->system, step); // a step in r
  for (size_t k = 0; k < length; ++k) step[k] = impulse[k] > 0.0 ? step[k] / impulse[k] : 0.0;
}

bool ts_path_factor(ts_path_walk *walk, double eps, const double *z, double *norm)
{
  ts_newton_system *system = ts_cone_system(walk->state);
  *norm = ts_path_evaluate(walk, eps, z, system);
  ++walk->state->run->report->factorizations;
  return ts_newton_system_factor(system, SHIFT);
}

// One damped Newton step at fixed eps. Returns its length, 0 when none was found; *norm is |F| before and after.
static double newton_step(ts_path_walk *walk, double eps, double *norm)
{
  if (!ts_path_factor(walk, eps, walk->z, norm)) return 0.0;
  ts_path_solve(walk, walk->F, walk->step);
  for (double t = 1.0; t > 1e-3; t *= 0.5) {
    for (size_t k = 0; k < walk->state->p->length; ++k) walk->trial[k] = walk->z[k] + t * walk->step[k];
    const double trial = ts_path_evaluate(walk, eps, walk->trial, NULL);
    if (trial <= (1.0 - 1e-4 * t) * *norm) {
      double *swap = walk->z;
      walk->z = walk->trial;
      walk->trial = swap;
      *norm = trial;
      return t;
    }
  }
  return 0.0;
}

int ts_path_centre(ts_path_walk *walk, double eps, double centring)
{
  const double enough = centring * eps * sqrt((double)walk->state->p->contacts);
  double norm = ts_path_evaluate(walk, eps, walk->z, NULL);
  int steps = 0;
  for (int budget = MOST_CENTRING_STEPS; norm > enough || (steps == 0 && norm > 0.0); ++steps) {
    if (budget <= 0 || ts_run_is_over(walk->state->run)) return -1;
    const double taken = newton_step(walk, eps, &norm);
    if (taken == 0.0) return norm <= enough ? steps : -1;
    budget -= taken < 0.1 ? 2 : 1;
    ts_run_record(walk->state->run, norm, taken, eps, 0);
  }
  return isfinite(norm) ? steps : -1; // NAN passes every test above, and would walk on for ever with an infinite eps
}
