#include "complementarity/newton/damped_step.h"

#include "math/dense.h"
#include "math/matrix.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

// A damping that changes the step by less than this part is left out.
static const double NEGLIGIBLE = 1e-8;

static bool is_sparse(const ts_damped_step *step)
{
  return step->augmented.start != NULL;
}

// ---- sparse: the augmented system ----------------------------------------------------------------------------------

// With r = -(J d + phi)/a the minimum satisfies J d + a r = -phi and -(lambda/a) d + J^T r = 0. The matrix is sparse
// where J^T J need not be, and for a near the smallest singular value of J its condition is that of J (Bjorck 1996,
// sec. 7.7). Written with J and J^T on the diagonal rather than in the symmetric form, its pivots are found on the
// diagonal where J has them there, and the order that AMD plans survives: 900 unknowns on a grid factor 20 times
// faster.
static void make_augmented_pattern(ts_damped_step *step, const ts_matrix *J, ts_arena *arena)
{
  const int n = J->columns, entries = J->start[n];
  const size_t size = (size_t)n, total = 2 * (size_t)entries + 2 * size;
  int *start = ts_arena_ints(arena, 2 * size + 1), *index = ts_arena_ints(arena, total);
  int *next = ts_arena_ints(arena, size);
  step->into_first = ts_arena_ints(arena, (size_t)entries);
  step->into_second = ts_arena_ints(arena, (size_t)entries);
  step->into_coupling = ts_arena_ints(arena, 2 * size);

  // Columns 0..n-1: column j of J, then row n + j; columns n..2n-1: row i, then row i of J as a column.
  memset(start, 0, (2 * size + 1) * sizeof *start);
  for (int k = 0; k < entries; ++k) ++start[n + J->index[k] + 1];
  for (int j = 0; j < n; ++j) {
    start[j + 1] = J->start[j + 1] - J->start[j] + 1;
    ++start[n + j + 1];
  }
  for (int j = 0; j < 2 * n; ++j) start[j + 1] += start[j];
  for (int i = 0; i < n; ++i) {
    step->into_coupling[n + i] = start[n + i];
    index[start[n + i]] = i;
    next[i] = start[n + i] + 1;
  }
  for (int j = 0; j < n; ++j) {
    int first = start[j];
    for (int k = J->start[j]; k < J->start[j + 1]; ++k) {
      const int i = J->index[k];
      index[first] = i;
      step->into_first[k] = first++;
      index[next[i]] = n + j;
      step->into_second[k] = next[i]++;
    }
    index[first] = n + j;
    step->into_coupling[j] = first;
  }
  step->values = ts_arena_doubles(arena, total);
  step->augmented = (ts_matrix){2 * n, 2 * n, start, index, step->values};
}

static void load_sparse(ts_damped_step *step, const ts_matrix *J)
{
  step->largest = 0.0;
  for (int k = 0; k < J->start[step->n]; ++k) {
    step->values[step->into_first[k]] = step->values[step->into_second[k]] = J->value[k];
    step->largest = fmax(step->largest, fabs(J->value[k]));
  }
  // The smallest singular value is not known; a thousandth of the largest entry stands in for it.
  step->weight = step->largest > 0.0 ? 1e-3 * step->largest : 1.0;
  for (int i = 0; i < step->n; ++i) step->values[step->into_coupling[step->n + i]] = step->weight;
  step->newton_is_current = false;
}

// Factor with the old pivots where they are known and good, else with fresh ones.
static bool factor(ts_sparse_lu *lu, const ts_matrix *A, bool *known)
{
  if (!*known) ts_sparse_lu_order(lu, A);
  *known = (*known && ts_sparse_lu_refactor(lu, A)) || ts_sparse_lu_factor(lu, A);
  return *known;
}

static bool solve_augmented(ts_damped_step *step, double lambda, const double *phi, double *d)
{
  const int n = step->n;
  for (int j = 0; j < n; ++j) step->values[step->into_coupling[j]] = -lambda / step->weight;
  if (!factor(&step->augmented_lu, &step->augmented, &step->augmented_is_known)) return false;
  double *x = step->factored, *b = step->right;
  for (int i = 0; i < n; ++i) {
    b[i] = -phi[i];
    b[n + i] = 0.0;
  }
  memcpy(x, b, 2 * (size_t)n * sizeof *x);
  ts_sparse_lu_solve(&step->augmented_lu, x);
  ts_sparse_lu_refine(&step->augmented_lu, &step->augmented, b, x, step->scratch);
  memcpy(d, x, (size_t)n * sizeof *d);
  return true;
}

