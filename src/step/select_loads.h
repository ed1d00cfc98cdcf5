// Loads that are not unique where contacts slide.
#ifndef TS_STEP_SELECT_LOADS_H
#define TS_STEP_SELECT_LOADS_H

#include "step/step.h"

// Exchange r, a certified solution of the system's problem, for the solution with the declared loads
// (contact/redundant_loads.h) wherever contacts slide whose loads are not unique. The report receives `impulses_unique`
// and `unique`.
void ts_step_select_loads(ts_step *step, const ts_system *system, double *r);

#endif
