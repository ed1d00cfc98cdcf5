// First directions of polyhedral cones, as `align` and `direction_angle` of the options set them.
#ifndef TS_STEP_POLYGON_SLIP_H
#define TS_STEP_POLYGON_SLIP_H

#include "step/step.h"

// Velocities of all rows (dimension*count) that fix the first direction of each polygon: it is turned against them. In
// the arena of the step, or q of the system.
const double *ts_polygon_slip(const ts_step *step, const ts_system *system);

#endif
