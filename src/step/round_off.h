// What round-off leaves of the data of a contact problem.
//
// q = J v is a sum of large numbers that may all but cancel: it is known to about EPS sqrt(2 T U_i), T the kinetic
// energy and U_i = (J M^-1 J^T)_ii without joints, which bounds |J_i v| (Cauchy-Schwarz in the metric of M). Where W is
// singular an error of that size can leave a problem without any solution, though the bodies are merely stuck.
#ifndef TS_STEP_ROUND_OFF_H
#define TS_STEP_ROUND_OFF_H

#include "step/step.h"

// Blocks that joints hold altogether: neither their compliance nor their velocity is more than round-off. In `copy`
// they stand apart from all others, and at rest, so that they take no impulse. False: there is none.
bool ts_set_immovable_blocks_apart(const ts_step *step, const ts_system *system, ts_system *copy);

// The residual at r, in the certificate's scale, that round-off can account for: that of q, and that of the sum W r,
// whose terms are large where a strong motor presses a body against a contact or a joint limit. The second counts up to
// 100 times the tolerance.
double ts_round_off_residual(const ts_step *step, const ts_system *system, const double *r);

#endif
