#include "complementarity/newton/levenberg_marquardt.h"

#include "complementarity/newton/damped_step.h"

#include "math/matrix.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

// ---- what both methods share ---------------------------------------------------------------------------------------

// A point of the iteration with what is known about it.
typedef struct point {
  double *x, *phi, psi;
} point;

typedef struct descent {
  const ts_equations *equations;
  ts_run *run;
  int n;
  point current, trial;
  ts_matrix J;
  double *values; // of J
  ts_damped_step system;
  double *step;
  double *best; // point of the smallest measure, with
  double measure, best_measure;
  double reference; // psi at the last time it had fallen enough
  int idle;         // iterations since
} descent;

enum { PATIENCE = 40 }; // iterations in which psi has to fall by a tenth before the method counts as stalled

static const double SMALLEST_STEP = 1e-16; // relative to the point: nothing moves beyond round-off (corrections.md 6)

static point point_create(ts_arena *arena, size_t n)
{
  return (point){ts_arena_doubles(arena, n), ts_arena_doubles(arena, n), INFINITY};
}

// psi is infinite where phi is not defined or overflows, so that no step leads there.
static void evaluate(const descent *s, point *p)
{
  p->psi = INFINITY;
  if (!s->equations->residual(s->equations->user, p->x, p->phi)) return;
  const double psi = 0.5 * cblas_ddot(s->n, p->phi, 1, p->phi, 1);
  if (isfinite(psi)) p->psi = psi;
}

static void measure_current(descent *s)
{
  s->measure = s->equations->measure(s->equations->user, s->current.x, s->current.phi);
  if (!(s->measure < s->best_measure)) return;
  s->best_measure = s->measure;
  memcpy(s->best, s->current.x, (size_t)s->n * sizeof *s->best);
}

// False when phi is not defined at the start.
static bool descent_init(descent *s, const ts_equations *equations, ts_damped_method method, ts_run *run, double *x)
{
  const size_t n = (size_t)equations->size;
  *s = (descent){.equations = equations, .run = run, .n = equations->size, .best = x, .best_measure = INFINITY};
  s->current = point_create(run->arena, n);
  s->trial = point_create(run->arena, n);
  s->J = (ts_matrix){equations->size, equations->size, equations->start, equations->index, NULL};
  s->J.value = s->values = ts_arena_doubles(run->arena, ts_matrix_entries(&s->J));
  s->step = ts_arena_doubles(run->arena, n);
  ts_damped_step_init(&s->system, &s->J, method, run->arena);
  memcpy(s->current.x, x, n * sizeof *x);
  evaluate(s, &s->current);
  s->reference = s->current.psi;
  if (!isfinite(s->current.psi)) return false;
  measure_current(s);
  return true;
}

static bool converged(const descent *s)
{
  return s->best_measure <= 0.5 * s->run->options->tolerance;
}

static bool satisfied(const descent *s)
{
  return converged(s) && (s->equations->enough == 0.0 || sqrt(2.0 * s->current.psi) <= s->equations->enough);
}

// J and the gradient of psi at the current point. False when J does not exist or is not finite.
static bool linearize(descent *s)
{
  if (!s->equations->jacobian(s->equations->user, s->current.x, s->values)) return false;
  ts_damped_step_load(&s->system, &s->J, s->current.phi);
  for (int i = 0; i < s->n; ++i)
    if (!isfinite(s->system.gradient[i])) return false;
  return true;
}

static bool solve_for_step(descent *s, double lambda)
{
  ++s->run->report->factorizations;
  return ts_damped_step_solve(&s->system, lambda, s->current.phi, s->step);
}

static void try_step(descent *s, const double *direction, double length)
{
  for (int i = 0; i < s->n; ++i) s->trial.x[i] = s->current.x[i] + length * direction[i];
  evaluate(s, &s->trial);
}

static void accept_trial(descent *s)
{
  const point old = s->current;
  s->current = s->trial;
  s->trial = old;
  measure_current(s);
}

static bool negligible(const descent *s, const double *direction, double length)
{
  return length * cblas_dnrm2(s->n, direction, 1) <= SMALLEST_STEP * cblas_dnrm2(s->n, s->current.x, 1);
}

static bool idle_too_long(descent *s)
{
  if (s->current.psi <= 0.9 * s->reference) {
    s->reference = s->current.psi;
    s->idle = 0;
  } else {
    ++s->idle;
  }
  return s->idle >= PATIENCE;
}

