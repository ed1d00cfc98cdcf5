// The inside of a simulation, and what steppers share.
#ifndef TS_STEP_SIM_H
#define TS_STEP_SIM_H

#include "touchstone/sim.h"

#include "contact/warm_start.h"

// Counts how often memory was asked for.
typedef struct ts_counting_allocator {
  ts_allocator inner;
  int allocations;
} ts_counting_allocator;

struct ts_sim {
  const ts_model *model;
  ts_step_options options;
  ts_solve_options solve_options;
  ts_counting_allocator counting;
  ts_allocator allocator;  // hands to `counting`
  ts_arena memory;         // arrays of a size that the model fixes
  ts_arena scratch[2];     // what a step makes; the other one holds what the last step left
  int turn;                // of the two, the one that the last step used
  ts_workspace *workspace; // of the solvers
  ts_finder finder;
  ts_state state, saved; // at the start of the step; `saved` to come back to
  ts_kinematics kinematics;
  ts_twist *free_velocity; // what the step would reach untouched, joints obeyed (body_count)
  ts_twist *old_velocity;  // at the start of the step (body_count)
  ts_wrench *pushes;       // of the user, for the next step (body_count)
  ts_force_callback *callback;
  void *callback_user;
  ts_contact_set contacts; // of the last step
  ts_memory remembered;    // impulses of the last step
  ts_step_report report;
};

struct ts_stepper {
  const char *name;               // what scene files say: "stewart-trinkle"
  const char *summary;            // one line for `touchstone list steppers`, with its source
  ts_stabilization stabilization; // its own
  ts_status (*check)(const ts_step_options *options, ts_error *error);
  // Advance sim->state by h, fill in sim->report, sim->contacts and sim->remembered. Memory from the arena, which may
  // leave to its recovery point. False when numbers that are not finite came up.
  bool (*step)(ts_sim *sim, double h, ts_arena *arena);
};

extern const ts_stepper ts_stepper_stewart_trinkle, ts_stepper_velocity;

// What a step works with, linearized at its start.
typedef struct ts_stage {
  ts_sim *sim;
  double h;
  ts_arena *arena;
  ts_bilateral_row *joint_rows;
  ts_bilateral bilateral;  // count 0: no joints
  double *joint_impulse;   // (bilateral.count)
  ts_bounded_row *bounded; // limits and motors
  int bounded_count;
  ts_contact_set contacts;
  ts_system system;
  double *surface; // relative velocity due to moving surfaces of kinematic bodies (dimension*blocks)
  double *r;       // impulses (dimension*blocks)
} ts_stage;

// Put kinematic bodies where they are at `time`, with their twists then.
void ts_place_kinematic_bodies(ts_sim *sim, double time);

// Rows of joints, limits and motors at the present state; factors the joints.
void ts_stage_joints(ts_stage *stage);

// v_free of the dynamic bodies from the velocity in the state, joints obeyed; what kinematic bodies have is copied.
void ts_stage_free_velocity(ts_stage *stage);

// Blocks, W, and the velocity of moving surfaces, for the contacts in the stage.
void ts_stage_assemble(ts_stage *stage);

// Solve the stage's problem, whose q is set: r, and the report. Starts from what the last step left.
void ts_stage_solve(ts_stage *stage, const ts_system *system, bool warm, double *r);

// Hold of a limit or motor: bias of its row, in q.
void ts_stage_bounded_bias(const ts_stage *stage, const ts_system *system, double *q);

// New velocity, report of works, contacts and memory after the impulses r of the stage have been applied to v_free.
void ts_stage_finish(ts_stage *stage);

// How fast a contact is asked to open because of its gap, as options say: gap/h, capped, or not at all where negative.
double ts_stabilizing_speed(const ts_sim *sim, double gap, double h);

#endif
