// Projected Gauss-Seidel and projected over-relaxation (Cottle, Pang and Stone, section 5.2): for one i after the
// other,
//   z_i = mid(lower_i, z_i - omega w_i / M_ii, upper_i),  w = M z + q kept up to date.
// Converges for symmetric positive semidefinite M with positive diagonal (0 < omega < 2) where a solution exists, and
// for diagonally dominant M; elsewhere it may not. `pgs` has omega = 1, `psor` takes it from the options.
//
// w is updated by columns when z_i has changed: a variable that stays at its bound costs nothing, and no copy of M by
// rows is needed. A sweep costs one product with the columns that moved. The iteration does not depend on the scaling.
//
// Where M_ii is not positive the step is w_i over the size of row i, which is 1 after scaling: a projected fixed-point
// step, since there is nothing better to divide by.
#include "complementarity/linear/boxed.h"
#include "complementarity/solver.h"

#include <math.h>
#include <string.h>

enum {
  LIMIT = 20000,  // sweeps
  CHECK = 5,      // sweeps between looks at the residual
  REFRESH = 50,   // sweeps between computing w anew
  PATIENCE = 1000 // sweeps in which the residual has to fall
};

static const double SMALLEST_DIAGONAL = 1e-10;
static const double SAFETY = 0.1;       // of the tolerance: our scale differs from the certificate's by a small factor
static const double LEAST_GAIN = 0.99;  // the residual has to fall below this part of what it was PATIENCE sweeps ago
static const double DIVERGED = 1e12;    // residual at which to give up
static const double PSOR_DEFAULT = 1.3; // relaxation of psor

typedef struct sweeper {
  const ts_boxed *p;
  double *z, *w;
  double *step; // omega/M_ii
  double *best, residual;
} sweeper;

static double clamp(double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

static void update_w(sweeper *s)
{
  memcpy(s->w, s->p->q, (size_t)s->p->size * sizeof *s->w);
  ts_boxed_multiply_add(s->p, s->z, s->w);
}

static void sweep(sweeper *s)
{
  const ts_boxed *p = s->p;
  for (int i = 0; i < p->size; ++i) {
    const double moved = clamp(s->z[i] - s->step[i] * s->w[i], p->lower[i], p->upper[i]) - s->z[i];
    if (moved == 0.0) continue;
    s->z[i] += moved;
    ts_boxed_add_column(p, i, moved, s->w);
  }
}

// Largest component of the natural map with the present w. Remembers the best point.
static double look(sweeper *s)
{
  const ts_boxed *p = s->p;
  double worst = 0.0;
  for (int i = 0; i < p->size; ++i) {
    const double natural = fabs(s->z[i] - clamp(s->z[i] - s->w[i], p->lower[i], p->upper[i]));
    if (!(natural <= worst)) worst = natural;
  }
  if (worst < s->residual) {
    s->residual = worst;
    memcpy(s->best, s->z, (size_t)p->size * sizeof *s->best);
  }
  return worst;
}

static void init(sweeper *s, const ts_boxed *p, const ts_run *run, double omega, const double *z)
{
  const size_t n = (size_t)p->size;
  *s = (sweeper){.p = p, .residual = (double)INFINITY};
  s->z = ts_arena_zeros(run->arena, n);
  s->w = ts_arena_doubles(run->arena, n);
  s->step = ts_arena_doubles(run->arena, n);
  s->best = ts_arena_doubles(run->arena, n);
  if (run->options->warm_start) ts_boxed_scale(p, z, s->z);
  ts_boxed_clamp(p, s->z);
  memcpy(s->best, s->z, n * sizeof *s->best);
  for (int i = 0; i < p->size; ++i) {
    const double diagonal = ts_boxed_entry(p, i, i);
    s->step[i] = diagonal > SMALLEST_DIAGONAL ? omega / diagonal : 1.0;
  }
}

static ts_outcome iterate(sweeper *s, ts_run *run)
{
  const double goal = SAFETY * run->options->tolerance;
  double milestone = (double)INFINITY; // best residual PATIENCE sweeps ago
  update_w(s);
  double residual = look(s);
  for (int k = 1; k <= run->limit; ++k) {
    if (residual <= goal) return TS_SOLVED;
    if (!(residual < DIVERGED)) return TS_BROKE_DOWN;
    if (ts_run_out_of_time(run)) return TS_TIME_LIMIT;
    sweep(s);
    if (k % REFRESH == 0) update_w(s);
    if (k % CHECK == 0) residual = look(s);
    ts_run_record(run, residual, 0.0, 0.0, 0);
    if (k % PATIENCE != 0) continue;
    if (s->residual > LEAST_GAIN * milestone) return TS_STALLED;
    milestone = s->residual;
  }
  return look(s) <= goal ? TS_SOLVED : TS_ITERATION_LIMIT;
}

static ts_outcome solve_relaxed(const ts_problem *problem, ts_run *run, double omega, double *z)
{
  ts_boxed p;
  sweeper s;
  ts_boxed_init(&p, problem, run->arena);
  init(&s, &p, run, omega, z);
  const ts_outcome outcome = iterate(&s, run);
  run->report->claimed = s.residual;
  ts_boxed_unscale(&p, problem, s.best, z);
  return outcome;
}

static ts_outcome solve_pgs(const ts_problem *problem, ts_run *run, double *z)
{
  return solve_relaxed(problem, run, 1.0, z);
}

static ts_outcome solve_psor(const ts_problem *problem, ts_run *run, double *z)
{
  return solve_relaxed(problem, run, run->options->relaxation > 0.0 ? run->options->relaxation : PSOR_DEFAULT, z);
}

const ts_solver ts_solver_pgs = {
    .name = "pgs",
    .summary = "projected Gauss-Seidel (Cottle, Pang and Stone, section 5.2)",
    .takes = TS_LCP | TS_MLCP,
    .limit = LIMIT,
    .solve = solve_pgs,
};

const ts_solver ts_solver_psor = {
    .name = "psor",
    .summary = "projected successive over-relaxation (Cottle, Pang and Stone, section 5.2)",
    .takes = TS_LCP | TS_MLCP,
    .limit = LIMIT,
    .solve = solve_psor,
};
