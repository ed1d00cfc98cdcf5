// Numbers of a run as its file has them, with the bodies and joints of the scene.
#ifndef TS_CAMPAIGN_RECORDED_RUN_H
#define TS_CAMPAIGN_RECORDED_RUN_H

#include "scene.h"

#include "touchstone/record.h"

// Report of a step, as in the table of steps
typedef struct recorded_step {
  double t, residual, penetration, taken_out, cone_violation, joint_error, velocity_error, length_error;
  double kinetic, potential, contact_work, damping_work, drive_work, applied_work, stabilization_work, correction_work;
  double stagger_work, integration_work, rebound_scale, regularized;
  double certified, jammed, tunnelled, gained, wedged, no_equilibrium, tipping, substeps, within_length, contacts,
      fallbacks;
} recorded_step;

typedef struct recorded_joint {
  double position, rate, motor; // 0 where the joint has no coordinate
  ts_wrench reaction;           // on the child, about the joint's point on it; mean over the step
} recorded_joint;

// State 0 is the start; step k leads from state k to state k + 1.
typedef struct recorded_run {
  int step_count, contact_count;
  ts_pose *poses;   // state by state, all bodies of the scene
  ts_twist *twists; // of the origins, in the same order
  recorded_joint *joints;
  recorded_step *steps;
  ts_recorded_contact
      *contacts; // body_1 and body_2 are numbers of the scene; body_2 of a support on the world is body_1
  int *first;    // contact of each step, and one more
  bool finite;   // all numbers of the file are
} recorded_run;

// Read a run file. NULL, or a sentence about a part that is missing. Release with recorded_run_release().
const char *recorded_run_read(recorded_run *run, const campaign_scene *scene, const char *path);
void recorded_run_release(recorded_run *run);

#endif
