// The friction polygon as an LCP, contact by contact r_n, beta, sigma. Bilateral rows are eliminated first:
// l = -R^-1 (V^T r + s) leaves u = (W - V R^-1 V^T) r + q - V R^-1 s.
#include "complementarity/problem/lowering.h"

#include "base/require.h"
#include "base/status.h"
#include "math/blas.h"
#include "math/dense.h"
#include "math/matrix.h"
#include "math/small_dense.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

// Factor R. False when it is singular to working accuracy: the impulses l are then not a function of r.
static bool factor_bilaterals(const ts_matrix *R, ts_arena *arena, ts_lowering *lowering)
{
  const size_t n = (size_t)R->rows;
  if (n > TS_SMALL_DENSE) ts_blas_prepare(arena);
  double *LU = ts_arena_doubles(arena, n * n);
  int *pivots = ts_arena_ints(arena, n);
  const ts_arena_mark mark = ts_arena_save(arena);
  double *work = ts_arena_doubles(arena, 4 * n), reciprocal = 0.0;
  int *integers = ts_arena_ints(arena, n);
  ts_matrix_to_dense(R, LU, n);
  const double norm = LAPACKE_dlange_work(LAPACK_COL_MAJOR, '1', R->rows, R->rows, LU, R->rows, work);
  const bool regular =
      ts_lu_factor(R->rows, LU, pivots) &&
      LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', R->rows, LU, R->rows, norm, &reciprocal, work, integers) == 0 &&
      reciprocal > 1e-14;
  ts_arena_restore(arena, mark);
  lowering->bilateral_LU = LU;
  lowering->bilateral_pivots = pivots;
  return regular;
}

// Every block of a contacts x contacts matrix present, with W in it.
static double *full_blocks(const ts_block_matrix *W, ts_arena *arena, ts_block_matrix *full)
{
  const int n = W->rows;
  const size_t count = (size_t)n * (size_t)n, block = (size_t)(W->block * W->block);
  int *start = ts_arena_ints(arena, (size_t)n + 1), *index = ts_arena_ints(arena, count);
  double *value = ts_arena_zeros(arena, count * block);
  for (int i = 0; i < n; ++i) {
    start[i] = i * n;
    for (int j = 0; j < n; ++j) index[i * n + j] = j;
    for (int k = W->start[i]; k < W->start[i + 1]; ++k)
      memcpy(value + (size_t)(i * n + W->index[k]) * block, W->value + (size_t)k * block, block * sizeof *value);
  }
  start[n] = n * n;
  *full = (ts_block_matrix){n, W->block, start, index, value};
  return value;
}

// The friction problem that is left when l is eliminated.
static ts_friction eliminate_bilaterals(const ts_friction *p, const ts_lowering *lowering, ts_arena *arena)
{
  ts_friction reduced = *p;
  const int d = p->dimension, m = d * p->contacts, n = p->contacts;
  double *W = full_blocks(&p->W, arena, &reduced.W), *q = ts_arena_doubles(arena, (size_t)m);
  const ts_arena_mark mark = ts_arena_save(arena);
  double *unit = ts_arena_zeros(arena, (size_t)m), *x = ts_arena_doubles(arena, (size_t)p->bilaterals);
  double *column = ts_arena_doubles(arena, (size_t)m);
  memcpy(q, p->q, (size_t)m * sizeof *q);
  memcpy(x, p->s, (size_t)p->bilaterals * sizeof *x);
  ts_lu_solve(p->bilaterals, lowering->bilateral_LU, lowering->bilateral_pivots, x);
  ts_matrix_multiply_add(&p->V, -1.0, x, q);
  for (int c = 0; c < m; ++c) { // column c of V R^-1 V^T
    unit[c] = 1.0;
    memset(x, 0, (size_t)p->bilaterals * sizeof *x);
    memset(column, 0, (size_t)m * sizeof *column);
    ts_matrix_transpose_multiply_add(&p->V, 1.0, unit, x);
    ts_lu_solve(p->bilaterals, lowering->bilateral_LU, lowering->bilateral_pivots, x);
    ts_matrix_multiply_add(&p->V, 1.0, x, column);
    for (int r = 0; r < m; ++r)
      W[(size_t)(r / d * n + c / d) * (size_t)(d * d) + (size_t)(c % d * d + r % d)] -= column[r];
    unit[c] = 0.0;
  }
  ts_arena_restore(arena, mark);
  reduced.bilaterals = 0;
  reduced.q = q;
  reduced.bodies = NULL;
  return reduced;
}

static void recover(const ts_lowering *lowering, const double *lowered, double *original)
{
  const ts_friction *p = &lowering->original;
  double *l = original + p->dimension * p->contacts;
  ts_friction_polygon_impulse(p, &lowering->polygon, &lowering->order, lowered, original);
  if (p->bilaterals == 0) return;
  for (int k = 0; k < p->bilaterals; ++k) l[k] = -p->s[k];
  ts_matrix_transpose_multiply_add(&p->V, -1.0, original, l);
  ts_lu_solve(p->bilaterals, lowering->bilateral_LU, lowering->bilateral_pivots, l);
}

static void start(const ts_lowering *lowering, const double *original, double *lowered)
{
  const ts_friction *p = &lowering->original;
  ts_contact_velocity(p, original, original + p->dimension * p->contacts, lowering->velocity);
  ts_friction_polygon_decompose(p, &lowering->polygon, &lowering->order, original, lowering->velocity, lowered);
}

ts_status ts_lower_to_lcp_into(const ts_friction *problem, const ts_friction_polygon_options *options, ts_arena *arena,
                               ts_lowering *lowering, ts_error *error)
{
  ts_lowering_init(problem, arena, lowering);
  TS_TRY(ts_friction_polygon_choose(problem, options, arena, &lowering->polygon, error));
  lowering->order = (ts_friction_polygon_order){0, problem->contacts, lowering->polygon.directions, false};
  lowering->recover = recover;
  lowering->start = start;
  ts_friction reduced = *problem;
  reduced.bilaterals = 0;
  if (problem->bilaterals > 0) {
    if (!factor_bilaterals(&problem->R, arena, lowering))
      return ts_fail(error, TS_UNSUPPORTED, "R is singular: the bilateral rows cannot be eliminated, lower to an MLCP");
    if ((double)problem->contacts * problem->contacts > INT_MAX)
      return ts_fail(error, TS_UNSUPPORTED, "without bilateral rows W has more blocks than an int counts");
    if (problem->contacts > 0) reduced = eliminate_bilaterals(problem, lowering, arena);
  }
  ts_lcp lcp = {.size = ts_friction_polygon_size(&lowering->order)};
  TS_TRY(ts_friction_polygon_assemble(&reduced, &lowering->polygon, &lowering->order, arena, &lcp.M, &lcp.q, error));
  lowering->problem = ts_problem_lcp(lcp);
  return TS_OK;
}

ts_status ts_lower_to_lcp(const ts_friction *problem, int directions, const double *slip, ts_lowering **lowering,
                          ts_error *error)
{
  TS_REFUSE_UNLESS(lowering, error);
  *lowering = NULL;
  TS_REFUSE_UNLESS(problem, error);
  const ts_friction_polygon_options options = {directions, slip};
  return ts_lowering_create(problem, ts_lower_to_lcp_into, &options, lowering, error);
}
