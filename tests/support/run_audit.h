// A run worked out anew from its record and the scene alone: where bodies are and how they move, what pushes them, how
// far they overlap, how well each contact obeys its law (docs/theory/residuals.md), and whether the table of steps says
// so. Nothing of the library's but its types and reading of records is used.
#ifndef TS_TESTS_RUN_AUDIT_H
#define TS_TESTS_RUN_AUDIT_H

#include "touchstone/record.h"

// A body of the scene; its origin is the centre of mass. Number k is called "bodyk": records that leave fixed bodies
// out have numbers of their own.
typedef struct audit_body {
  ts_shape shape;
  double mass; // [kg]; 0: it is fixed
  ts_pose pose;
} audit_body;

// A ball joint of two bodies at a point of both
typedef struct audit_joint {
  int parent, child;
  ts_vec3 at[2]; // in the frame of the parent and of the child [m]
} audit_joint;

typedef struct audit_scene {
  int body_count, joint_count;
  audit_body *bodies;
  audit_joint *joints;
  double friction, step_size, tolerance, accuracy;
  ts_vec3 gravity;
  double deepest; // overlap that is allowed [m]
} audit_scene;

// What the record says of a step
typedef struct audit_step {
  double t, residual, velocity_error, length_error, penetration, taken_out, cone_violation;
  int within_length, certified, substeps, contacts;
} audit_step;

// Numbers of a record that may be changed. State 0 is the start; step k leads from state k to state k + 1.
typedef struct audit_run {
  int step_count, body_count, joint_count, contact_count;
  ts_pose *poses;   // state by state, of all bodies of the scene
  ts_twist *twists; // likewise
  ts_vec3 *forces;  // of joints on their child, means over a step, state by state [N]
  audit_step *steps;
  ts_recorded_contact *contacts;
  int *first; // contact of each step, and one more
} audit_run;

// False where the record does not have what is needed. Release with audit_run_release().
bool audit_run_read(audit_run *run, const audit_scene *scene, const ts_record *record);
void audit_run_release(audit_run *run);

// What may be found to be wrong
typedef enum audit_mistake {
  AUDIT_MOTION = 1,       // positions do not follow from velocities
  AUDIT_MOMENTUM = 2,     // weight and impulses do not make the change of velocity
  AUDIT_ANGULAR = 4,      // the same of angular velocity
  AUDIT_CONE = 8,         // an impulse lies farther outside its friction cone than is reported
  AUDIT_OVERLAP = 16,     // bodies overlap deeper than is allowed, or than is reported
  AUDIT_GAP = 32,         // a gap or a normal is not that of the two bodies
  AUDIT_ERROR = 64,       // the error of the worst contact is not the reported one
  AUDIT_RESIDUAL = 128,   // nor is the residual
  AUDIT_CERTIFICATE = 256 // certified though it is not, or within a length though it is to the tolerance
} audit_mistake;

typedef struct audit {
  unsigned mistakes;           // of these
  char sentence[160];          // the first one
  int within_length;           // steps that are certified within the length
  int cut;                     // steps in parts, of which arms, errors and residuals are not recorded
  double worst_error, deepest; // [m/s, m]
} audit;

audit audit_of(const audit_scene *scene, const audit_run *run);

#endif
