/// A simulation: the state of a model, stepped through time. Contacts, impulses and a certificate of every step can be
/// read between steps.
#ifndef TOUCHSTONE_SIM_H
#define TOUCHSTONE_SIM_H

#include "touchstone/model.h"
#include "touchstone/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ts_cone { TS_CONE_QUADRATIC, TS_CONE_POLYHEDRAL } ts_cone;

/// Where the first direction of a polyhedral cone lies; `direction_angle` turns the second and the third.
typedef enum ts_alignment {
  TS_ALIGN_FIXED, ///< along tangent t
  TS_ALIGN_SLIP,  ///< against the slip
  TS_ALIGN_BODY   ///< along the x axis of body_2, seen along the normal; its y axis where x is the normal
} ts_alignment;
typedef enum ts_impact_law {
  TS_IMPACT_DEFAULT, ///< inelastic where no restitution of the model is above 0, else the stepper's own: newton, of
                     ///< event-driven poisson. ts_sim_options() has the law that is in force
  TS_IMPACT_INELASTIC,
  TS_IMPACT_NEWTON,
  TS_IMPACT_POISSON
} ts_impact_law;
TS_API const char *ts_impact_law_name(ts_impact_law law); ///< "default", "inelastic", "newton", "poisson"

/// What `stewart-trinkle` does with a contact that closes within the step.
typedef enum ts_closing {
  TS_CLOSING_DEFAULT, ///< gap; with Poisson's law impact
  TS_CLOSING_GAP,     ///< as thesis 2.6 has it: the step leaves an approach of gap/h, which the next one takes
  TS_CLOSING_IMPACT   ///< velocities are those after the whole impact, positions close the gap
} ts_closing;
typedef enum ts_stabilization {
  TS_STABILIZATION_DEFAULT, ///< the stepper's own
  TS_STABILIZATION_FULL,
  TS_STABILIZATION_CAPPED,
  TS_STABILIZATION_NONE,
  TS_STABILIZATION_POSITION ///< `stewart-trinkle`, `implicit`: overlap that steps did not make themselves is taken out
                            ///< of positions, without velocity: at once where it is deep, else now and then
} ts_stabilization;
typedef enum ts_activation { TS_ACTIVATE_CURRENT, TS_ACTIVATE_MIDPOINT, TS_ACTIVATE_END } ts_activation;

/// How `implicit` poses its step; the motion is the same.
typedef enum ts_formulation {
  TS_FORMULATION_REDUCED, ///< impulses at the points of patches, for one geometry after another
  TS_FORMULATION_MNCP     ///< the mixed complementarity problem of 003, by a solver of such problems
} ts_formulation;
typedef enum ts_gyroscopic { TS_GYROSCOPIC_EXPLICIT, TS_GYROSCOPIC_IMPLICIT, TS_GYROSCOPIC_MIDPOINT } ts_gyroscopic;

typedef enum ts_coordinates {
  TS_COORDINATES_REDUNDANT, ///< six numbers a body, joints as rows
  TS_COORDINATES_MINIMAL    ///< coordinates of the joints of a spanning tree; only the joints that close loops are rows
} ts_coordinates;

/// What becomes of overlap and of joints beyond their limits at the start, and where a body was placed.
typedef enum ts_start {
  TS_START_CORRECTED, ///< taken out by the least motion (in the metric of the masses), velocities stay
  TS_START_AS_GIVEN   ///< left to the steps
} ts_start;

/// Where the impulses of a contact act while its bodies overlap.
typedef enum ts_arms {
  TS_ARMS_COMMON, ///< at one point midway: angular momentum is conserved
  TS_ARMS_SURFACE ///< at each body's own surface, as 000 and 001 have it: conserved up to the overlap. A kinematic body
                  ///< then has the velocity of its own surface, at the foot of the contact
} ts_arms;

/// Velocity of the surfaces of kinematic bodies that friction sees.
typedef enum ts_surfaces {
  TS_SURFACES_END,   ///< at the end of the step
  TS_SURFACES_SECANT ///< how they carry, through the step, what sticks to them: the way of what is at the touching
                     ///< body's centre at the start, over the length of the step, and the mean turning about it;
                     ///< `stewart-trinkle` and `quasistatic` only
} ts_surfaces;

