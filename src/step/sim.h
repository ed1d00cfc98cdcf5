// The inside of a simulation.
#ifndef TS_STEP_SIM_H
#define TS_STEP_SIM_H

#include "touchstone/sim.h"

#include "step/energy_account.h"
#include "step/skin_memory.h"
#include "step/elastic_memory.h"
#include "step/stepper.h"

#include "complementarity/solver.h"
#include "contact/warm_start.h"

// Counts how often memory was asked for.
typedef struct ts_counting_allocator {
  ts_allocator inner;
  int allocations;
} ts_counting_allocator;

// A joint that is a coordinate at the start of a step.
typedef struct ts_open_joint {
  ts_wrench others; // in the load, without what the joint transmits as a coordinate [N s, N m s]
  ts_vec3 point;    // on the child, where loads are taken [m]
  ts_vec3 axes[3];  // that it turns about freely, orthonormal
  int axis_count;
} ts_open_joint;

// What joints of a tree owe its bodies in a step, until these have moved (step/joint_loads.h).
typedef struct ts_load_balance {
  bool is_open;
  ts_wrench *momentum;   // of bodies at the start and what acts on them otherwise, about their centers (body_count)
  ts_vec3 *center;       // of mass at the start (body_count) [m]
  ts_open_joint *joints; // (joint_count)
} ts_load_balance;

// What a joint has transmitted, and its motor done, in a step (step/joint_loads.h).
typedef struct ts_joint_load {
  ts_wrench wrench; // on the child, at the joint's point [N s, N m s]
  double drive;     // along the coordinate [N s, N m s]
} ts_joint_load;

// Impacts that were located in the step; the list lies in its memory.
typedef struct ts_impact_list {
  ts_located_impact *impacts;
  int count, capacity;
} ts_impact_list;

struct ts_sim {
  const ts_model *model;
  ts_step_options options;
  ts_stabilization stabilization; // the rule in force
  ts_solve_options solve_options;
  double length; // error of a gap to be content with, where `accuracy` leaves the choice [m]
  ts_counting_allocator counting;
  ts_allocator allocator;  // hands to `counting`
  ts_arena memory;         // arrays of a size that the model fixes
  ts_arena scratch[2];     // what a step makes; the other one holds what the last step left
  int turn;                // of the two, the one that the last step used
  ts_workspace *workspace; // of the solvers
  ts_team *team;           // shares the work of a step; NULL: the caller's thread does it alone
  ts_finder finder;
  void *own;       // of the stepper
  double *numbers; // of the stepper, of controllers behind them, and loads of supports (number_count)
  int number_count;
  ts_mechanics mechanics;     // how the state moves
  bool rows_possible;         // joints or springs can have rows beside the coordinates
  ts_state state;             // at the start of the step, then at its end
  ts_kinematics kinematics;   // of the state, always up to date between steps
  ts_twist *free_velocity;    // what the step would reach untouched, joints obeyed (body_count)
  ts_twist *old_velocity;     // at the start of the step (body_count)
  ts_wrench *pushes;          // of the user, for the next step (body_count)
  bool pushed;                // else they are zero
  ts_joint_command *commands; // of the user (joint_count); state.commands where there are some
  double *support_loads;      // that supports press with (support_point_count) [N], the last of `numbers`
  ts_joint_load *loads;       // of the step (joint_count), or NULL: nobody asks
  ts_joint_load *load_memory; // for them, once somebody has asked
  ts_load_balance *balance;   // of trees in the last step (step/joint_loads.h), or NULL: there is no tree
  ts_force_callback *callback;
  void *callback_user;
  bool in_callback;
  ts_interrupt interrupt;
  bool interrupted;           // the step is given up because of it
  ts_contact_set contacts;    // of the last step
  ts_impact_list impacts;     // of the last step
  ts_warm_start remembered;   // impulses of the last step
  ts_skin_memory skins;       // deflections after it
  ts_elastic_memory elastic;  // those of contacts that are springs
  ts_correction *corrections; // of the start (correction_count)
  int correction_count;
  bool placed;          // the user has placed bodies since the last step
  const int *base_of;   // kinematic body that a body hangs on by coordinates, or -1 (body_count); NULL: there is none
  ts_wrench *base_push; // of such a body (body_count): momentum of its tree, and what else than the base changes it
  ts_start_velocities start;
  ts_energy_account account;
  double fall;            // kinetic energy of all bodies after ten steps of a fall [J]
  double surplus;         // gain of the step beyond bounds [J]
  double lifted;          // of what positions were rid of overlap for, the part beyond the stated length (repair.h) [J]
  double belated;         // what contacts have taken because they were found in overlap (works.c) [J]
  double blur;            // what errors of velocities within the tolerance make of the works of drives [J]
  double excess;          // gain where it is beyond bounds, of the kinetic energy, a second; 0: there was none
  bool hurries;           // the step gains within bounds that its like would soon reach: shorter parts are better
  double overlap;         // at the end of the step where it is beyond bounds, of the size of a part; 0: there was none
  bool unsettled;         // guesses of where the step ends did not settle: the residual is that of any of them
  bool closes_by_gaps;    // whole impacts gained energy in this step: its parts take gaps instead (closing.h)
  double kicked;          // kinetic energy after all impulses, where the step began; NAN: as at its end
  double theta;           // weight of the new velocity in the position update of the last step
  double weight_power[2]; // of gravity before and after it, where that is all that staggers [W]; [0] NAN: not known
  ts_step_report report;
  const ts_step_report *report_before; // as it was when the present substep began
  bool timed;                          // report.seconds is wanted
  struct ts_snapshot *before;          // the simulation at the start of the step
  double start_time;                   // time when `steps` was 0
  int64_t steps;                       // taken since
  ts_interval part;                    // times whose impulses fall into the part of the step that is being taken
};

// ts_sim_create(), from options that were checked. Of a simulation `like` it, of nearly the same model (or NULL), what
// takes long to find is copied; it takes the same steps without.
ts_status ts_sim_create_like(const ts_sim *like, const ts_model *model, const ts_step_options *options,
                             const ts_allocator *allocator, ts_sim **sim, ts_error *error);

// What is reported before the first step.
ts_step_report ts_report_fresh(void);

// Whether contacts give way, so that overlap presses on bodies; and skins and springs of what overlaps where they
// stand.
bool ts_sim_is_soft(const ts_sim *sim);
void ts_sim_press_in(ts_sim *sim, ts_arena *arena);

// Leaves to the recovery point of the step where its end was asked for.
void ts_sim_heed(ts_sim *sim);

// Gravity, springs, bushings, soft skins and contacts that are springs [J].
double ts_sim_potential_energy(const ts_sim *sim);

// Put kinematic bodies where they are at `time`, with their twists then, and bring the kinematics up to date.
void ts_place_kinematic_bodies(ts_sim *sim, double time);

#endif
