// Residuals measured from the problem's data alone. No solver calls into the formulas of this file and of
// friction_measures.c, and they call no solver: a shared mistake would certify itself. Definitions:
// docs/theory/residuals.md.
#include "touchstone/certificate.h"

#include "complementarity/problem/friction_measures.h"
#include "complementarity/solver.h"

#include "base/arena.h"
#include "math/finite.h"
#include "math/matrix.h"
#include "base/require.h"

#include <math.h>
#include <string.h>

// ---- bounds and affine maps ----------------------------------------------------------------------------------------

static double clamp(double x, double low, double high)
{
  return x < low ? low : x > high ? high : x; // keeps NAN
}

// Scale of row and variable i: s_i = 1/sqrt(c_i) with c_i the largest entry of row i and column i, so that S M S has
// entries of at most 1. Rows without entries take the scale of the largest row. In place: m holds c, then s.
static void symmetric_scale(double *m, int n)
{
  double largest = 0.0;
  for (int i = 0; i < n; ++i) largest = fmax(largest, m[i]);
  if (largest == 0.0) largest = 1.0;
  for (int i = 0; i < n; ++i) m[i] = 1.0 / sqrt(m[i] > 0.0 ? m[i] : largest);
}

// Natural map of the affine problem w = M z + q on [lower, upper] in scaled variables z/s, s w, over the size of the
// data: the scaled q, and the point of the box next to the origin. lower and upper may be NULL: [0, inf).
static double affine_residual(const ts_matrix *M, const double *w, const double *q, const double *lower,
                              const double *upper, const double *z, ts_arena *arena)
{
  const int n = M->rows;
  double *s = ts_arena_zeros(arena, (size_t)n);
  ts_matrix_row_and_column_maxima(M, s);
  symmetric_scale(s, n);
  double worst = 0.0, data = 0.0;
  for (int i = 0; i < n; ++i) {
    const double low = lower ? lower[i] : 0.0, high = upper ? upper[i] : (double)INFINITY;
    const double x = z[i] / s[i], y = s[i] * w[i];
    const double natural = fabs(x - clamp(x - y, low / s[i], high / s[i]));
    if (!(natural <= worst)) worst = natural; // keeps NAN
    data = fmax(data, fmax(fabs(s[i] * q[i]), fabs(clamp(0.0, low, high)) / s[i]));
  }
  if (isinf(data)) return INFINITY; // any error over it would be 0
  return data > 0.0 ? worst / data : worst;
}

static double linear_residual(const ts_matrix *M, const double *q, const double *lower, const double *upper,
                              const double *z, ts_arena *arena)
{
  double *w = ts_arena_doubles(arena, (size_t)M->rows);
  if (M->rows > 0) memcpy(w, q, (size_t)M->rows * sizeof *w);
  ts_matrix_multiply_add(M, 1.0, z, w);
  return affine_residual(M, w, q, lower, upper, z, arena);
}

// The MCP is measured as its linearization at z: M = J(z), q = F(z) - J(z) z. For an affine F that is the MLCP's
// figure.
static double mcp_residual(const ts_mcp *p, const double *z, ts_arena *arena)
{
  const size_t n = (size_t)p->size;
  ts_matrix J = {.rows = p->size, .columns = p->size, .start = p->start, .index = p->index};
  double *values = ts_arena_doubles(arena, ts_matrix_entries(&J));
  double *F = ts_arena_doubles(arena, n), *q = ts_arena_doubles(arena, n);
  if (p->evaluate(p->user, z, F) || p->jacobian(p->user, z, values)) return NAN;
  J.value = values;
  memcpy(q, F, n * sizeof *q);
  ts_matrix_multiply_add(&J, -1.0, z, q);
  return affine_residual(&J, F, q, p->lower, p->upper, z, arena);
}

// ---- entry points --------------------------------------------------------------------------------------------------

double ts_certify(const ts_problem *problem, const double *z, ts_team *team, ts_arena *arena,
                  ts_friction_measures *measures)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  double residual = NAN;
  *measures = (ts_friction_measures){0};
  if (!ts_all_finite(z, ts_problem_size(problem))) {
    measures->scaled = measures->fclib = NAN;
    return NAN;
  }
  switch (problem->type) {
  case TS_LCP:
    residual = linear_residual(&problem->lcp.M, problem->lcp.q, NULL, NULL, z, arena);
    break;
  case TS_MLCP: {
    const ts_mlcp *p = &problem->mlcp;
    residual = linear_residual(&p->M, p->q, p->lower, p->upper, z, arena);
    break;
  }
  case TS_MCP:
    residual = mcp_residual(&problem->mcp, z, arena);
    break;
  case TS_FRICTION:
    ts_measure_local_friction(&problem->friction, z, team, arena, measures);
    residual = measures->scaled;
    break;
  case TS_GLOBAL_FRICTION:
    ts_measure_global_friction(&problem->global, z, team, arena, measures);
    residual = measures->scaled;
    break;
  }
  ts_arena_restore(arena, mark);
  return residual;
}

// False when memory runs out.
static bool certify_with_own_memory(const ts_problem *problem, const double *z, double *residual,
                                    ts_friction_measures *measures)
{
  ts_arena arena;
  jmp_buf recovery;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  if (setjmp(recovery)) {
    ts_arena_release(&arena);
    return false;
  }
  *residual = ts_certify(problem, z, NULL, &arena, measures);
  ts_arena_release(&arena);
  return true;
}

double ts_problem_residual(const ts_problem *problem, const double *z)
{
  TS_REQUIRE(problem);
  TS_REQUIRE(z || ts_problem_size(problem) == 0);
  ts_friction_measures measures;
  double residual;
  return certify_with_own_memory(problem, z, &residual, &measures) ? residual : (double)INFINITY;
}

ts_status ts_friction_measure(const ts_problem *problem, const double *z, ts_friction_measures *measures)
{
  TS_REFUSE_UNLESS(problem, NULL);
  TS_REFUSE_UNLESS(z || ts_problem_size(problem) == 0, NULL);
  TS_REFUSE_UNLESS(measures, NULL);
  if (problem->type != TS_FRICTION && problem->type != TS_GLOBAL_FRICTION) return TS_INVALID;
  double residual;
  return certify_with_own_memory(problem, z, &residual, measures) ? TS_OK : TS_OUT_OF_MEMORY;
}
