// Checks of a recorded run against the scene: nothing of the solver is used. Each check has its tolerance derived where
// it is computed. A step with a violation that the record certifies is a silent bad step.
#ifndef TS_CAMPAIGN_CHECKS_H
#define TS_CAMPAIGN_CHECKS_H

#include "recorded_run.h"

typedef enum check_kind {
  CHECK_FINITE,   // all numbers are finite
  CHECK_MOMENTUM, // mass times change of velocity is the sum of impulses
  CHECK_ANGULAR,  // change of angular momentum is the sum of moments
  CHECK_CONE,     // impulses lie in their friction cones and do not pull
  CHECK_LAW,      // normal complementarity and the direction of friction
  CHECK_TOUCH,    // bodies that are apart push nothing
  CHECK_OVERLAP,  // bodies do not overlap beyond the promise of the stepper
  CHECK_JOINT,    // points and axes of joints stay together
  CHECK_LIMIT,    // joint coordinates stay between their stops, gears hold
  CHECK_STATE,    // recorded energies are those of the recorded state
  CHECK_WORK,     // works explain the change of energy; contacts and dampers take
  CHECK_ENERGY,   // energy does not exceed the work of forces and drives
  CHECK_KINDS
} check_kind;

const char *check_kind_name(check_kind kind);

// Violations of one step: value over tolerance for each kind; above 1 is a violation
typedef struct step_findings {
  double ratio[CHECK_KINDS];
  double value[CHECK_KINDS]; // of the worst, in its unit
  int body[CHECK_KINDS];     // or joint or contact that it concerns
} step_findings;

// Note a value and its tolerance.
void check_note(step_findings *findings, check_kind kind, double value, double tolerance, int body);

// Everything that the checks of a step read
typedef struct check_step {
  const campaign_scene *scene;
  const recorded_run *run;
  int step;
  double h;
  const ts_pose *before, *after; // of all bodies
  const ts_twist *v0, *v1;       // of their origins
  const recorded_joint *joints;  // at the end
  const recorded_step *report;
  const ts_recorded_contact *contacts;
  int contact_count;
  double *linkage_mass;  // of the linkage of each body [kg]
  ts_vec3 *kept_axes;    // last separating directions of pairs of bodies, kept from step to step
  double *kept_overlap;  // of pairs of bodies, left by the last step, at most [m]
  const double *fastest; // speed of any point of each body in the run so far [m/s]
  const double *bent;    // sum over steps so far of how far paths of its points leave a line in a step [m]
} check_step;

void check_balance(const check_step *s, step_findings *findings);  // momentum, angular
void check_contacts(const check_step *s, step_findings *findings); // cone, law, touch
void check_geometry(const check_step *s, step_findings *findings); // overlap, joint, limit
void check_energy(const check_step *s, step_findings *findings);   // state, work

// Energy of the whole run: ratios of CHECK_ENERGY of all steps.
void check_energy_course(const campaign_scene *scene, const recorded_run *run, step_findings *findings);

// Check all steps; `findings` has one entry per step.
void check_run(const campaign_scene *scene, const recorded_run *run, step_findings *findings);

// ---- shared by the checks ------------------------------------------------------------------------------------------

ts_vec3 check_centre(const check_step *s, const ts_pose *poses, int body);            // of mass, in the world [m]
ts_vec3 check_velocity_at(const check_step *s, bool at_end, int body, ts_vec3 point); // of a point of a body [m/s]
ts_vec3 check_impulse(const ts_recorded_contact *contact);                            // on body_1 [N s]
ts_vec3 check_spin(const campaign_body *body, ts_quat orientation, ts_vec3 w);        // inertia times w, world axes
bool check_is_support(const check_step *s, const ts_recorded_contact *contact);
bool check_is_linked(const campaign_scene *scene, int body); // by a joint
ts_pose check_pose_of(const ts_pose *poses, int body);       // TS_WORLD: the identity
ts_twist check_twist_of(const ts_twist *twists, int body);   // TS_WORLD: at rest

// By how much the velocity of a point of a body, in its frame, may leave those of the ends within a step that is cut,
// and within those of `event-driven` [m/s].
double check_jolt(const check_step *s, int body, ts_vec3 at);

// Rates of a tree obey laws at the start; recorded are the velocities that they make at the end. These differ by the
// turn of the links in the step and by velocity products, between those of both ends: h w (v + w r), summed over the
// linkage, and by what keeps the energy [m/s]. 0 in redundant coordinates.
double check_tree_slack(const check_step *s, int body);

#endif
