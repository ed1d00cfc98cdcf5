// The certificate of a step's friction problem.
#ifndef TS_STEP_CERTIFY_H
#define TS_STEP_CERTIFY_H

#include "step/step.h"

#include "touchstone/certificate.h"

// Residual and measures of the impulses r. Where the system has no W yet, from the rows and masses that W is made of:
// u = J M^-1 J^T r + q. Memory from the step's arena, given back.
double ts_step_certify(const ts_step *step, const ts_system *system, const double *r, ts_friction_measures *measures);

#endif
