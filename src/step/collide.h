// The impulses of a step or of an impact.
#ifndef TS_STEP_COLLIDE_H
#define TS_STEP_COLLIDE_H

#include "step/step.h"

// Add the impulses of the step's problem, with q = J velocity + bias, to step->r, and what they do to `velocity`: at
// first the free one. `approach` (one number a block, or NULL: inelastic) are normal velocities before: where they are
// below -rest_speed Poisson's law gives impulse back. `warm`: start from what the last step left.
void ts_step_collide(ts_step *step, ts_twist *velocity, const double *approach, bool warm);

// Looks for the largest factor of rebounds in [0, 1] that gains no energy, by bisection. Begins with .high = .factor
// = 1.
typedef struct ts_factor_search {
  double low, high, factor;
  int trials;
} ts_factor_search;

// After `factor` was tried. False: it is the answer. (The last one that is tried is known not to gain, or 0.)
bool ts_factor_search_next(ts_factor_search *search, bool gained);

#endif