static void record(descent *s, double length, double lambda)
{
  ts_run_record(s->run, s->measure, length, lambda, 0);
}

static ts_outcome finish(descent *s, ts_outcome outcome)
{
  s->run->report->claimed = s->best_measure;
  return converged(s) ? TS_SOLVED : outcome;
}

// ---- regular -------------------------------------------------------------------------------------------------------

// 000's parameters. The largest is ours: there the step is a gradient step too short to matter.
static const double RLM_LAMBDA = 1e-3, RLM_FACTOR = 20.0, RLM_SMALLEST = 1e-25, RLM_LARGEST = 1e20;
static const double RLM_POOR = 0.3, RLM_GOOD = 0.8;

// Step and the reduction that the model promises: with (J^T J + lambda I) dx = -g it is (lambda |dx|^2 - g.dx)/2. False
// when the system is singular to working precision.
static bool damped_step(descent *s, double lambda, double *promised)
{
  if (!solve_for_step(s, lambda)) return false;
  const double along = cblas_ddot(s->n, s->system.gradient, 1, s->step, 1);
  *promised = 0.5 * (lambda * cblas_ddot(s->n, s->step, 1, s->step, 1) - along);
  return *promised > 0.0;
}

// Actual over promised reduction; a step that is not defined or not finite counts as a rise.
static double agreement(descent *s, double promised)
{
  try_step(s, s->step, 1.0);
  return isfinite(s->trial.psi) ? (s->current.psi - s->trial.psi) / promised : -1.0;
}

// One iteration; *fresh says whether J belongs to the current point. False when the method cannot go on.
static bool regular_iteration(descent *s, double *lambda, bool *fresh)
{
  if (!*fresh && !linearize(s)) return false;
  *fresh = true;
  double promised;
  const double used = *lambda;
  const bool possible = damped_step(s, used, &promised);
  const double ratio = possible ? agreement(s, promised) : -1.0;
  const bool stuck = (possible && negligible(s, s->step, 1.0)) || used >= RLM_LARGEST;
  if (ratio < RLM_POOR) *lambda = fmin(used * RLM_FACTOR, RLM_LARGEST);
  if (ratio > RLM_GOOD) *lambda = fmax(used / RLM_FACTOR, RLM_SMALLEST);
  if (ratio > 0.0) {
    accept_trial(s);
    *fresh = false;
  }
  record(s, ratio > 0.0 ? 1.0 : 0.0, used);
  return !stuck;
}

ts_outcome ts_levenberg_marquardt_regular(const ts_equations *equations, ts_run *run, double *x)
{
  descent s;
  if (!descent_init(&s, equations, TS_NORMAL_EQUATIONS, run, x)) return finish(&s, TS_BROKE_DOWN);
  double lambda = run->options->damping > 0.0 ? run->options->damping : RLM_LAMBDA;
  bool fresh = false;
  for (int k = 0; k < run->limit && !satisfied(&s); ++k) {
    if (ts_run_out_of_time(run)) return finish(&s, TS_TIME_LIMIT);
    if (!regular_iteration(&s, &lambda, &fresh) || idle_too_long(&s)) return finish(&s, TS_STALLED);
  }
  return finish(&s, TS_ITERATION_LIMIT);
}

// ---- projected -----------------------------------------------------------------------------------------------------

enum {
  MEMORY = 10,   // iterations the non-monotone line search looks back over
  WATCHDOG = 25, // iterations in which the best psi has to halve, else back to it and monotone from there
};

static const double PLM_LAMBDA = 1e-16;
static const double ARMIJO = 1e-4, BACKTRACK = 0.5, SHORTEST = 1e-12;
static const double LEAST_ANGLE = 1e-12; // of step and gradient; flatter ones are no descent beyond round-off

typedef struct look_back {
  bool monotone;
  double past[MEMORY]; // the last psi, a ring
  int count;
  double *best, best_psi, watched; // lowest point, its psi, and the psi at the last time the watchdog was content
  int since;                       // iterations since then
} look_back;

static void forget(look_back *memory, double psi)
{
  memory->past[0] = psi;
  memory->count = 1;
}

static void remember(look_back *memory, double psi)
{
  memory->past[memory->count++ % MEMORY] = psi;
}

