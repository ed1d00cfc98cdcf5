// Eliminating the bilateral rows of a local friction problem: l = -R^-1 (V^T r + s), so that
//   W' = W - V R^-1 V^T,   q' = q - V R^-1 s.
// R = G^T M^-1 G is singular when joints are redundant. A pivoted Cholesky factorization then picks independent rows;
// the others follow from them and get no impulse.
#ifndef TS_COMPLEMENTARITY_PROBLEM_ELIMINATE_H
#define TS_COMPLEMENTARITY_PROBLEM_ELIMINATE_H

#include "touchstone/problem.h"

#include "base/arena.h"

typedef struct ts_elimination {
  ts_friction reduced; // without bilateral rows
  const ts_friction *whole;
  int rank;        // independent bilateral rows
  const int *rows; // which they are
  double *factor;  // rank x rank Cholesky factor of R on those rows
  double *scratch; // bilaterals numbers
} ts_elimination;

// Borrows `problem`, which must stay. Dense in the bilateral rows: meant for up to some hundreds of them.
void ts_eliminate_bilaterals(ts_elimination *e, const ts_friction *problem, ts_arena *arena);

// Bilateral impulses l that belong to the contact impulses r.
void ts_elimination_recover(const ts_elimination *e, const double *r, double *l);

#endif
