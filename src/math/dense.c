#include "math/dense.h"

#include "math/small_dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

bool ts_lu_factor(int n, double *A, int *pivots)
{
  if (n <= TS_SMALL_DENSE) return ts_small_lu_factor(n, A, (size_t)n, pivots);
  return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivots) == 0 && isfinite(A[(size_t)n * (size_t)n - 1]);
}

void ts_lu_solve(int n, const double *LU, const int *pivots, double *x)
{
  if (n <= TS_SMALL_DENSE)
    ts_small_lu_solve(n, LU, (size_t)n, pivots, x);
  else
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, LU, n, pivots, x, n);
}

void ts_lu_solve_transposed(int n, const double *LU, const int *pivots, double *x)
{
  if (n <= TS_SMALL_DENSE)
    ts_small_lu_solve_transposed(n, LU, (size_t)n, pivots, x);
  else
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, LU, n, pivots, x, n);
}

static double one_norm(int n, const double *A, size_t leading)
{
  double largest = 0.0;
  for (int j = 0; j < n; ++j) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += fabs(A[(size_t)j * leading + (size_t)i]);
    if (!(sum <= largest)) largest = sum; // keeps NAN
  }
  return largest;
}

static bool invert_small(int n, double *A, size_t leading, int *pivots, ts_arena *arena)
{
  double *LU = ts_arena_doubles(arena, (size_t)n * (size_t)n);
  for (size_t j = 0; j < (size_t)n; ++j) memcpy(LU + j * (size_t)n, A + j * leading, (size_t)n * sizeof *A);
  if (!ts_small_lu_factor(n, LU, (size_t)n, pivots)) return false;
  ts_small_lu_invert(n, LU, pivots, A, leading);
  return true;
}

static bool invert_large(int n, double *A, size_t leading, int *pivots, ts_arena *arena)
{
  const int lead = (int)leading, block = 64;
  double *work = ts_arena_doubles(arena, (size_t)n * (size_t)block);
  return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, lead, pivots) == 0 &&
         LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, A, lead, pivots, work, n * block) == 0;
}

double ts_invert(int n, double *A, size_t leading, ts_arena *arena)
{
  if (n == 0) return 1.0;
  const double norm = one_norm(n, A, leading);
  const ts_arena_mark mark = ts_arena_save(arena);
  int *pivots = ts_arena_ints(arena, (size_t)n);
  const bool regular =
      n <= TS_SMALL_DENSE ? invert_small(n, A, leading, pivots, arena) : invert_large(n, A, leading, pivots, arena);
  ts_arena_restore(arena, mark);
  const double condition = regular ? norm * one_norm(n, A, leading) : (double)INFINITY;
  return isfinite(condition) ? 1.0 / condition : 0.0;
}

static void swap_ints(int *list, int a, int b)
{
  const int old = list[a];
  list[a] = list[b];
  list[b] = old;
}

int ts_eliminate_completely(int n, double *A, int *rows, int *columns, double relative)
{
  double first = 0.0;
  for (int k = 0; k < n; ++k) {
    int row = k, column = k;
    double largest = 0.0;
    for (int j = k; j < n; ++j) {
      const int i = k + (int)cblas_idamax(n - k, A + (size_t)j * (size_t)n + (size_t)k, 1);
      const double x = fabs(A[(size_t)j * (size_t)n + (size_t)i]);
      if (x > largest) largest = x, row = i, column = j;
    }
    if (k == 0) first = largest;
    if (largest <= relative * first) return k;
    cblas_dswap(n, A + row, n, A + k, n);
    cblas_dswap(n, A + (size_t)column * (size_t)n, 1, A + (size_t)k * (size_t)n, 1);
    swap_ints(rows, row, k);
    swap_ints(columns, column, k);
    double *pivot = A + (size_t)k * (size_t)n + (size_t)k;
    const int rest = n - k - 1;
    if (rest == 0) continue;
    cblas_dscal(rest, 1.0 / *pivot, pivot + 1, 1);
    cblas_dger(CblasColMajor, rest, rest, -1.0, pivot + 1, 1, pivot + n, n, pivot + n + 1, n);
  }
  return n;
}

bool ts_cholesky_factor(int n, double *A)
{
  if (n <= TS_SMALL_DENSE) return ts_small_cholesky_factor(n, A);
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n) == 0;
}

void ts_cholesky_solve(int n, const double *L, double *x)
{
  if (n <= TS_SMALL_DENSE)
    ts_small_cholesky_solve(n, L, x);
  else
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, L, n, x, n);
}

int ts_cholesky_pivoted(int n, double *A, int *order, double smallest, ts_arena *arena)
{
  if (n <= TS_SMALL_DENSE) return ts_small_cholesky_pivoted(n, A, order, smallest);
  const ts_arena_mark mark = ts_arena_save(arena);
  double *work = ts_arena_doubles(arena, 2 * (size_t)n);
  lapack_int rank = 0;
  LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', n, A, n, order, &rank, smallest, work);
  ts_arena_restore(arena, mark);
  for (int k = 0; k < n; ++k) --order[k]; // LAPACK counts from 1
  return rank;
}

void ts_lower_solve(int n, const double *L, int count, double *Y)
{
  if (n > TS_SMALL_DENSE) {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, count, 1.0, L, n, Y, n);
    return;
  }
  for (int j = 0; j < count; ++j)
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, L, n, Y + (size_t)j * (size_t)n, 1);
}

void ts_gram(int n, const double *A, double *G)
{
  if (n > TS_SMALL_DENSE) {
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, n, 1.0, A, n, 0.0, G, n);
    return;
  }
  const size_t size = (size_t)n;
  for (size_t j = 0; j < size; ++j)
    for (size_t i = j; i < size; ++i) G[j * size + i] = cblas_ddot(n, A + i * size, 1, A + j * size, 1);
}

bool ts_least_squares(int rows, int columns, double *A, double *b, ts_arena *arena)
{
  if (columns <= TS_SMALL_DENSE) return ts_small_least_squares(rows, columns, A, b);
  double best;
  if (LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', rows, columns, 1, A, rows, b, rows, &best, -1)) return false;
  const ts_arena_mark mark = ts_arena_save(arena);
  double *work = ts_arena_doubles(arena, (size_t)best);
  const lapack_int info =
      LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', rows, columns, 1, A, rows, b, rows, work, (lapack_int)best);
  ts_arena_restore(arena, mark);
  return info == 0;
}

int ts_minimum_norm(int rows, int columns, double *A, double *b, double rcond, ts_arena *arena)
{
  if (columns == 0 || rows == 0) return 0;
  const int longest = rows > columns ? rows : columns;
  if (longest <= TS_SMALL_DENSE) return ts_small_minimum_norm(rows, columns, A, b, rcond, arena);
  const ts_arena_mark mark = ts_arena_save(arena);
  int *permutation = ts_arena_ints(arena, (size_t)columns);
  for (int j = 0; j < columns; ++j) permutation[j] = 0;
  lapack_int rank = 0;
  double best;
  lapack_int info = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, rows, columns, 1, A, rows, b, longest, permutation, rcond,
                                        &rank, &best, -1);
  if (info == 0) {
    double *work = ts_arena_doubles(arena, (size_t)best);
    info = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, rows, columns, 1, A, rows, b, longest, permutation, rcond, &rank, work,
                               (lapack_int)best);
  }
  ts_arena_restore(arena, mark);
  return info == 0 ? rank : -1;
}
