// The certificate of a step's friction problem.
#ifndef TS_STEP_CERTIFY_H
#define TS_STEP_CERTIFY_H

#include "step/step.h"

#include "touchstone/certificate.h"

// Residual and measures of the impulses r. Where the system has no W yet, from the rows and masses that W is made of:
// u = J M^-1 J^T r + q. Memory from the step's arena, given back.
double ts_step_certify(const ts_step *step, const ts_system *system, const double *r, ts_friction_measures *measures);

// The same of impulses that have been exchanged for those of `before`. With force limits islands are certified one by
// one, with limits that weigh no more than their data (force_limits.h): the worst figures of those that differ. An
// island whose residual has not grown counts as the report has it, for round-off may be all that is left there.
double ts_step_certify_exchange(const ts_step *step, const double *before, const double *after,
                                ts_friction_measures *measures);

#endif
