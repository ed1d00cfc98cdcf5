// The contacts of one recorded step against the law of friction.
#ifndef TS_TESTS_AUDIT_CONTACTS_H
#define TS_TESTS_AUDIT_CONTACTS_H

#include "audit_compliance.h"

// Where all bodies are as the step begins, overlap having been taken out: from where they are at its end and how they
// move.
void audit_start_poses(const audit_scene *scene, const audit_run *run, int step, ts_pose *poses);

// Of a step that was not cut
typedef struct audit_contacts {
  double error;          // of the worst contact [m/s]
  double residual;       // scaled residual
  double data_speed;     // root of the mean square of |q| [m/s]
  double gap_error;      // largest distance of a gap from that of its bodies [m]
  double cone_violation; // [N s]
} audit_contacts;
audit_contacts audit_contacts_of(const audit_compliance *compliance, const audit_run *run, int step,
                                 const audit_free *free);

#endif
