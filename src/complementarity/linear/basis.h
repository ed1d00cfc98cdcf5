// A basis of the system M z + d t - w + q = 0 of a boxed problem, and its exchange of variables.
//
// Of the basic variables only z and t couple: with I the rows whose w is not basic and J the basic ones among z and t,
// everything follows from the inverse X of the core C = [M d](I, J), of size k = |I| = |J|. A basis of slacks only has
// k = 0. An exchange is a rank-one update of X and costs O(k^2) beside a product with the columns J of M: for k = n/2
// an eighth of what a tableau of the whole system costs, and less where M is sparse.
#ifndef TS_COMPLEMENTARITY_LINEAR_BASIS_H
#define TS_COMPLEMENTARITY_LINEAR_BASIS_H

#include "complementarity/linear/boxed.h"

#include "base/arena.h"

#include <stdbool.h>

// Variables are numbered: z_0 .. z_(n-1), then t, then w_0 .. w_(n-1).
typedef struct ts_basis {
  const ts_boxed *problem;
  const double *cover; // d, or NULL: t is not used
  ts_arena *arena;
  int core;                      // k
  int updates;                   // exchanges since X was computed from the core
  int *rows, *columns;           // I and J, in the order of the columns and of the rows of X
  int *row_place, *column_place; // place of row i in I and of variable j in J, -1: not in it
  double *X;                     // k x k, leading dimension `capacity`
  int capacity;
  double *y;              // X [M d](I, e) of the last ts_basis_column(): J falls by it (k)
  double *slope;          // what w rises by when the entering variable rises by 1 (n; rows of I: noise)
  int entries;            // the entering column on I: its non-zeros,
  int *entry_place;       // their places in I
  double *entry_value;    // and values
  double *row;            // row of the leaving w: [M d](i, J) X (k)
  double *factor;         // scratch (k)
  const double **pointer; // scratch (n + 1)
} ts_basis;

static inline int ts_basis_t(const ts_basis *b)
{
  return b->problem->size;
}

static inline int ts_basis_w(const ts_basis *b, int i)
{
  return b->problem->size + 1 + i;
}

static inline bool ts_basis_is_w(const ts_basis *b, int variable)
{
  return variable > b->problem->size;
}

// The basis of slacks.
void ts_basis_init(ts_basis *b, const ts_boxed *problem, const double *cover, ts_arena *arena);
void ts_basis_clear(ts_basis *b);

// Make (I, J) the core and factor it. Returns the reciprocal condition number of the core; at 0 the basis is the one of
// slacks. `rows` and `columns` may be the basis' own.
double ts_basis_set(ts_basis *b, int core, const int *rows, const int *columns);

// Factor the present core anew. Returns its reciprocal condition number.
double ts_basis_refactor(ts_basis *b);

// How the basic variables answer to the entering one: fills y and slope.
void ts_basis_column(ts_basis *b, int entering);

// Fill `row` with [M d](i, J) X for a row i outside I.
void ts_basis_row(ts_basis *b, int i);

// Exchange after ts_basis_column(entering). False, with the basis unchanged, when the pivot computed by rows and the
// one computed by columns disagree: X has lost its accuracy.
bool ts_basis_exchange(ts_basis *b, int entering, int leaving);

// Solve for the basic variables. On entry w = q + M z for the variables that are not basic; on return it includes the
// basic ones, whose values are x (k). Refined once. Returns the largest |w_i| left on the rows I, where it should be 0.
double ts_basis_solve(ts_basis *b, double *w, double *x);

// product = X x, both of k numbers.
void ts_basis_apply_inverse(ts_basis *b, const double *x, double *product);

// y += factor [M d](:, j) for j among z and t.
void ts_basis_add_column(const ts_basis *b, int j, double factor, double *y);

#endif
