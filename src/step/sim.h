// The inside of a simulation, and what steppers share.
#ifndef TS_STEP_SIM_H
#define TS_STEP_SIM_H

#include "touchstone/sim.h"

#include "complementarity/solver.h"
#include "contact/warm_start.h"
#include "math/larger.h"
#include "schema/schema.h"

#include <math.h>

// Counts how often memory was asked for.
typedef struct ts_counting_allocator {
  ts_allocator inner;
  int allocations;
} ts_counting_allocator;

// A coordinate of the tree that is the angle of a joint.
typedef struct ts_tree_angle {
  int joint, q;
} ts_tree_angle;

// The energy of a simulation, and what steps before have left.
typedef struct ts_energy_account {
  bool is_known; // else nothing is, for something was changed from outside
  double kinetic, potential;
  double stagger; // of the last step (energy.c)
  double length;  // of that step [s]; 0: there was none
  double scale;   // the largest kinetic energy of late
  double gain;    // what free motion has gained in error beyond its allowance
} ts_energy_account;

struct ts_sim {
  const ts_model *model;
  ts_step_options options;
  ts_stabilization stabilization; // the rule in force
  ts_solve_options solve_options;
  ts_counting_allocator counting;
  ts_allocator allocator;  // hands to `counting`
  ts_arena memory;         // arrays of a size that the model fixes
  ts_arena scratch[2];     // what a step makes; the other one holds what the last step left
  int turn;                // of the two, the one that the last step used
  ts_workspace *workspace; // of the solvers
  ts_finder finder;
  ts_broad_phase *sweeper;     // of what parts sweep between events; NULL: the stepper does not ask
  ts_tree *tree;               // NULL: redundant coordinates, or no joints
  const bool *in_tree;         // joints that are coordinates (joint_count)
  const double *damping;       // of the rates of the tree, or NULL: none
  const ts_tree_angle *angles; // of the tree
  int angle_count;
  bool on_tree_alone;          // all that moves follows from the coordinates of the tree
  bool rows_possible;          // joints or springs can have rows beside the coordinates
  bool bodies_apart;           // dynamic bodies that are not on the tree
  double *free_rates;          // of the tree: what the step would reach untouched, rows not obeyed
  double *mean_rates;          // of the tree: what moves it through the step
  ts_wrench *applied;          // forces on bodies (body_count)
  ts_wrench *weight;           // the same by gravity alone, or NULL: not known beforehand (body_count)
  bool has_products;           // velocity products push on the rates of the tree
  ts_twist *base_acceleration; // of kinematic bodies (body_count)
  ts_state state;              // at the start of the step, then at its end
  ts_kinematics kinematics;    // of the state, always up to date between steps
  ts_twist *free_velocity;     // what the step would reach untouched, joints obeyed (body_count)
  ts_twist *old_velocity;      // at the start of the step (body_count)
  ts_wrench *pushes;           // of the user, for the next step (body_count)
  bool pushed;                 // else they are zero
  ts_force_callback *callback;
  void *callback_user;
  bool in_callback;
  ts_interrupt interrupt;
  bool interrupted;           // the step is given up because of it
  ts_contact_set contacts;    // of the last step
  ts_memory remembered;       // impulses of the last step
  ts_correction *corrections; // of the start (correction_count)
  int correction_count;
  bool placed;          // the user has placed bodies since the last step
  const int *base_of;   // kinematic body that a body's tree hangs on, or -1 (body_count); NULL: there is none
  ts_wrench *base_push; // of such a body (body_count): momentum of its tree, and what else than the base changes it
  ts_start_velocities start;
  ts_energy_account account;
  double fall;      // kinetic energy of all bodies after ten steps of a fall [J]
  double surplus;   // gain of the step beyond bounds [J]
  double excess;    // gain where it is beyond bounds, of the kinetic energy, a second; 0: there was none
  double kicked;    // kinetic energy after all impulses, where the step began; NAN: as at its end
  double held_step; // that held motion of event-driven steps goes on with [s]; 0: to be found
  ts_step_report report;
  const ts_step_report *report_before; // as it was when the present part of the step began
  bool timed;                          // report.seconds is wanted
  struct ts_snapshot *before;          // the simulation at the start of the step
  double start_time;                   // time when `steps` was 0
  int64_t steps;                       // taken since
};

