// Whether a quasi-static step could have moved otherwise (thesis 3.4.5).
#ifndef TS_STEP_QUASISTATIC_UNIQUE_MOTION_H
#define TS_STEP_QUASISTATIC_UNIQUE_MOTION_H

#include "step/step.h"

// For the impulses in step->r and the velocities in the state: whether these velocities are the only ones nearby with
// which the same impulses solve the step. `threshold`: slips below it are none [m/s]; `force`: the largest on each
// body, in the unit of step->r (body_count).
bool ts_step_motion_is_unique(ts_step *step, double threshold, const double *force);

#endif
