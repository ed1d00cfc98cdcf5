// Linear systems without a factor.
#ifndef TS_MATH_CONJUGATE_GRADIENTS_H
#define TS_MATH_CONJUGATE_GRADIENTS_H

#include "touchstone/matrix.h"

#include "base/arena.h"

// x = M^-1 f of a positive definite M by conjugate gradients with its diagonal as preconditioner: to a relative
// residual of 1e-13, or as near as 2n + 50 steps come.
void ts_conjugate_gradients(const ts_matrix *M, const double *diagonal, const double *f, double *x, ts_arena *arena);

#endif
