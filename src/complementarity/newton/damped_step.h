// The step of the Levenberg-Marquardt method: d minimizing |J d + phi|^2 + lambda |d|^2.
#ifndef TS_COMPLEMENTARITY_NEWTON_DAMPED_STEP_H
#define TS_COMPLEMENTARITY_NEWTON_DAMPED_STEP_H

#include "base/arena.h"
#include "math/sparse_lu.h"
#include "touchstone/matrix.h"

#include <stdbool.h>

// How a dense step is computed. A sparse one goes through the augmented system in either case.
typedef enum ts_damped_method {
  TS_NORMAL_EQUATIONS, // Cholesky of J^T J + lambda I: cheap, and a second lambda at the same J costs little
  TS_STACKED_QR        // QR of J stacked on sqrt(lambda) I: does not square the condition
} ts_damped_method;

typedef struct ts_damped_step {
  int n;
  ts_damped_method method;
  ts_arena *arena;
  const ts_matrix *J;            // as of the last ts_damped_step_load()
  double *gradient;              // J^T phi
  double *normal;                // dense: J^T J, lower triangle
  double *factored;              // dense: n x n (Cholesky) or 2n x n (QR)
  double *right;                 // 2n
  ts_matrix augmented;           // sparse: [J, a I; -lambda/a I, J^T]
  double *values;                // augmented.value
  int *into_first, *into_second; // entry of J -> entry of J and of J^T in the augmented matrix
  int *into_coupling;            // 2n: where the multiples of I lie
  double weight;                 // a
  ts_sparse_lu augmented_lu;
  bool augmented_is_known; // its factors have the pattern and usable pivots
  ts_sparse_lu newton_lu;  // of J itself, for a damping that makes no difference
  bool newton_is_known, newton_is_current, newton_is_singular;
  double largest;  // |entry| of J
  double *scratch; // 2n
} ts_damped_step;

// Prepare for Jacobians of the storage and pattern of J. The arena must not be restored to before this call while the
// step is in use.
void ts_damped_step_init(ts_damped_step *step, const ts_matrix *J, ts_damped_method method, ts_arena *arena);

// Take the values of J (which must stay in place) and compute step->gradient.
void ts_damped_step_load(ts_damped_step *step, const ts_matrix *J, const double *phi);

// Solve for d. False when the system is singular to working precision: lambda is too small.
bool ts_damped_step_solve(ts_damped_step *step, double lambda, const double *phi, double *d);

#endif