static double allowed_level(const look_back *memory, double psi)
{
  if (memory->monotone) return psi;
  const int kept = memory->count < MEMORY ? memory->count : MEMORY;
  double level = psi;
  for (int k = 0; k < kept; ++k) level = fmax(level, memory->past[k]);
  return level;
}

// Slope of psi along the step; where the step is no descent, the negative gradient takes its place.
static double descend(descent *s, bool step_exists)
{
  const int n = s->n;
  const double *gradient = s->system.gradient;
  const double size = cblas_dnrm2(n, gradient, 1);
  if (step_exists) {
    const double slope = cblas_ddot(n, gradient, 1, s->step, 1);
    if (slope < -LEAST_ANGLE * size * cblas_dnrm2(n, s->step, 1)) return slope;
  }
  for (int i = 0; i < n; ++i) s->step[i] = -gradient[i];
  return -size * size;
}

// Longest t = 1, 1/2, 1/4, ... with psi(x + t dx) <= level + armijo t slope; 0 when there is none.
static double line_search(descent *s, double level, double slope)
{
  for (double t = 1.0; t >= SHORTEST; t *= BACKTRACK) {
    try_step(s, s->step, t);
    if (s->trial.psi <= level + ARMIJO * t * slope) return t;
    if (negligible(s, s->step, t)) break;
  }
  return 0.0;
}

static void return_to_best(descent *s, look_back *memory)
{
  memcpy(s->current.x, memory->best, (size_t)s->n * sizeof *memory->best);
  evaluate(s, &s->current);
  measure_current(s);
  memory->monotone = true;
  memory->since = 0;
  memory->watched = memory->best_psi;
}

// Keep the lowest point; after a drought go back to it and forbid rises until psi has halved.
static void watch(descent *s, look_back *memory, bool may_relax)
{
  remember(memory, s->current.psi);
  if (s->current.psi < memory->best_psi) {
    memory->best_psi = s->current.psi;
    memcpy(memory->best, s->current.x, (size_t)s->n * sizeof *memory->best);
  }
  if (memory->best_psi <= 0.5 * memory->watched) {
    memory->watched = memory->best_psi;
    memory->since = 0;
    if (may_relax && memory->monotone) {
      memory->monotone = false;
      forget(memory, s->current.psi);
    }
  } else if (++memory->since >= WATCHDOG && !memory->monotone) {
    return_to_best(s, memory);
  }
}

// The gradient where the step failed; then, if rises were allowed, from the best point again. 0 when all is tried.
static double last_resorts(descent *s, look_back *memory)
{
  const double t = line_search(s, s->current.psi, descend(s, false));
  if (t > 0.0 || memory->monotone) return t;
  return_to_best(s, memory);
  if (!linearize(s)) return 0.0;
  return line_search(s, s->current.psi, descend(s, false));
}

ts_outcome ts_levenberg_marquardt_projected(const ts_equations *equations, ts_run *run, double *x)
{
  descent s;
  if (!descent_init(&s, equations, TS_STACKED_QR, run, x)) return finish(&s, TS_BROKE_DOWN);
  const size_t n = (size_t)s.n;
  const double lambda = run->options->damping > 0.0 ? run->options->damping : PLM_LAMBDA;
  const bool may_relax = run->options->line_search == TS_NONMONOTONE;
  look_back memory = {.monotone = !may_relax, .best = ts_arena_doubles(run->arena, n)};
  memory.best_psi = memory.watched = s.current.psi;
  memcpy(memory.best, s.current.x, n * sizeof *memory.best);
  forget(&memory, s.current.psi);
  for (int k = 0; k < run->limit && !satisfied(&s); ++k) {
    if (ts_run_out_of_time(run)) return finish(&s, TS_TIME_LIMIT);
    if (!linearize(&s)) return finish(&s, TS_STALLED);
    const double slope = descend(&s, solve_for_step(&s, lambda));
    double t = line_search(&s, allowed_level(&memory, s.current.psi), slope);
    if (t == 0.0) t = last_resorts(&s, &memory);
    if (t > 0.0) accept_trial(&s);
    record(&s, t, lambda);
    if (t == 0.0 || idle_too_long(&s)) return finish(&s, TS_STALLED);
    watch(&s, &memory, may_relax);
  }
  return finish(&s, TS_ITERATION_LIMIT);
}
