// The basis matrix of a pivoting method: n columns chosen from [M + shift I, I, c], factored, with columns exchanged
// one at a time by product-form updates. Dense or sparse as M is.
#ifndef TS_COMPLEMENTARITY_NEWTON_PATH_BASIS_H
#define TS_COMPLEMENTARITY_NEWTON_PATH_BASIS_H

#include "base/arena.h"
#include "math/sparse_lu.h"
#include "touchstone/matrix.h"

#include <stdbool.h>

typedef struct ts_path_basis {
  int n;
  const ts_matrix *M;
  double shift;        // added to the diagonal of M
  const double *cover; // c, n numbers
  double *dense;       // dense: LU factors
  int *pivots;
  ts_sparse_lu lu;    // sparse
  int *start, *index; // the matrix itself, by columns
  double *value;
  int updates;    // exchanges since the last factorization
  int *exchanged; // position of each
  double *eta;    // column of each, n numbers
} ts_path_basis;

// Columns are named by numbers: j < n is column j of M + shift I, n + i the i-th unit vector, 2n is c.
static inline int ts_path_basis_unit(const ts_path_basis *basis, int i)
{
  return basis->n + i;
}

static inline int ts_path_basis_cover(const ts_path_basis *basis)
{
  return 2 * basis->n;
}

// The arena must not be restored to before this call while the basis is in use. M is read again at each factorization;
// its pattern must not change.
void ts_path_basis_init(ts_path_basis *basis, const ts_matrix *M, ts_arena *arena);

// Write a column as n numbers.
void ts_path_basis_column(const ts_path_basis *basis, int column, double *values);

// Factor the matrix of these n columns. False when it is singular to working precision.
bool ts_path_basis_factor(ts_path_basis *basis, const int *columns);

void ts_path_basis_solve(ts_path_basis *basis, double *x); // B x = b, b in, x out

// Whether the next exchange should be a factorization instead.
bool ts_path_basis_is_worn(const ts_path_basis *basis);

// Replace the column at `position` by one whose representation alpha = B^-1 a has a nonzero there.
void ts_path_basis_exchange(ts_path_basis *basis, int position, const double *alpha);

#endif