/// Where polygons or polyhedra may be apart along several directions at the end of a step: a vertex beside a corner of
/// another body, two edges (docs/theory/corners.md).
typedef enum ts_corners_rule {
  TS_CORNERS_NEAREST,    ///< one direction, of the nearest points at the start of the step or of where bodies pass
  TS_CORNERS_EXACT,      ///< any one, and only what is touched pushes: a disjunction; `stewart-trinkle` only
  TS_CORNERS_CONJUNCTION ///< all, for comparison: faces go on beyond their ends; `stewart-trinkle` only
} ts_corners_rule;

/// A time-stepper; an entry of the list.
typedef struct ts_stepper ts_stepper;
/// How many steppers there are.
TS_API int ts_stepper_count(void);
TS_API const ts_stepper *ts_stepper_at(int i);              ///< 0 <= i < ts_stepper_count()
TS_API const ts_stepper *ts_stepper_find(const char *name); ///< or NULL
/// The name that ts_stepper_find() takes (static text).
TS_API const char *ts_stepper_name(const ts_stepper *stepper);
TS_API const char *ts_stepper_summary(const ts_stepper *stepper); ///< one line: what it solves and its source

/// How to step. Start from ts_step_options_default(); a zeroed struct is refused.
typedef struct ts_step_options {
  const ts_stepper *method;
  double size; ///< [s] > 0
  ts_cone cone;
  int directions;         ///< of the polyhedral cone, even, >= 4
  ts_alignment align;     ///< of the polyhedral cone
  double direction_angle; ///< polyhedral cone, not aligned with the slip: that the first direction is turned by [rad]
  const ts_solver *solver;
  double tolerance;   ///< certificate a step has to reach, in (0, 1); 0 (default): 1e-8
  double accuracy;    ///< [m] >= 0: certify steps with gap errors up to this, after some effort; 0: off; -1:
                      ///< automatic, 1e-5 of half the least width of the smallest dynamic body in problems with more
                      ///< than 60 contacts, otherwise off; -2 (default): 0 if a tolerance is given, otherwise -1
  int max_iterations; ///< 0: the solver's own limit
  bool warm_start;    ///< solvers begin with the impulses of the last steps
  ts_line_search line_search; ///< of fb-plm and ncp-plm
  double impulse_scale;       ///< of the ncp solvers: 0: from W; 1: paper 000
  ts_impact_law impacts;
  ts_closing closing; ///< `stewart-trinkle` only
  double rest_speed;  ///< [m/s] >= 0: slower approaches do not rebound
  ts_start start;
  ts_stabilization stabilization;
  double recovery_speed; ///< [m/s] > 0: fastest correction of penetration when capped
  double theta; ///< `velocity` only: weight of the end of the step in the position update, in [0.5, 1]; 1 with joints
  ts_activation activate;     ///< `velocity` only
  ts_formulation formulation; ///< `implicit` only
  double contact_error; ///< `compliant` only, in (0, 1): what springs of contacts may err by, as a share of their speed
  int most_parts;       ///< `compliant` only: parts that a step is divided into for them at most, a power of 2
  ts_gyroscopic gyroscopic; ///< in minimal coordinates of all velocity products
  ts_coordinates coordinates;
  ts_arms arms;
  ts_surfaces surfaces;
  ts_corners_rule corners;
  double margin;    ///< [m] >= 0: gaps up to this are contacts; 0: from speeds and step size
  int max_substeps; ///< a step that is not certified is tried again in up to this many parts; a power of 2, 1: never
  int threads;      ///< that share a step, from 1 to 256; the results have the same bits with any number
  uint32_t cookie;  ///< set by ts_step_options_default()
  const ts_extensions *extensions; ///< whose solvers and steppers may be set by name, too; NULL: none
  const ts_stepper *owner;         ///< of `own`; set with "method" by ts_step_options_set()
  double own[16]; ///< values of options that are no members here: those of a single stepper, set by name
} ts_step_options;

/// The defaults that `touchstone list options` shows.
TS_API ts_step_options ts_step_options_default(void);
/// Every value in its range, and which combinations make sense.
TS_API ts_status ts_step_options_check(const ts_step_options *options, ts_error *error);

