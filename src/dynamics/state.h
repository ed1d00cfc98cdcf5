// The moving part of a simulation: where bodies are and how fast. Everything is about centres of mass.
#ifndef TS_DYNAMICS_STATE_H
#define TS_DYNAMICS_STATE_H

#include "touchstone/sim.h"

#include "model/model.h"

// What a program asks of a joint.
typedef struct ts_joint_command {
  double push;     // along its coordinate, for a step [N, N m]
  bool has_target; // its motor follows `target` and its rate instead of the model's signal
  double target, rate;
} ts_joint_command;

typedef struct ts_state {
  double time;
  ts_pose *pose;      // of the centre of mass frames (body_count)
  double *angle;      // plane: orientation without jumps; pose follows from it (body_count)
  ts_twist *velocity; // (body_count)
  double *turned; // space: angle of joints that have one, without jumps, as of ts_state_follow_joints() (joint_count)
  double *q, *rates;   // coordinates of a tree (dynamics/tree.h), where there is one
  size_t numbers;      // in all these arrays. They lie behind each other, from `pose` on
  const bool *on_tree; // bodies that a tree moves: their poses and velocities follow from q and rates (body_count, or
                       // NULL: none)
  const ts_joint_command *commands; // (joint_count), or NULL: none
} ts_state;

// What follows from the poses; refreshed by ts_kinematics_update().
typedef struct ts_kinematics {
  ts_frame *frame;          // pose as origin and axes (body_count)
  ts_mat3 *inverse_inertia; // in world axes; zero for bodies that are not dynamic (body_count)
} ts_kinematics;

// Arrays for a model's state, and for so many coordinates and rates of a tree; what is in them is not set.
ts_state ts_state_allocate(const ts_model *model, int coordinates, int rates, ts_arena *arena);
// Time, bodies and turns of joints alone, between states of one model whose trees may differ.
void ts_state_copy_bodies(const ts_state *from, ts_state *to);

void ts_state_init(const ts_model *model, ts_state *state); // arrays are there; fill in time 0
// Put kinematic bodies where they are at time t, with their velocities; in the plane angles go on without jumps.
void ts_state_follow_motions(const ts_model *model, double t, ts_state *state);
// Derivatives of the twists of kinematic bodies at time t (body_count; of others 0).
void ts_motion_accelerations(const ts_model *model, double t, ts_twist *acceleration);
void ts_kinematics_update(const ts_model *model, const ts_state *state, ts_kinematics *kinematics);

static inline bool ts_wrench_is_something(const ts_wrench *wrench)
{
  const ts_vec3 f = wrench->force, m = wrench->moment;
  return f.x != 0.0 || f.y != 0.0 || f.z != 0.0 || m.x != 0.0 || m.y != 0.0 || m.z != 0.0;
}

// M^-1 times a wrench about a body's centre of mass.
static inline ts_twist ts_respond(const ts_model *model, const ts_kinematics *kinematics, int body, ts_wrench wrench)
{
  return (ts_twist){ts_scale(model->bodies[body].inverse_mass, wrench.force),
                    ts_mul(&kinematics->inverse_inertia[body], wrench.moment)};
}

// q + h G(q) v, quaternions normalized (thesis 2.16; corrections.md 11). Dynamic bodies only; `weight` mixes the
// velocities: weight new + (1 - weight) old (the theta of Moreau-Jean); `old_velocity` is not read when weight is 1.
// The time stays.
void ts_state_advance(const ts_model *model, double h, double weight, const ts_twist *old_velocity, ts_state *state);

// How bodies turn in a step: the gyroscopic rule, and the weight of the position update, which ts_state_advance() gets.
typedef struct ts_turning {
  ts_gyroscopic rule;
  double weight;
  const bool *apart; // bodies whose gyroscopic torque is left out (body_count, or NULL: none)
  ts_vec3 *change;   // receives what the torque changes of angular velocities (body_count), or NULL
} ts_turning;

// Velocity of every dynamic body after h of gravity, forces at time t, explicit springs, motors that are forces, the
// gyroscopic torque and `pushes` (wrenches about centres of mass, body_count, or NULL): v + h M^-1 f. Not set to
// anything of use for bodies on a tree, whose inertia is not their own.
void ts_free_velocity(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, double h,
                      ts_turning turning, const ts_wrench *pushes, ts_twist *free_velocity);

// velocity += what the gyroscopic torques of these bodies (body_count) do in h, taken at the angular velocities `at`.
void ts_turn_apart(const ts_model *model, const ts_kinematics *kinematics, double h, const bool *apart,
                   const ts_twist *at, ts_twist *velocity);

// The end of a spring in the world, side 0 or 1.
ts_vec3 ts_spring_end(const ts_model *model, const ts_state *state, int spring, int side);

// Whether anything but gravity, the gyroscopic torque and pushes can act on the bodies of a model.
bool ts_forces_are_possible(const ts_model *model);

// The wrenches about centres of mass behind that (body_count), gravity included, the gyroscopic torque not.
void ts_applied_wrenches(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                         const ts_wrench *pushes, ts_wrench *wrench);

// Impulses of forces and motors within the span, about centres of mass (body_count) [N s, N m s].
void ts_applied_impulses(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                         ts_interval span, ts_wrench *impulse);

// What a motor follows at time t, the program's target where there is one; `rate` (may be NULL) its derivative.
double ts_motor_target(const ts_model *model, const ts_state *state, int joint, double t, double *rate);

// Of a motor that is a force along the coordinate of its joint: what it pushes with at the state's time [N, N m], and
// its impulses within the span [N s, N m s]. 0 of other motors.
double ts_motor_force(const ts_model *model, const ts_state *state, int joint);
double ts_motor_impulse(const ts_model *model, const ts_state *state, ts_interval span, int joint);

// Powers of these wrenches at the twists given [W], without what has a potential: of forces and pushes, of drives and
// bodies that move as they are told, and of dampers of springs, which pull as the twists of the state have it.
typedef struct ts_force_powers {
  double applied, drive, damping;
} ts_force_powers;

ts_force_powers ts_powers_of_forces(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                                    const ts_wrench *pushes, const ts_twist *at);

// Adds a force or torque along the coordinate of a joint to the wrenches of its bodies.
void ts_push_along_joint(const ts_model *model, const ts_kinematics *kinematics, int joint, double force,
                         ts_wrench *wrench);

double ts_kinetic_energy(const ts_model *model, const ts_kinematics *kinematics, const ts_twist *velocity);
double ts_potential_energy(const ts_model *model, const ts_state *state); // gravity, springs, bushings

#endif
