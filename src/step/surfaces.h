// Moving surfaces: what kinematic bodies do to the relative velocities and to the gaps of a step.
#ifndef TS_STEP_SURFACES_H
#define TS_STEP_SURFACES_H

#include "step/step.h"

// How kinematic bodies have come to where they stand at the end of the step, into step->chords. They stand there
// already, and the time of the state is that of its start.
void ts_step_find_chords(ts_step *step);

// Mean velocity through the step of the surface of body_2 of contact i, which is kinematic: of what lies where body_1
// touches at its start [m/s]. That at the end of the step where chords were not asked for.
ts_vec3 ts_step_mean_surface(const ts_step *step, int i);

// Fill in step->surface, which is 0: of contacts with kinematic bodies, stops of joints on them, and supports whose
// plane moves with them.
void ts_step_surfaces(ts_step *step);

#endif