/// An option as scenes and `--set` know it, below `step`; `touchstone list options` shows them.
typedef struct ts_step_option {
  char name[80];             ///< "rest_speed", "cone.polyhedral.angle"
  char type[200];            ///< "number", "whole number", "true or false", "one of: ..."
  const char *unit;          ///< "m", or ""
  const char *range;         ///< "> 0", or ""
  const char *fallback;      ///< default as text
  const char *help;          ///< one line
  const ts_stepper *stepper; ///< the only one that takes it; NULL: all do
} ts_step_option;
TS_API int ts_step_option_count(void);          ///< of all options, those of single steppers included
TS_API ts_step_option ts_step_option_at(int i); ///< 0 <= i < ts_step_option_count()
/// Set or read an option by name, as text with a decimal point whatever the locale. A text that is no such value is
/// TS_INVALID, and the options stay as they were. With "method" come the defaults of what the stepper keeps in `own`.
TS_API ts_status ts_step_options_set(ts_step_options *options, const char *name, const char *text, ts_error *error);
/// The text is cut off where `size` characters do not hold it.
TS_API ts_status ts_step_options_get(const ts_step_options *options, const char *name, char *text, size_t size,
                                     ts_error *error);

/// Steps of a size that a run of so long takes: at least one, and what is left over by round-off does not count.
TS_API int64_t ts_step_count(double duration, double size);
/// TS_INVALID, with the count, if a run of this duration has more than 1e9 steps: usually a number is wrong.
TS_API ts_status ts_step_count_check(double duration, double size, ts_error *error);

typedef enum ts_contact_mode { TS_SEPARATE, TS_STICK, TS_SLIP, TS_ROLL } ts_contact_mode;
TS_API const char *ts_contact_mode_name(ts_contact_mode mode); ///< "separate", "stick", "slip", "roll"

/// A contact of the last step. Impulses act on body_1; body_2 receives the opposite at the same point. Of a step that
/// was cut into parts the impulses are the sum over all of them: frame, velocity and mode are those of the last part,
/// the gap that of the first, the point is the mean over the parts weighted by normal impulse. Contacts that let go
/// before the last part are there too, with mode separate.
typedef struct ts_contact {
  int body_1, body_2;   ///< body_1 is dynamic; the normal points from body_2 to it
  int part_1, part_2;   ///< that touch; -1 of supports
  bool support;         ///< a point that body_1 stands on in a 2.5D world: n is z, t is x, o is y; body_2 is what the
                        ///< plane moves with, or TS_WORLD
  uint32_t feature;     ///< tells the points of one pair apart, stable from step to step
  ts_vec3 point;        ///< where the impulses act (world) [m]
  ts_vec3 arm_1, arm_2; ///< the point as seen from the centres of mass of body_1 and body_2 (world axes) [m]
  ts_vec3 normal, tangent, other; ///< n, t and o = n x t (world, unit)
  double gap;                     ///< at the start of the step, kinematic bodies at its end; of soft skins between
                                  ///< their cores [m]
  double impulse[4];              ///< p_n, p_t, p_o [N s], p_r [N m s]
  double velocity[4]; ///< relative velocity of body_1 at the end of the step: n, t, o [m/s], about n [rad/s]
  double friction, restitution;
  double jam;           ///< share in the infeasibility certificate of a jammed step, else 0
  ts_contact_mode mode; ///< roll: sticks while the bodies turn against each other about a tangent
  int patch;            ///< dimension of what it stands for: 0 a point, 1 a line, 2 a surface (steppers whose contacts
                        ///< are patches; else 0)
  int summed;           ///< problems that the impulses were summed up from, as vectors, in a step that was taken in
                        ///< parts; 1: they are those of one problem, and obey its law in this frame. Of smooth motion
                        ///< between events the problems of its substeps
  double deflection[3]; ///< of soft skins at the end of the step, both together, or of contacts that are springs: n,
                        ///< t, o, as they push [m]; else 0
  double core;          ///< part of p_n that skins do not bear but their rigid cores [N s]; else 0
} ts_contact;