struct ts_stepper {
  const char *name;               // what scene files say: "stewart-trinkle"
  const char *summary;            // one line for `touchstone list steppers`, with its source
  ts_stabilization stabilization; // its own
  ts_impact_law rebounds;         // its own law where something has a restitution
  bool needs_tree;                // all dynamic bodies have coordinates of a tree, whatever the options say
  const ts_section *options;      // that it alone takes, or NULL: none
  ts_status (*check)(const ts_step_options *options, ts_error *error);
  ts_status (*check_model)(const ts_model *model, ts_error *error); // NULL: takes all
  // Advance sim->state by h, fill in sim->report, sim->contacts and sim->remembered. Memory from the arena, which may
  // leave to its recovery point. False when numbers that are not finite came up.
  bool (*step)(ts_sim *sim, double h, ts_arena *arena);
};

extern const ts_stepper ts_stepper_stewart_trinkle, ts_stepper_velocity, ts_stepper_event_driven;
extern const ts_stepper *const ts_steppers[]; // all of them, ended by NULL

// What a step works with, linearized at its start.
typedef struct ts_stage {
  ts_sim *sim;
  double h;
  double theta;             // weight of the new velocity in the position update
  bool at_velocity_level;   // joints are asked for their rates alone, not to take back errors; everything stands at the
                            // end of the step
  const ts_wrench *applied; // forces on the bodies of a tree, once its free rates are there
  bool drifts;              // forces change the rates first; velocity products are left to the motion of the tree
  bool sudden;              // an impact alone: what needs time, dampers and their like, is left out
  bool strikes;             // an impact: forces have no time to work
  const ts_twist *from;     // velocities that the impulses of the stage change (body_count)
  const double *counted;    // impulses whose works are reported already (dimension*blocks), or NULL: none
  ts_arena *arena;
  ts_bilateral_row *joint_rows;
  int held; // rows that hold: of `bilateral`, or, with a tree, of `articulation`
  ts_bilateral bilateral;
  ts_articulation articulation;
  double *joint_impulse;   // (held)
  ts_bounded_row *bounded; // limits and motors
  int bounded_count;
  ts_contact_set contacts;
  bool keeps_overlap; // that is not of the last step's making: it could not be taken out, and gives no velocity
  bool gaps_at_end;   // kinematic bodies stand where they are at the end: gaps hold their normal motion
  ts_system system;
  double *surface;     // relative velocity that moving surfaces of kinematic bodies add (dimension*blocks)
  double *bias;        // added to J v in q (dimension*blocks)
  double *r;           // impulses (dimension*blocks)
  bool settled;        // they are the least of several that do the same
  const double *asked; // of contacts and stops that close: bias of normals instead of gap/h (blocks), or NULL: none
  const double *share; // of the compression that Poisson's law gives back from (blocks), or NULL: all
  double *jam;         // shares of the blocks in the proof that their problem has no solution, 0 without one (blocks)
} ts_stage;

// Works of the report that have a cause; stagger and the errors of integration follow from them.
#define TS_WORK_LIST(X) X(contact_work) X(damping_work) X(drive_work) X(applied_work) X(stabilization_work)

static inline bool ts_wrench_is_something(const ts_wrench *wrench)
{
  const ts_vec3 f = wrench->force, m = wrench->moment;
  return f.x != 0.0 || f.y != 0.0 || f.z != 0.0 || m.x != 0.0 || m.y != 0.0 || m.z != 0.0;
}

// Leaves to the recovery point of the step where its end was asked for.
void ts_sim_heed(ts_sim *sim);
// Velocities in the state, everything in place, to those that joints allow; sim->start.
void ts_sim_allow_velocities(ts_sim *sim, ts_arena *arena);

// Put kinematic bodies where they are at `time`, with their twists then, and bring the kinematics up to date.
void ts_place_kinematic_bodies(ts_sim *sim, double time);

// Bring up to date what follows from new poses, or, with a tree, from new coordinates: those of its bodies too.
void ts_sim_follow(ts_sim *sim);

// How far joints have turned, with everything in place: those of the tree are at its coordinates q.
void ts_sim_count_turns(ts_sim *sim, const double *q);

// Rows of joints, limits and motors at the present state; factors the joints, and the inertias of the tree. False where
// these have no factor: the step cannot be taken.
bool ts_stage_joints(ts_stage *stage);

// After an impact has changed the velocity in the state: rates of the tree, and what follows from them.
void ts_stage_new_velocity(ts_stage *stage);

