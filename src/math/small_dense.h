// Dense factorizations of few unknowns by plain loops. LAPACK would take a buffer of 128 MiB of address space for the
// smallest of them, and where there is none OpenBLAS asks for it for ever. Column-major; pivots count from 1, as
// LAPACK's.
#ifndef TS_MATH_SMALL_DENSE_H
#define TS_MATH_SMALL_DENSE_H

#include "base/arena.h"

#include <stdbool.h>

enum { TS_SMALL_DENSE = 72 }; // unknowns, up to which math/dense.h comes here

bool ts_small_lu_factor(int n, double *A, size_t leading, int *pivots);
void ts_small_lu_solve(int n, const double *LU, size_t leading, const int *pivots, double *x);
void ts_small_lu_solve_transposed(int n, const double *LU, size_t leading, const int *pivots, double *x);

// X (n x n) becomes the inverse of the matrix whose factors LU holds.
void ts_small_lu_invert(int n, const double *LU, const int *pivots, double *X, size_t leading);

bool ts_small_cholesky_factor(int n, double *A);
void ts_small_cholesky_solve(int n, const double *L, double *x);

// Cholesky with diagonal pivoting of the lower triangle, until no pivot is above `smallest`. Returns the rank; order[k]
// is the row, from 0 on, that became row k.
int ts_small_cholesky_pivoted(int n, double *A, int *order, double smallest);

bool ts_small_least_squares(int rows, int columns, double *A, double *b);
int ts_small_minimum_norm(int rows, int columns, double *A, double *b, double rcond, ts_arena *arena);

#endif
