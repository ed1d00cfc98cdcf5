// Steps of constrained motion that are taken whatever their error: forces jump at once, however short the step is, or
// change faster than extrapolation follows.
#ifndef TS_STEP_EVENT_BLIND_STEP_H
#define TS_STEP_EVENT_BLIND_STEP_H

#include "step/event/smooth.h"

// The first of some in a row [s].
static const double TS_BLIND_STEP = 1e-7;

// A step toward `end`; the trial is the state at its end. Returns its length; 0 when there is none.
double ts_smooth_step_blindly(ts_smooth *smooth, double end);

#endif
