// Supports of a 2.5D world in a step (thesis 3.3).
#ifndef TS_STEP_SUPPORTS_H
#define TS_STEP_SUPPORTS_H

#include "step/step.h"

// The contacts of the step and behind them the supports, with their impulses (dimension*blocks), for the report.
ts_contact_set ts_step_with_supports(const ts_step *step, const double *u);

// Friction of bodies all of whose supports stick, in step->r: of all that does the same to the body, the least by their
// loads, where it keeps within the cones. u: rates of the blocks at the end of the step.
void ts_supports_settle(const ts_step *step, const double *u);

// Whether friction at these contacts follows from what it does to the bodies, as far as supports are concerned: not
// where two points of a body stick, or more.
bool ts_supports_are_unique(const ts_contact_set *contacts);

// Loads at rest, to begin with.
void ts_supports_rest(ts_sim *sim);

// A step of the stepper of length h whose supports press as statics has it (update: statics): loads follow from what
// pushes, and that from the friction of the loads. Where they do not settle the step is not certified, and a body that
// would tip over is reported. `before` is the simulation as it is now. False as the stepper has it.
bool ts_supports_step(ts_sim *sim, double h, const struct ts_snapshot *before, ts_arena *arena);

#endif
