// An LCP or MLCP in the form that pivoting and sweeping methods want: w = M z + q, lower <= z <= upper, equilibrated,
// M by columns (and by rows where it is sparse).
//
// Scaling. With positive diagonal R and C the problem in z' = C^-1 z and w' = R w has the same complementary bases:
// only signs matter to complementarity, so R and C need not be equal. Both hold powers of two, hence scaling commits
// no rounding error. R M C has rows and columns whose largest entries are near 1, and the data (R q, the bounds over C)
// is brought to a size near 1 by one common factor.
#ifndef TS_COMPLEMENTARITY_LINEAR_BOXED_H
#define TS_COMPLEMENTARITY_LINEAR_BOXED_H

#include "touchstone/problem.h"

#include "base/arena.h"

#include <math.h>
#include <stdbool.h>

typedef struct ts_boxed {
  int size;
  const double *dense;                    // column after column; NULL: M is sparse
  const int *column_start, *row_of_entry; // sparse by columns
  const double *column_value;
  const int *row_start, *column_of_entry; // sparse by rows
  const double *row_value;
  double *q, *lower, *upper;        // scaled; bounds of 1e20 and more count as infinite
  double *row_scale, *column_scale; // w' = row_scale w, z = column_scale z'
} ts_boxed;

// From a problem of type TS_LCP or TS_MLCP. Lives in the arena; may point into the problem's own arrays.
void ts_boxed_init(ts_boxed *p, const ts_problem *problem, ts_arena *arena);

static inline bool ts_boxed_is_free(const ts_boxed *p, int i)
{
  return p->lower[i] == -(double)INFINITY && p->upper[i] == (double)INFINITY;
}

// y += factor M e_j, and y += factor M x.
void ts_boxed_add_column(const ts_boxed *p, int j, double factor, double *y);
void ts_boxed_multiply_add(const ts_boxed *p, const double *x, double *y);

// w = M z + q, summed in extended precision.
void ts_boxed_extended_w(const ts_boxed *p, const double *z, long double *w);

double ts_boxed_dot_column(const ts_boxed *p, int j, const double *x); // (M^T x)_j
double ts_boxed_entry(const ts_boxed *p, int i, int j);

// z in the scaled problem, from and to the caller's. Going back, values are put into the caller's bounds.
void ts_boxed_scale(const ts_boxed *p, const double *z, double *scaled);
void ts_boxed_unscale(const ts_boxed *p, const ts_problem *problem, const double *scaled, double *z);

void ts_boxed_clamp(const ts_boxed *p, double *z); // put z into its bounds

// Largest |z - mid(lower, z - w, upper)| with w = M z + q, in scaled numbers. `w` is scratch of `size`.
double ts_boxed_natural(const ts_boxed *p, const double *z, double *w);

#endif
