// Impulses of forces (ts_signal.impulse) in the parts of a step.
#ifndef TS_STEP_IMPULSES_H
#define TS_STEP_IMPULSES_H

#include "step/sim.h"

// A part of a step begins, of length h and through `span`: every impulse of the model falls into one part, the one that
// begins at its time or before. Fixed steps have it as a push of their length, to be taken back with other pushes;
// steppers that are smooth look at sim->part.
void ts_impulses_begin(ts_sim *sim, ts_interval span, double h, ts_arena *arena);

#endif
