// Gauss-Seidel sweeps with Anderson's acceleration. A sweep is a map g; where contacts keep their modes it is
// nearly linear, and impulses creep through a pile one layer of contacts a sweep. From the last few points x_k with
// moves f_k = g(x_k) - x_k the next point is
//   x = g(x_k) - sum_j c_j (g(x_j+1) - g(x_j)),   c minimizing |f_k - sum_j c_j (f_j+1 - f_j)|
// (Walker and Ni, SIAM J. Numer. Anal. 49, 2011), which for a linear map is GMRES.
//
// Piles that are about to give way have points that are nearly solutions and are none: a fold of the friction law was
// just passed, |f| has a small minimum there that is not zero, and sweeps drift past it for hundreds of steps.
// Acceleration alone would be caught, since beyond the minimum it predicts the zero upstream. Hence points go
// downstream only, (x - x_k) . f_k > 0; where the prediction does not, the point leaps along the drift, farther every
// time.
//
// The loop knows no problem: it drives what can sweep and measure, in the space of bodies (body_sweeps.h) or with W
// (ts_cone_accelerated_sweeps()).
#ifndef TS_COMPLEMENTARITY_FRICTION_ANDERSON_H
#define TS_COMPLEMENTARITY_FRICTION_ANDERSON_H

#include "complementarity/friction/momentum.h"

// What is swept.
typedef struct ts_anderson_ops {
  void (*sweep)(void *self, double *x);                        // one sweep, of x to g(x)
  void (*project)(void *self, double *x);                      // on the cones
  ts_momentum_figures (*measure)(void *self, const double *x); // x is what was swept last
  void (*keep)(void *self);                                    // what was measured last, as the best point
} ts_anderson_ops;

typedef struct ts_anderson_start {
  size_t length;   // of x
  const double *x; // NULL: no impulses
  double error;    // of the best point so far: others are kept where they are better
} ts_anderson_start;

// Sweep until the goal is reached: TS_SOLVED (also, after many sweeps, at a point that will do), TS_ACCURATE, or why
// not.
ts_outcome ts_anderson_run(const ts_anderson_ops *ops, void *self, const ts_anderson_start *start,
                           const ts_momentum_goal *goal, ts_run *run);

#endif