// The undamped step d = -J^-1 phi, from factors much smaller than the augmented system's. Damping changes it by about
// lambda |J^-1|^2, for which |d|^2/|phi|^2 is an estimate. False where that is not negligible.
static bool solve_undamped(ts_damped_step *step, double lambda, const double *phi, double *d)
{
  const int n = step->n;
  if (lambda > NEGLIGIBLE * step->largest * step->largest) return false;
  if (!step->newton_is_current) {
    step->newton_is_singular = !factor(&step->newton_lu, step->J, &step->newton_is_known);
    step->newton_is_current = true;
  }
  if (step->newton_is_singular) return false;
  for (int i = 0; i < n; ++i) d[i] = step->right[i] = -phi[i];
  ts_sparse_lu_solve(&step->newton_lu, d);
  ts_sparse_lu_refine(&step->newton_lu, step->J, step->right, d, step->scratch);
  const double growth = cblas_dnrm2(n, d, 1), size = cblas_dnrm2(n, phi, 1);
  return lambda * growth * growth <= NEGLIGIBLE * size * size;
}

static bool solve_sparse(ts_damped_step *step, double lambda, const double *phi, double *d)
{
  return solve_undamped(step, lambda, phi, d) || solve_augmented(step, lambda, phi, d);
}

// ---- dense ---------------------------------------------------------------------------------------------------------

static bool solve_normal_equations(ts_damped_step *step, double lambda, double *d)
{
  const size_t n = (size_t)step->n;
  memcpy(step->factored, step->normal, n * n * sizeof *step->factored);
  for (size_t i = 0; i < n; ++i) step->factored[i * n + i] += lambda;
  if (!ts_cholesky_factor(step->n, step->factored)) return false;
  for (size_t i = 0; i < n; ++i) d[i] = -step->gradient[i];
  ts_cholesky_solve(step->n, step->factored, d);
  return true;
}

static bool solve_stacked(ts_damped_step *step, double lambda, const double *phi, double *d)
{
  const size_t n = (size_t)step->n;
  memset(step->factored, 0, 2 * n * n * sizeof *step->factored);
  for (size_t j = 0; j < n; ++j) {
    memcpy(step->factored + j * 2 * n, step->J->value + j * n, n * sizeof *step->factored);
    step->factored[j * 2 * n + n + j] = sqrt(lambda);
  }
  for (size_t i = 0; i < n; ++i) {
    step->right[i] = -phi[i];
    step->right[n + i] = 0.0;
  }
  if (!ts_least_squares(2 * step->n, step->n, step->factored, step->right, step->arena)) return false;
  memcpy(d, step->right, n * sizeof *d);
  return true;
}

// ---- interface -----------------------------------------------------------------------------------------------------

void ts_damped_step_init(ts_damped_step *step, const ts_matrix *J, ts_damped_method method, ts_arena *arena)
{
  const size_t n = (size_t)J->columns;
  *step = (ts_damped_step){.n = J->columns, .method = method, .arena = arena};
  step->gradient = ts_arena_doubles(arena, n);
  step->right = ts_arena_doubles(arena, 2 * n);
  if (ts_matrix_is_dense(J)) {
    if (method == TS_NORMAL_EQUATIONS) step->normal = ts_arena_doubles(arena, n * n);
    step->factored = ts_arena_doubles(arena, (method == TS_NORMAL_EQUATIONS ? n : 2 * n) * n);
    return;
  }
  step->factored = ts_arena_doubles(arena, 2 * n);
  step->scratch = ts_arena_doubles(arena, 2 * n);
  make_augmented_pattern(step, J, arena);
  ts_sparse_lu_init(&step->augmented_lu, 2 * J->columns, arena);
  ts_sparse_lu_init(&step->newton_lu, J->columns, arena);
}

void ts_damped_step_load(ts_damped_step *step, const ts_matrix *J, const double *phi)
{
  const int n = step->n;
  step->J = J;
  memset(step->gradient, 0, (size_t)n * sizeof *step->gradient);
  ts_matrix_transpose_multiply_add(J, 1.0, phi, step->gradient);
  if (is_sparse(step))
    load_sparse(step, J);
  else if (step->method == TS_NORMAL_EQUATIONS)
    ts_gram(n, J->value, step->normal);
}

bool ts_damped_step_solve(ts_damped_step *step, double lambda, const double *phi, double *d)
{
  bool solved;
  if (is_sparse(step))
    solved = solve_sparse(step, lambda, phi, d);
  else if (step->method == TS_NORMAL_EQUATIONS)
    solved = solve_normal_equations(step, lambda, d);
  else
    solved = solve_stacked(step, lambda, phi, d);
  for (int i = 0; solved && i < step->n; ++i) solved = isfinite(d[i]);
  return solved;
}