/// What a step reports. Works and counts of substeps are summed; residuals and errors are the worst of them.
typedef struct ts_step_report {
  bool certified; ///< every problem of the step within tolerance, or within `accuracy` (then `within_length` is not 0),
                  ///< or within what round-off of the velocities can account for, joints and drives without a
                  ///< largest force obeyed, joints together at the end (docs/theory/stepping.md), and all numbers of
                  ///< the report, of contacts and of joints finite; if false the best point found was taken, or where
                  ///< that is far off the solution with contacts that give way a little
  bool jammed;    ///< not certified because no solution exists, which was proven (of polyhedral cones in space: for the
                  ///< quadratic ones): bodies are driven against each other without limit; ts_contact.jam tells where
  bool wedged;    ///< quasistatic: jammed, and it is not proven: no solution was found, and contacts that drives close
                  ///< hold each other by friction with forces of any size
  bool tunnelled; ///< not certified because bodies passed through each other within the step, or may have
  int tunnelled_bodies[2]; ///< where tunnelled: the first two that did
  bool gained;             ///< not certified because the method gained energy: beyond a thousandth of it in 10 s, or at
                           ///< once. What is more than all there was is an explosion: it is taken back, and the step
                           ///< ends with the kinetic energy that it began with
  bool unique; ///< no other motion was found to solve the step: nearby with other loads of contacts that slide, apart
               ///< with bodies wedged or contacts that their own friction closes, and quasistatic with the impulses that
               ///< were found. Else that of the declared loads and the least one is taken.
               ///< False too where it is not found out: more than 32 contacts that act on each other, or
               ///< `within_length`, where one of them may slide
  bool no_equilibrium; ///< quasistatic: not certified because nothing balances what pulls `unheld_body`; bodies stay
  int unheld_body;
  bool stayed;  ///< quasistatic: not certified, because forces do not balance or no solution exists or was found; all
                ///< bodies but those that move as they are told stay where they are, without impulses
  bool tipping; ///< not certified because statics asks a support of `tipping_body` to pull (2.5D)
  int tipping_body;
  const char *solver;   ///< that produced the impulses (static text)
  bool impulses_unique; ///< it is certain that the impulses of contacts that stick, and loads of those that slide,
                        ///< follow from what they do to the bodies; else others may do the same, and those of least
                        ///< norm are given
  int iterations, factorizations, fallbacks;
  int problems;            ///< complementarity problems that were posed, of attempts that were given up too
  int substeps;            ///< 1: the step was taken in one piece
  int events;              ///< impacts that were located in the step (event-driven)
  double event_time;       ///< of the last of them [s]; 0: there was none
  int contacts;            ///< in the problem, supports not counted; of a step that was cut, in any of its parts
  int problem_size;        ///< unknowns of the complementarity problem
  double residual;         ///< certificate: scaled natural map
  int within_length;       ///< problems of the step that are certified within `accuracy` and not to the tolerance
  double velocity_error;   ///< backward error of the worst contact (ts_friction_measures) [m/s]; 0 where the friction
                           ///< problem was lowered to another
  double length_error;     ///< the same times the length of the step or substep: of a gap [m]
  double penetration;      ///< deepest overlap at the start of the step, of quasi-static steps at the end [m], >= 0
  double taken_out;        ///< of overlap, broken limits and open joints: what positions were rid of before the step,
                           ///< without velocity [m, rad]; 0: nothing
  double cone_violation;   ///< farthest that an impulse lies outside its friction cone, of the problems' solutions and
                           ///< of what the contacts of a part or of a smooth step report [N s]
  double joint_error;      ///< largest joint constraint error at the start of the step [m, rad], and at its end where
                           ///< bodies turn so far in it that it may be too large to be certified
  double joint_residual;   ///< largest velocity error of a joint row after the solve [m/s, rad/s]
  double kinetic_energy;   ///< at the end of the step [J]
  double potential_energy; ///< gravity, springs, bushings, skins and contacts that are springs, at the end [J]
  /// Works [J]: kinetic and potential energy at the start of the step and all of them make those at its end. Impulses
  /// work on the mean of the velocities before and after (docs/theory/stepping.md).
  double contact_work;       ///< contacts and stops of joints, on relative velocities: not above 0 without restitution,
                             ///< but for `implicit`, within bounds (docs/theory/implicit.md)
  double damping_work;       ///< dry friction and damping of joints, dampers of springs and bushings: not above 0
  double drive_work;         ///< motors, servos, and bodies that move as they are told, through contacts and joints
  double applied_work;       ///< forces of the model, ts_sim_push()
  double stabilization_work; ///< repairs penetration: what normal impulses of bodies that overlap give
  double correction_work;    ///< change of potential energy where positions were rid of overlap (`taken_out`); for
                             ///< overlap beyond 2 % of the smaller body's arm it counts as gained
  double stagger_work;     ///< of fixed steps: velocities are those of half a step before. Follows the power of forces,
                           ///< h/2 of it, and adds up to nothing in the long run
  double integration_work; ///< what the method made, or lost, by its errors. Gains by it and by stabilization beyond
                           ///< 1e-3 of the kinetic energy in 10 s are not certified where no drive works, but for
                           ///< gyroscopic: explicit
  double energy_scaled_back; ///< factor < 1 by which rebounds were reduced to not gain energy, else 1
  double regularized;        ///< event-driven: time of the step that was taken by fixed steps instead, because the work
                             ///< between events came to its limit [s]
  double regularized_size;   ///< the longest of these fixed steps [s], 0: there was none
  double seconds;            ///< wall time, where it was asked for (ts_sim_set_timing()), else 0
} ts_step_report;