// sim->free_velocity from the velocity in the state, joints obeyed; kinematic bodies keep theirs. With a tree also
// sim->free_rates.
void ts_stage_free_velocity(ts_stage *stage);

// Nothing acts on the tree but what is known at the start of the step: then its new rates are the free ones, and nobody
// asks for the twists that they mean before the bodies follow. To be called once contacts and rows are there.
bool ts_stage_flies(const ts_stage *stage);

// The velocity that a stage reaches that flies: rates of the tree without twists of its bodies, velocities of others.
void ts_stage_fly(ts_stage *stage);

// Bodies whose gyroscopic torques depend on what joints do (body_count), or NULL: none; and these torques, added to
// sim->free_velocity which is without them and the joints. False where the passes do not draw together.
const bool *ts_stage_turned_bodies(const ts_stage *stage);
bool ts_stage_turn(ts_stage *stage, const bool *turned);

// Contacts that may close within the step at the twists given. Leaves to the arena's recovery point when memory runs
// out.
void ts_stage_find_contacts(ts_stage *stage, const ts_twist *velocity);

// Blocks, W and moving surfaces for the contacts and bounded rows of the stage; bias and r are made and set to 0.
void ts_stage_assemble(ts_stage *stage);

// How fast a contact is asked to open because of its gap, as options say: gap/h, capped, or not at all where negative.
static inline double ts_stabilizing_speed(const ts_sim *sim, double gap, double h)
{
  if (gap >= 0.0 || sim->stabilization == TS_STABILIZATION_POSITION) return gap / h;
  if (sim->stabilization == TS_STABILIZATION_NONE) return 0.0;
  const double capped = sim->stabilization == TS_STABILIZATION_CAPPED ? -sim->options.recovery_speed : -INFINITY;
  return ts_larger(gap / h, capped);
}

// Slower repairs are nothing [m/s, rad/s].
static const double TS_SLOW_REPAIR = 1e-6;

// Whether something overlaps, or is beyond a stop, at all: quickly told.
static inline bool ts_stage_overlaps(const ts_stage *stage)
{
  const double deep = -TS_SLOW_REPAIR * stage->h;
  for (int i = 0; i < stage->contacts.count; ++i)
    if (stage->contacts.contacts[i].gap < deep) return true;
  for (int k = 0; k < stage->bounded_count; ++k)
    if (stage->bounded[k].gap < deep) return true;
  return false;
}

// The same by more than steps themselves leave. At the free velocity.
bool ts_stage_is_sunk(const ts_stage *stage);

// ts_stabilizing_speed() of block i, a contact or a stop; what is kept sunk stays as deep as it is. The second function
// is for stops and for contacts that overlap.
double ts_stage_repairing_gap_speed(const ts_stage *stage, int i);
static inline double ts_stage_gap_speed(const ts_stage *stage, int i)
{
  const double gap = i < stage->contacts.count ? stage->contacts.contacts[i].gap : -INFINITY;
  return gap >= -TS_SLOW_REPAIR * stage->h ? ts_stabilizing_speed(stage->sim, gap, stage->h)
                                           : ts_stage_repairing_gap_speed(stage, i);
}

// Of block i, a contact or a stop.
double ts_stage_restitution(const ts_stage *stage, int i);

// The hold of motors, and the bias of bounded rows, into stage->bias; limits as `limit_gaps` says: with their gap/h, or
// without.
void ts_stage_bounded_bias(ts_stage *stage, bool limit_gaps);

// Add the impulses of the stage's problem to stage->r, and what they do to `velocity`. `approach` (one number a block,
// or NULL: inelastic) are normal velocities before: where they are below -rest_speed Poisson's law gives impulse back.
// `warm`: start from what the last step left.
void ts_stage_collide(ts_stage *stage, ts_twist *velocity, const double *approach, bool warm);

// After contacts were found with the free velocities and the problem was solved: whether it is plain that the new
// velocities run into nothing else, which is the rule and tested at little cost.
bool ts_stage_is_in_sight(const ts_stage *stage);

// Else: whether the new velocities run into something that is not among the contacts. If so it is now, and all has to
// be solved again; `look` counts these turns, which end. Parts that pass through each other are reported, and the step
// is not certified.
bool ts_stage_look_again(ts_stage *stage, int look);

// The same for steppers that take contacts when they are closed: nothing but the report changes.
void ts_stage_notice_passages(ts_stage *stage);

// The same for a way that bodies are about to make, in the state's velocities, once all is solved.
void ts_stage_notice_unseen(ts_stage *stage);

