// Linear systems of a few dozen unknowns, where calling LAPACK costs more than the arithmetic.
#ifndef TS_MATH_SMALL_SYSTEM_H
#define TS_MATH_SMALL_SYSTEM_H

#include <stdbool.h>

enum { TS_SMALL_SYSTEM_ROWS = 32, TS_SMALL_SYSTEM_STRIDE = TS_SMALL_SYSTEM_ROWS + 4 };

// Rows of a matrix with the right-hand side behind them: entry (r, c) at [r][c], right-hand side r at [r][count].
typedef struct ts_small_system {
  int count; // rows, at most TS_SMALL_SYSTEM_ROWS
  double at[TS_SMALL_SYSTEM_ROWS][TS_SMALL_SYSTEM_STRIDE];
} ts_small_system;

// Gauss elimination with partial pivoting; destroys the system. False where a pivot is zero or not finite.
bool ts_small_system_solve(ts_small_system *system, double *x);

// The same where the matrix is symmetric and positive definite, which needs no pivoting and half the operations. Its
// lower triangle is not read. False where a pivot is not positive.
bool ts_small_system_solve_definite(ts_small_system *system, double *x);

#endif