/// What a step has memory for. A step that finds more is refused with TS_OUT_OF_MEMORY and a sentence that names the
/// number: bodies then lie within one another by the hundred, which no scene means.
enum {
  TS_MOST_CONTACTS = 1000000,  ///< contacts within reach
  TS_MOST_COUPLINGS = 30000000 ///< ordered pairs of contacts that push the same body: blocks of W, 2 GB of them
};

/// The state of a model, memory, and the report of the last step. Serves one thread at a time; any number of
/// simulations may share a model, which must outlive them.
typedef struct ts_sim ts_sim;

/// At the model's initial state. `options` is copied. On failure *sim is NULL. Release with ts_sim_destroy(), which
/// accepts NULL. `allocator` (may be NULL: malloc and free) is copied.
TS_API ts_status ts_sim_create(const ts_model *model, const ts_step_options *options, const ts_allocator *allocator,
                               ts_sim **sim, ts_error *error);
/// Release a simulation; the model stays. Accepts NULL.
TS_API void ts_sim_destroy(ts_sim *sim);

/// What was wrong with the positions that a simulation began with, and was taken out without giving velocity
/// (`start: corrected`): two bodies that overlapped, or a joint beyond a limit.
typedef struct ts_correction {
  int body_1, body_2; ///< of a joint its parent (or TS_WORLD) and its child
  int joint;          ///< or -1
  double depth;       ///< how deep at first, of a revolute joint how far beyond [m, rad]
  double left;        ///< what could not be taken out of it, because bodies are wedged [m, rad]
} ts_correction;
/// A view, valid as long as the simulation.
TS_API const ts_correction *ts_sim_corrections(const ts_sim *sim, int *count);
/// What ts_sim_create() has made of the model's velocities. Those that joints do not allow become the nearest ones that
/// they do, measured by the masses: the same in all coordinates. (Bodies without a mass are left to the tree.)
typedef struct ts_start_velocities {
  int joint;            ///< that was violated most; -1: none was
  double violation;     ///< its largest relative velocity that is not allowed [m/s, rad/s]
  double kinetic_given; ///< kinetic energy as the model has it [J]
  double kinetic_taken; ///< and at the start [J]
} ts_start_velocities;
/// A view that lives as long as the simulation.
TS_API const ts_start_velocities *ts_sim_start_velocities(const ts_sim *sim);

/// Advance by one step. TS_OK means that the step was taken: how good it is stands in the report. Allocates only when
/// more contacts than ever before need room. On failure the state is that before the step, and there are no contacts;
/// TS_INTERRUPTED: because ts_sim_set_interrupt() has it so.
TS_API ts_status ts_sim_step(ts_sim *sim, ts_error *error);

/// The model that it simulates.
TS_API const ts_model *ts_sim_model(const ts_sim *sim);
/// The options in force; valid as long as the simulation. Defaults that depend on
/// others (`impacts`, `tolerance`, `accuracy`) are resolved.
TS_API const ts_step_options *ts_sim_options(const ts_sim *sim);
TS_API double ts_sim_time(const ts_sim *sim); ///< [s]
/// What the last step reports: a view that every step changes.
TS_API const ts_step_report *ts_sim_report(const ts_sim *sim);

/// Pose of a body and velocity of its origin.
TS_API ts_pose ts_sim_pose(const ts_sim *sim, int body);
TS_API double ts_sim_angle(const ts_sim *sim, int body); ///< plane only: orientation without jumps [rad]
/// Velocity of a body's origin and its angular velocity, world axes [m/s, rad/s].
TS_API ts_twist ts_sim_velocity(const ts_sim *sim, int body);
/// Place a dynamic body, or set its velocity. Refused for other kinds, and where it would leave the plane. A body that
/// is placed deeper into others, or farther off its joints, than a step's way is taken out again before the next step,
/// without velocity (`start: corrected`).
TS_API ts_status ts_sim_set_pose(ts_sim *sim, int body, const ts_pose *pose, ts_error *error);
/// Set the velocity of a dynamic body's origin, see above.
TS_API ts_status ts_sim_set_velocity(ts_sim *sim, int body, const ts_twist *velocity, ts_error *error);

