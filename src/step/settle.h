// Impulses that are not unique.
#ifndef TS_STEP_SETTLE_H
#define TS_STEP_SETTLE_H

#include "step/step.h"

// Where r, which leads to `velocity`, is not the only solution: exchange it for the least one. `guess` is where it was
// started from, or NULL.
void ts_step_settle(ts_step *step, const double *guess, const ts_twist *velocity, double *r);

// Where many contacts rest, and there is room for a guess: exchange r, which leads to `velocity`, for impulses that
// hold in the next steps as well, where these solve the problem no worse, and velocity for what they lead to.
void ts_step_balance(ts_step *step, ts_twist *velocity, double *r);

// Whether the impulses of contacts that stick follow from what they do to the bodies.
bool ts_step_is_unique(const ts_step *step);

#endif
