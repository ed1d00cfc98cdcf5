// Impulses that are not unique.
#ifndef TS_STEP_SETTLE_H
#define TS_STEP_SETTLE_H

#include "step/stage.h"

// Where r, which leads to `velocity`, is not the only solution: exchange it for the least one. `guess` is where it was
// started from, or NULL.
void ts_stage_settle(ts_stage *stage, const double *guess, const ts_twist *velocity, double *r);

// Whether the impulses of contacts that stick follow from what they do to the bodies.
bool ts_stage_is_unique(const ts_stage *stage);

#endif