/// A wrench about the body's centre of mass that acts during the next step only; wrenches add up.
TS_API ts_status ts_sim_push(ts_sim *sim, int body, const ts_wrench *wrench, ts_error *error);
/// A force [N] or torque [N m] along the coordinate of a joint during the next step only, on its child and the opposite
/// on its parent: as a motor that is a force, it follows the joint. Pushes add up. Refused for joints without a
/// coordinate.
TS_API ts_status ts_sim_push_joint(ts_sim *sim, int joint, double force, ts_error *error);
/// What the motor of a joint follows from the next step on, in place of the model's signal, until it is set again or
/// cleared: a force [N, N m], a velocity [m/s, rad/s] or a position [m, rad], as its ts_motor_kind says. `rate` is the
/// derivative of a servo's target [m/s, rad/s], which its damping compares with; other motors do not ask. Limits of
/// force hold. It is part of the state that ts_sim_save() writes. Refused for joints without a motor.
TS_API ts_status ts_sim_set_target(ts_sim *sim, int joint, double target, double rate, ts_error *error);
/// The motor follows the model's signal again; nothing where it does.
TS_API ts_status ts_sim_clear_target(ts_sim *sim, int joint, ts_error *error);
/// Called at the start of every step (and substep) before forces are summed up; may call ts_sim_push(),
/// ts_sim_push_joint(), ts_sim_set_target() and ts_sim_clear_target(), and read the state. What would change the state
/// (ts_sim_step(), ts_sim_set_pose(), ts_sim_load() and the like) is TS_INVALID from within, and ts_sim_destroy() stops
/// the program. NULL: none.
typedef void ts_force_callback(void *user, ts_sim *sim, double t);
/// Set that callback, with the pointer that it is handed, in place of the one before.
TS_API void ts_sim_set_callback(ts_sim *sim, ts_force_callback *callback, void *user);

/// Asked again and again while a step is taken, in iterations of solvers and between the parts of a step: true gives
/// the step up. ts_sim_step() then returns TS_INTERRUPTED, and the state is that before the step. Must not call the
/// simulation. NULL: nobody asks.
typedef bool ts_interrupt_callback(void *user);
/// Set who is asked, with the pointer that it is handed, in place of the one before.
TS_API void ts_sim_set_interrupt(ts_sim *sim, ts_interrupt_callback *interrupt, void *user);

/// Whether steps measure their wall time; at first they do not. Reading the clock takes as long as a tenth of the step
/// of a body or two.
TS_API void ts_sim_set_timing(ts_sim *sim, bool timed);

/// Contacts of the last step: a view, valid until the next call that changes the simulation.
TS_API const ts_contact *ts_sim_contacts(const ts_sim *sim, int *count);
/// An impact that was located in the last step (event-driven): two bodies that met, or a joint that ran into a stop.
/// Several at one time are one event; ts_step_report.events counts these.
typedef struct ts_located_impact {
  double time;        ///< [s]
  int body_1, body_2; ///< as in ts_contact; of a stop the joint's child and its parent (or TS_WORLD)
  int joint;          ///< whose stop it is, or -1
  double approach;    ///< speed at which they met, > 0 [m/s; rad/s of an angle]
  double impulse;     ///< along the normal, rebound included [N s, N m s]
} ts_located_impact;
/// All of them in the order of time: a view, valid until the next call that changes the simulation.
TS_API const ts_located_impact *ts_sim_impacts(const ts_sim *sim, int *count);
/// The contacts of the present state (impulses zero), found as the stepper would. Same view.
TS_API ts_status ts_sim_find_contacts(ts_sim *sim, ts_error *error);
/// Rows n, t, o, r of a contact's relative velocity as a function of the twists (linear at the centre of mass, angular)
/// of body_1 and body_2: 4 rows of 12 numbers.
TS_API void ts_sim_contact_jacobian(const ts_sim *sim, int contact, double jacobian[4][12]);
/// Impulse of a contact on its body_1, about that body's centre of mass [N s, N m s].
TS_API ts_wrench ts_sim_contact_wrench(const ts_sim *sim, int contact);
/// Coordinate of a revolute or prismatic joint [rad, m] and its rate (may be NULL); 0 of other joints. Angles count
/// turns.
TS_API double ts_sim_joint_position(const ts_sim *sim, int joint, double *rate);

