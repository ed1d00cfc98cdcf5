// Joints that have come apart: their error at the end of a step belongs to its certificate.
#ifndef TS_STEP_JOINT_ERRORS_H
#define TS_STEP_JOINT_ERRORS_H

#include "step/sim.h"

// At the end of a step or substep of length h, everything in place: joints that hold by rows may be off by a fifth of
// the smaller radius of gyration of their bodies, and by 0.2 rad. A step that leaves more is not certified, whatever it
// began with, and its report has the error.
void ts_joint_errors_close(ts_sim *sim, double h, ts_arena *arena);

#endif
