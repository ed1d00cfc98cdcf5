// How much a contact gives way to an impulse, joints of the bodies counted in.
#ifndef TS_TESTS_AUDIT_COMPLIANCE_H
#define TS_TESTS_AUDIT_COMPLIANCE_H

#include "run_audit.h"

// Moments of inertia of a solid body of that shape about its own axes [kg m^2]
ts_vec3 audit_inertia(const audit_body *body);

// I w, or its inverse, for an orientation
ts_vec3 audit_inertia_times(const audit_body *body, ts_quat orientation, ts_vec3 w);
ts_vec3 audit_inertia_solve(const audit_body *body, ts_quat orientation, ts_vec3 moment);

// How bodies would move at the end of a step if nothing touched them, joints holding, and the mean of the angular
// velocities before and after that their gyroscopic torque is of
typedef struct audit_free {
  ts_twist *twists;
  ts_vec3 *means;
} audit_free;

// The bodies in a configuration, and A = G^T M^-1 G of its joints, factored
typedef struct audit_compliance {
  const audit_scene *scene;
  const ts_pose *poses;
  int rows;       // of the joints
  double *factor; // rows x rows, lower triangle
  double *column; // rows
} audit_compliance;

// `poses` must outlive it.
void audit_compliance_init(audit_compliance *c, const audit_scene *scene, const ts_pose *poses);
void audit_compliance_release(audit_compliance *c);

// Trace of the contact's block of W = J (M^-1 - M^-1 G A^-1 G^T M^-1) J^T, the contact being at `point` of two bodies
double audit_compliance_trace(const audit_compliance *c, int body_1, int body_2, ts_vec3 point);

// From velocities at the start of the step. `free` has room for all bodies.
void audit_compliance_free(const audit_compliance *c, const ts_twist *before, audit_free *free);

#endif