/// A joint as it stands: [0] on its parent, [1] on its child. The two sides differ by what the joint is open.
typedef struct ts_joint_state {
  ts_vec3 point[2]; ///< the joint's point in the world [m]; of joints that slide the two move apart
  ts_vec3 axis[2];  ///< `axis` as the parent and as the child carries it; of a universal joint [1] is `axis2`
  double position;  ///< as ts_sim_joint_position() says
  double rate;
} ts_joint_state;
/// Where a joint stands in the present state.
TS_API ts_joint_state ts_sim_joint(const ts_sim *sim, int joint);

/// What acts in a joint: means over the last step, all impulses in it divided by its length.
typedef struct ts_joint_forces {
  /// Of its motor, along its coordinate: on the child, the opposite on the parent [N, N m]. 0 without a motor. What a
  /// gear passes on is not in it.
  double motor;
  /// All that the joint transmits to its child, as a gauge in it would show: what its constraint holds, its motor,
  /// damping, dry friction, stops, gears and ts_sim_push_joint(). Force [N], and moment about point[1] of
  /// ts_joint_state [N m], along world axes; the parent receives the opposite at the same point.
  ts_wrench reaction;
} ts_joint_forces;
/// Whether steps measure what acts in joints; at first they do not, for it takes time. TS_OUT_OF_MEMORY leaves it as it
/// was.
TS_API ts_status ts_sim_measure_joints(ts_sim *sim, bool measured, ts_error *error);
TS_API bool ts_sim_measures_joints(const ts_sim *sim); ///< whether they do
/// Of the last step. All 0 before the first, after a step that has failed, and where joints are not measured. Where
/// joints hold more than is needed (a loop in space whose axes are parallel) it is one of the distributions that
/// balance.
TS_API ts_joint_forces ts_sim_joint_forces(const ts_sim *sim, int joint);

typedef struct ts_spring_state {
  ts_vec3 point[2]; ///< its ends in the world [m]
  double length;    ///< between them [m]
  double rate;      ///< of the length [m/s]
} ts_spring_state;
/// Where a spring stands in the present state.
TS_API ts_spring_state ts_sim_spring(const ts_sim *sim, int spring);

typedef struct ts_bushing_state {
  ts_vec3 point[2];     ///< its point on the first and on the second body, in the world [m]
  ts_vec3 displacement; ///< of the second frame, along the axes of the first [m]
  ts_vec3 rotation;     ///< of the second frame: rotation vector along the same axes [rad], up to half a turn long
} ts_bushing_state;
/// Where a bushing stands in the present state.
TS_API ts_bushing_state ts_sim_bushing(const ts_sim *sim, int bushing);

/// Bytes in use at most, and how often the memory of the simulation has grown since it was created (may be NULL).
TS_API size_t ts_sim_memory(const ts_sim *sim, int *growths);

/// The whole state, what warm starts remember included: a simulation continued from it takes the same steps to the last
/// bit. ts_sim_load() takes it back, into any simulation of the same model and coordinates. With other options, the
/// length of steps among them, it goes on from the same time.
///
/// Its size changes from step to step: there are impulses to remember for every contact. There is no bound known
/// beforehand; ask before every ts_sim_save(), or let ts_sim_snapshot() allocate.
TS_API size_t ts_sim_state_size(const ts_sim *sim); ///< numbers that the present state takes
/// Write the present state, ts_sim_state_size() numbers, to `state`, which has room for `capacity`. TS_INVALID, and
/// nothing is written, where that is too few.
TS_API ts_status ts_sim_save(const ts_sim *sim, double *state, size_t capacity, ts_error *error);
/// The same in a new block of `*size` numbers, which the caller releases with free(). On failure *state is NULL and
/// *size 0.
TS_API ts_status ts_sim_snapshot(const ts_sim *sim, double **state, size_t *size, ts_error *error);
/// `size` is that of the state when it was saved. On failure the simulation is as it was.
TS_API ts_status ts_sim_load(ts_sim *sim, const double *state, size_t size, ts_error *error);

#ifdef __cplusplus
}
#endif

#endif
