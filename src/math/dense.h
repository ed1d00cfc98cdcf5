// Dense factorizations, column-major, without allocation: plain loops for few unknowns (math/small_dense.h), LAPACK
// through its work interfaces for more, for which ts_blas_prepare() must have been called. Leading dimensions are the
// number of rows. Everything returns false where the factor does not exist; the outputs are then undefined.
#ifndef TS_MATH_DENSE_H
#define TS_MATH_DENSE_H

#include "base/arena.h"

#include <stdbool.h>

// A (n x n) becomes its LU factors with partial pivoting. False when a pivot is exactly zero or not finite.
bool ts_lu_factor(int n, double *A, int *pivots);
void ts_lu_solve(int n, const double *LU, const int *pivots, double *x); // x: right-hand side in, solution out
void ts_lu_solve_transposed(int n, const double *LU, const int *pivots, double *x);

// A (n x n) becomes its inverse. Returns its reciprocal condition number in the 1-norm, 0 when A is singular (A is then
// undefined).
double ts_invert(int n, double *A, size_t leading, ts_arena *arena);

// Gauss elimination of A (n x n, destroyed) with complete pivoting. Applies its row and column exchanges to the two
// lists of n numbers. Returns the rank: the pivots above `relative` times the first.
int ts_eliminate_completely(int n, double *A, int *rows, int *columns, double relative);

// The lower triangle of A (n x n, symmetric) becomes its Cholesky factor. False when A is not positive definite.
bool ts_cholesky_factor(int n, double *A);
void ts_cholesky_solve(int n, const double *L, double *x);

// Cholesky with diagonal pivoting: R of the first `rank` rows and columns stands in the lower triangle of A. order[k]
// is the row of the given matrix that became row k; pivots up to `smallest` count as zero. Returns the rank.
int ts_cholesky_pivoted(int n, double *A, int *order, double smallest, ts_arena *arena);

// Y (n x count) becomes L^-1 Y.
void ts_lower_solve(int n, const double *L, int count, double *Y);

// The lower triangle of G (n x n) becomes that of A^T A, A n x n.
void ts_gram(int n, const double *A, double *G);

// Least squares min |A x - b| by Householder QR, rows >= columns, full column rank. A and b (rows numbers) are
// overwritten; x is the first `columns` numbers of b. False when R has a zero on its diagonal.
bool ts_least_squares(int rows, int columns, double *A, double *b, ts_arena *arena);

// Minimum-norm least squares by complete orthogonal decomposition; singular values below `rcond` of the largest count
// as zero. A is overwritten, b (max(rows, columns) numbers) becomes x. Returns the rank found, or -1.
int ts_minimum_norm(int rows, int columns, double *A, double *b, double rcond, ts_arena *arena);

#endif
