// Who has done which work in a step.
#ifndef TS_STEP_WORKS_H
#define TS_STEP_WORKS_H

#include "step/step.h"

// Works of the report that have a cause; stagger and the errors of integration follow from them.
#define TS_WORK_LIST(X) X(contact_work) X(damping_work) X(drive_work) X(applied_work) X(stabilization_work)

// Works of the impulses that have changed step->from to the velocity in the state; `after`: rates of the blocks at
// that, and behind them those at step->from.
void ts_step_add_works(ts_step *step, const double *after);

#endif