// Bodies passed through each other, or may have: the step is not certified.
void ts_report_tunnel(ts_sim *sim, const ts_contact *between);

// Looks for the largest factor of rebounds in [0, 1] that gains no energy, by bisection. Begins with .high = .factor
// = 1.
typedef struct ts_factor_search {
  double low, high, factor;
  int trials;
} ts_factor_search;

// After `factor` was tried. False: it is the answer. (The last one that is tried is known not to gain, or 0.)
bool ts_factor_search_next(ts_factor_search *search, bool gained);

// Relative normal velocity of a contact at the velocity in the state, moving surfaces counted.
double ts_normal_speed(const ts_sim *sim, const ts_contact *contact);

// Normal velocities of the blocks at the velocity in the state, and whether one of them approaches faster than `slow`.
double *ts_stage_approach(const ts_stage *stage, double slow, bool *impact);

// Which blocks give back what they are compressed by: with friction those that approach faster than `slow`; without,
// where impacts cannot gain energy, all, once one approaches faster than `least` and rest_speed: what touches an impact
// is part of it. Approaches become 0 of those that do not, -INFINITY of those that do.
void ts_stage_choose_rebounds(const ts_stage *stage, double least, double slow, double *approach);

// Compression and, where the approach was fast enough, decompression of all blocks at the velocity in the state
// (ERRATA II E). Motors have no time to act.
void ts_stage_impact(ts_stage *stage, const double *approach);

// Velocity below which contact i counts as not slipping: what is left of its data by the tolerance of the solve.
double ts_slip_threshold(const ts_stage *stage, int i);

// How far a polygon inside the circle of friction falls short of it in the middle of its edges; 1 without polygons.
double ts_cone_share(const ts_sim *sim);

// Where r, which leads to `velocity`, is not the only solution: exchange it for the least one. `guess` is where it was
// started from, or NULL.
void ts_stage_settle(ts_stage *stage, const double *guess, const ts_twist *velocity, double *r);

// Whether the impulses of contacts that stick follow from what they do to the bodies.
bool ts_stage_is_unique(const ts_stage *stage);

// A solve that is done again leaves nothing but its effort in the report, which is else as it was before.
void ts_forget_attempt(ts_sim *sim, const ts_step_report *before);

// Solve a problem whose q is set. r: starting point where `warm`, and the solution.
void ts_stage_solve(ts_stage *stage, const ts_system *system, bool warm, double *r);

// Works of the impulses that have changed stage->from to the velocity in the state; `after`: rates of the blocks at
// that, and behind them those at stage->from.
void ts_stage_add_works(ts_stage *stage, const double *after);

// The works that damping does on the rates of the tree, which change like this.
void ts_stage_add_damping(ts_stage *stage, const double *before, const double *after);

// After the new velocity is in the state: contacts with impulses, velocities and modes, works, what to remember.
void ts_stage_finish(ts_stage *stage);

// New poses from old and new velocities; time moves on.
void ts_stage_advance(ts_stage *stage);

// Work of bases of trees: at the start of a step, with the impulses of its stage, and at the end, everything in place.
void ts_bases_init(ts_sim *sim);
void ts_bases_begin(ts_sim *sim);
void ts_bases_push(ts_stage *stage);
void ts_bases_close(ts_sim *sim);
// Their power where bodies on trees accelerate like this under `applied` (body_count, joints' own friction left out),
// everything in place; joints that close loops with the world are not counted. Only where sim->base_of is.
double ts_bases_power(ts_sim *sim, const ts_twist *acceleration, const ts_wrench *applied);

// The energy of the present state into the account where it is not known.
void ts_energy_begin(ts_sim *sim);

// After a step of length h, or a part of one, that began with `before` in the account and in the report: energies,
// stagger and integration work into the report, and the account. A gain of free motion beyond bounds is not certified.
void ts_energy_close(ts_sim *sim, double h, const ts_energy_account *before, const ts_step_report *works_before);

// Of a step that is taken though it has gained more than all there was: velocities of no more kinetic energy than it
// began with, all by one factor, so that directions stay and what rests stays at rest. False: it is none of that kind.
bool ts_energy_slow_down(ts_sim *sim, const ts_energy_account *before);

// The energy of such a step of length h once its end is in place. Nothing is known of its stagger.
void ts_energy_renew(ts_sim *sim, double h, const ts_energy_account *before, const ts_step_report *works_before);

#endif
