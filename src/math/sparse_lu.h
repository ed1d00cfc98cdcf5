// Sparse LU factorization with threshold partial pivoting, P A Q = L U, of a square matrix in compressed columns: the
// left-looking algorithm of Gilbert and Peierls (1988), whose work is proportional to the arithmetic it does. Columns
// are ordered by AMD on the pattern of A + A^T where the pattern is nearly symmetric, else by COLAMD.
//
// All memory comes from the arena given to ts_sparse_lu_init(). The factors grow there by doubling while a
// factorization runs, so the arena must not be restored to a mark taken between init and the last use of the factors.
#ifndef TS_MATH_SPARSE_LU_H
#define TS_MATH_SPARSE_LU_H

#include "base/arena.h"
#include "touchstone/matrix.h"

#include <stdbool.h>

// One triangular factor by columns, rows in pivot order, diagonal not stored here.
typedef struct ts_triangular_factor {
  size_t *start; // n + 1
  int *index;
  double *value;
  size_t capacity;
} ts_triangular_factor;

typedef struct ts_sparse_lu {
  int n;
  ts_arena *arena;
  int *column_of_step;           // Q: the column eliminated at step k
  int *step_of_row;              // P: the step at which row i is the pivot row, -1 while it is none
  bool prefer_diagonal;          // the ordering was made for pivots on the diagonal
  ts_triangular_factor lower;    // unit diagonal
  ts_triangular_factor upper;    // above the diagonal; a column's entries in an order in which they can be eliminated
  double *pivot;                 // diagonal of U
  double pivot_ratio;            // smallest |pivot| over the largest entry of its column of A: near 0 for a singular A
  int singular_column;           // column without a pivot after a factorization that failed, else -1
  double *work;                  // n, zero between calls
  double *gathered;              // n
  int *reach, *child_row, *mark; // n each: depth-first search
  size_t *child;                 // n
} ts_sparse_lu;

void ts_sparse_lu_init(ts_sparse_lu *lu, int n, ts_arena *arena);

// Choose the order of the columns for this pattern (of the values only zeros on the diagonal matter). Needed before the
// first factorization, and again when the pattern has changed enough that the fill of the old order would hurt; any
// order gives right answers.
void ts_sparse_lu_order(ts_sparse_lu *lu, const ts_matrix *A);

// Factor with fresh pivots. False when a column has no pivot that is finite and not zero.
bool ts_sparse_lu_factor(ts_sparse_lu *lu, const ts_matrix *A);

// Factor a matrix of the same pattern with the pivots of the last success: a third of the work. False where a pivot
// has become too small beside its column to be trusted; the factors are then lost and ts_sparse_lu_factor() is due.
bool ts_sparse_lu_refactor(ts_sparse_lu *lu, const ts_matrix *A);

void ts_sparse_lu_solve(ts_sparse_lu *lu, double *x);            // A x = b, b in, x out
void ts_sparse_lu_solve_transposed(ts_sparse_lu *lu, double *x); // A^T x = b

// One step of iterative refinement of x for A x = b. `scratch` has n numbers.
void ts_sparse_lu_refine(ts_sparse_lu *lu, const ts_matrix *A, const double *b, double *x, double *scratch);

#endif
