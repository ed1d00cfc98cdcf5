// Levenberg-Marquardt methods for square systems phi(x) = 0, as 000 uses them: minimize psi = 1/2 |phi|^2 with the
// Jacobian J of phi, dense or sparse; phi need not be smooth.
//   regular (RLM):   dx = -(J^T J + lambda I)^-1 J^T phi, taken whole or not at all; lambda follows the agreement of
//                    psi with its model. Cholesky, or sparse LU of the augmented system.
//   projected (PLM): dx = least-squares solution of [J; sqrt(lambda) I] dx = [-phi; 0] with a constant tiny lambda, by
//                    QR or sparse LU; step length by a line search that looks back over several iterations, with a
//                    watchdog that returns to the best point. (Nothing is projected; the name is the paper's.)
// Both count iterations and factorizations in the run's report, honour its limits, and stop when the measure reaches
// half the tolerance, the half leaving room for the rounding of whoever measures again.
#ifndef TS_COMPLEMENTARITY_NEWTON_LEVENBERG_MARQUARDT_H
#define TS_COMPLEMENTARITY_NEWTON_LEVENBERG_MARQUARDT_H

#include "complementarity/solver.h"

typedef struct ts_equations {
  int size;
  bool (*residual)(void *user, const double *x, double *phi); // phi(x); false where it is not defined
  // The values of J at x in the order of the pattern (dense: column after column); false where it is not defined.
  bool (*jacobian)(void *user, const double *x, double *values);
  // What is left to do at x, whose residual is phi: the measure that the tolerance is held against.
  double (*measure)(void *user, const double *x, const double *phi);
  void *user;
  const int *start, *index; // pattern of J, compressed columns; both NULL: dense
  double enough;            // go on to this |phi|, also when the measure is content; 0: the measure decides alone
} ts_equations;

// x: starting point in, point of the smallest measure out. Set report->claimed to that measure.
ts_outcome ts_levenberg_marquardt_regular(const ts_equations *equations, ts_run *run, double *x);
ts_outcome ts_levenberg_marquardt_projected(const ts_equations *equations, ts_run *run, double *x);

#endif
