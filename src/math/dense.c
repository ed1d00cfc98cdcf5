#include "math/dense.h"

#include <lapacke.h>
#include <math.h>

bool ts_lu_factor(int n, double *A, int *pivots)
{
  if (n == 0) return true;
  return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivots) == 0 && isfinite(A[(size_t)n * (size_t)n - 1]);
}

void ts_lu_solve(int n, const double *LU, const int *pivots, double *x)
{
  if (n > 0) LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, LU, n, pivots, x, n);
}

void ts_lu_solve_transposed(int n, const double *LU, const int *pivots, double *x)
{
  if (n > 0) LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, LU, n, pivots, x, n);
}

bool ts_cholesky_factor(int n, double *A)
{
  return n == 0 || LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n) == 0;
}

void ts_cholesky_solve(int n, const double *L, double *x)
{
  if (n > 0) LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, L, n, x, n);
}

bool ts_least_squares(int rows, int columns, double *A, double *b, ts_arena *arena)
{
  if (columns == 0) return true;
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
