// Cholesky factor of a sparse symmetric positive definite matrix, P A P^T = L L^T, up-looking (Davis, Direct Methods
// for Sparse Linear Systems, ch. 4; Liu's elimination tree). All memory comes from the arena. Where the factor would be
// more than half full it is kept and computed dense.
//
// Half solutions L^-1 P b keep the sparsity of b: they only touch the rows on the paths from b's entries to the roots
// of the elimination tree. With B = L^-1 P H, H^T A^-1 H is B^T B.
#ifndef TS_MATH_SPARSE_CHOLESKY_H
#define TS_MATH_SPARSE_CHOLESKY_H

#include "touchstone/matrix.h"

#include "base/arena.h"

#include <stdbool.h>

typedef struct ts_sparse_cholesky {
  int n;
  const int *order;    // order[k]: row of A that is eliminated k-th
  const int *position; // the inverse of `order`
  const int *parent;   // elimination tree; -1 at a root
  const int *start;    // columns of L, the diagonal first
  const int *index;    // NULL in a dense factor
  const double *value; // n*n numbers, column after column, in a dense factor; only its lower triangle counts
} ts_sparse_cholesky;

// Factor A, given by both triangles in compressed columns. False when A is not positive definite (a pivot that is not
// above round-off of its diagonal entry), or when L has more entries than an int counts.
bool ts_sparse_cholesky_factor(const ts_matrix *A, ts_arena *arena, ts_sparse_cholesky *factor);

// x: right-hand side in, A^-1 x out. `scratch` has n numbers.
void ts_sparse_cholesky_solve(const ts_sparse_cholesky *factor, double *x, double *scratch);

// Append to `reach`, which holds `count` positions, those that L^-1 P e_row fills and that are not marked with `stamp`;
// mark them. Returns the new count. `mark` and `reach` have n numbers.
int ts_sparse_cholesky_reach(const ts_sparse_cholesky *factor, int row, int stamp, int *mark, int *reach, int count);

// x becomes L^-1 x, where x (n numbers in elimination order) is zero outside `reach`, which ascends and is closed: with
// a position it holds that position's ancestors.
void ts_sparse_cholesky_half_solve(const ts_sparse_cholesky *factor, int count, const int *reach, double *x);

#endif
