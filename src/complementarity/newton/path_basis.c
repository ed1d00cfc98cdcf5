// After k exchanges B = B_0 E_1 ... E_k, E_j being the identity with column p_j replaced by alpha_j (product form of
// the inverse). Solving is one solve with the factors of B_0 and k updates of n operations each.
#include "complementarity/newton/path_basis.h"

#include "math/dense.h"
#include "math/matrix.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { MAX_UPDATES = 100 };

// A pivot below this part of its column's largest entry means that the columns are dependent: the problem is scaled to
// entries of at most 1, and data with 16 digits cannot tell such a matrix from a singular one.
static const double SINGULAR = 1e-13;

void ts_path_basis_init(ts_path_basis *basis, const ts_matrix *M, ts_arena *arena)
{
  const size_t n = (size_t)M->rows;
  *basis = (ts_path_basis){.n = M->rows, .M = M};
  basis->exchanged = ts_arena_ints(arena, MAX_UPDATES);
  basis->eta = ts_arena_doubles(arena, MAX_UPDATES * n);
  if (ts_matrix_is_dense(M)) {
    basis->dense = ts_arena_doubles(arena, n * n);
    basis->pivots = ts_arena_ints(arena, n);
    return;
  }
  ts_sparse_lu_init(&basis->lu, M->rows, arena);
  basis->start = ts_arena_ints(arena, n + 1);
  const size_t most = ts_matrix_entries(M) + 2 * n; // no column occurs twice
  basis->index = ts_arena_ints(arena, most);
  basis->value = ts_arena_doubles(arena, most);
}

void ts_path_basis_column(const ts_path_basis *basis, int column, double *values)
{
  const int n = basis->n;
  const ts_matrix *M = basis->M;
  if (column == ts_path_basis_cover(basis)) {
    memcpy(values, basis->cover, (size_t)n * sizeof *values);
    return;
  }
  if (column < n && ts_matrix_is_dense(M)) {
    memcpy(values, M->value + (size_t)column * (size_t)n, (size_t)n * sizeof *values);
    values[column] += basis->shift;
    return;
  }
  memset(values, 0, (size_t)n * sizeof *values);
  if (column >= n) {
    values[column - n] = 1.0;
    return;
  }
  for (int k = M->start[column]; k < M->start[column + 1]; ++k) values[M->index[k]] = M->value[k];
  values[column] += basis->shift;
}

static double largest_entry(const double *x, int n)
{
  return n ? fabs(x[cblas_idamax(n, x, 1)]) : 0.0;
}

static bool factor_dense(ts_path_basis *basis, const int *columns)
{
  const size_t n = (size_t)basis->n;
  double *largest = basis->eta; // no updates yet: its first n numbers are free
  for (size_t p = 0; p < n; ++p) {
    ts_path_basis_column(basis, columns[p], basis->dense + p * n);
    largest[p] = largest_entry(basis->dense + p * n, basis->n);
  }
  if (!ts_lu_factor(basis->n, basis->dense, basis->pivots)) return false;
  for (size_t p = 0; p < n; ++p)
    if (!(fabs(basis->dense[p * n + p]) > SINGULAR * largest[p])) return false;
  return true;
}

static int append_column(ts_path_basis *basis, int column, int used)
{
  const int n = basis->n;
  const ts_matrix *M = basis->M;
  if (column == ts_path_basis_cover(basis)) {
    for (int i = 0; i < n; ++i) {
      basis->index[used] = i;
      basis->value[used++] = basis->cover[i];
    }
  } else if (column >= n) {
    basis->index[used] = column - n;
    basis->value[used++] = 1.0;
  } else {
    for (int k = M->start[column]; k < M->start[column + 1]; ++k) {
      basis->index[used] = M->index[k];
      basis->value[used++] = M->value[k] + (M->index[k] == column ? basis->shift : 0.0);
    }
  }
  return used;
}

static bool factor_sparse(ts_path_basis *basis, const int *columns)
{
  const int n = basis->n;
  int used = 0;
  for (int p = 0; p < n; ++p) {
    basis->start[p] = used;
    used = append_column(basis, columns[p], used);
  }
  basis->start[n] = used;
  const ts_matrix B = {n, n, basis->start, basis->index, basis->value};
  ts_sparse_lu_order(&basis->lu, &B);
  return ts_sparse_lu_factor(&basis->lu, &B) && basis->lu.pivot_ratio > SINGULAR;
}

bool ts_path_basis_factor(ts_path_basis *basis, const int *columns)
{
  basis->updates = 0;
  return basis->dense ? factor_dense(basis, columns) : factor_sparse(basis, columns);
}

void ts_path_basis_solve(ts_path_basis *basis, double *x)
{
  const int n = basis->n;
  if (basis->dense)
    ts_lu_solve(n, basis->dense, basis->pivots, x);
  else
    ts_sparse_lu_solve(&basis->lu, x);
  for (int k = 0; k < basis->updates; ++k) {
    const int p = basis->exchanged[k];
    const double *alpha = basis->eta + (size_t)k * (size_t)n;
    const double xp = x[p] / alpha[p];
    if (xp == 0.0) continue;
    cblas_daxpy(n, -xp, alpha, 1, x, 1);
    x[p] = xp;
  }
}

bool ts_path_basis_is_worn(const ts_path_basis *basis)
{
  return basis->updates == MAX_UPDATES;
}

void ts_path_basis_exchange(ts_path_basis *basis, int position, const double *alpha)
{
  memcpy(basis->eta + (size_t)basis->updates * (size_t)basis->n, alpha, (size_t)basis->n * sizeof *alpha);
  basis->exchanged[basis->updates++] = position;
}
