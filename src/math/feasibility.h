// Systems of linear inequalities: find x >= 0 with A x >= b, some rows with equality, or multipliers that prove that
// there is none: an infeasibility certificate (Farkas).
#ifndef TS_MATH_FEASIBILITY_H
#define TS_MATH_FEASIBILITY_H

#include "base/arena.h"

typedef struct ts_inequalities {
  int rows, columns;
  const double *A;   // rows x columns, column after column
  const double *b;   // rows
  const bool *equal; // rows: equality
} ts_inequalities;

typedef enum ts_feasibility { TS_FEASIBLE, TS_NOT_FEASIBLE, TS_FEASIBILITY_UNKNOWN } ts_feasibility;

// Phase one of the simplex method, dense. x (columns) is written where feasible, to within round-off. Else
// `multipliers` y (rows), |y|_1 = 1: y >= 0 but for equal rows, y A <= 0, y b > 0, so that 0 >= y A x >= y b > 0 for
// any x. They are checked against A and b, and count only where x would have to be larger than 1e6 because of round-off
// in them.
ts_feasibility ts_find_feasible(const ts_inequalities *system, int most_pivots, ts_arena *arena, double *x,
                                double *multipliers);

#endif
