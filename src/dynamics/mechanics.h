// How the bodies of a model move: one operator, whatever the coordinates are. Callers deal in twists of bodies,
// wrenches on them, rows that hold, and lengths of time; what lies behind is a table with two implementations:
//   mechanics_bodies.c   six numbers a body, all joints as rows that are eliminated (dynamics/bilateral.h)
//   mechanics_tree.c     joints of a spanning tree as coordinates, rows for loops (dynamics/articulation.h); bodies
//                        without joints may stay apart from the tree
// ts_mechanics lives as long as a simulation. ts_mobility is what it is at one configuration, for a step of length h:
// factored, with the rows that hold.
#ifndef TS_DYNAMICS_MECHANICS_H
#define TS_DYNAMICS_MECHANICS_H

#include "dynamics/articulation.h"
#include "dynamics/bilateral.h"
#include "dynamics/row_block.h"

#include <string.h>

// A coordinate that is the angle of a joint.
typedef struct ts_angle_coordinate {
  int joint, q;
} ts_angle_coordinate;

typedef struct ts_mechanics {
  const struct ts_mechanics_kind *kind;
  const ts_model *model;
  ts_state *state;           // that it moves; at the start of a step, then at its end
  ts_kinematics *kinematics; // of the state
  ts_gyroscopic gyroscopic;
  int q_count, v_count;        // coordinates and rates beside the poses and twists of bodies
  const bool *is_coordinate;   // joints that have no rows (joint_count), or NULL: none
  bool bodies_follow;          // from coordinates alone: poses and twists need not be remembered
  double *free_rates;          // what the step would reach untouched, rows not obeyed (v_count)
  ts_wrench *applied;          // forces on bodies (body_count)
  ts_twist *base_acceleration; // of kinematic bodies (body_count)
  // Of trees:
  ts_tree *tree;                     // or NULL
  const double *damping;             // of the rates, or NULL: none
  const ts_angle_coordinate *angles; // (angle_count)
  int angle_count;
  bool bodies_apart;       // dynamic bodies that are not on the tree
  bool has_products;       // velocity products push on the rates
  double *mean_rates;      // what moves the tree through the step
  const ts_wrench *weight; // gravity on bodies where nothing else acts, or NULL: not known beforehand (body_count)
} ts_mechanics;

typedef struct ts_mobility {
  ts_mechanics *mechanics;
  double h;
  double theta;           // weight of the new velocity in the position update
  bool at_velocity_level; // forces act at the start of h alone: nothing is looked for at its middle
  bool impulsive;         // an impact alone: what needs time, dampers and their like, is left out
  bool drifts;            // forces change the rates first; velocity products are left to the motion
  ts_arena *arena;
  ts_bilateral_row *rows; // that hold
  int count;
  double *impulse;          // of the rows (count)
  const bool *depends;      // rows that add nothing to the others (count); not set without rows
  const ts_wrench *applied; // once the free velocity is there, where it is known by coordinates
  const bool *touched; // bodies that may touch others than those of their tree in the step (body_count), or NULL: none
  const ts_twist *reached;  // twists that the step ends with where another motion carries the positions, or NULL
  const ts_vec3 *turned_by; // change of angular velocities by gyroscopic torques after forces (body_count), or NULL
  ts_bilateral bilateral;
  ts_articulation articulation;
} ts_mobility;

// An impulse on a body, about its centre of mass.
typedef struct ts_body_push {
  int body;
  ts_wrench wrench;
} ts_body_push;

typedef struct ts_energies {
  double kinetic, potential;
} ts_energies;

// What a kind of coordinates has to say. The functions are those of the same names below, which are inline: a step of
// one body makes ten of these calls, and need not make twenty.
typedef struct ts_mechanics_kind {
  bool couples;                          // bodies push each other also where no row holds them
  void (*read)(ts_mechanics *mechanics); // NULL, like others that may be: no coordinates but poses
  void (*rates)(const ts_mechanics *mechanics, const ts_twist *velocity, double *rates); // may be NULL
  int (*base_of)(const ts_mechanics *mechanics, int body);                               // may be NULL
  void (*follow)(ts_mechanics *mechanics);
  void (*update)(ts_mechanics *mechanics);
  void (*move)(ts_mechanics *mechanics, double h, const ts_twist *old_velocity);
  ts_energies (*energies)(const ts_mechanics *mechanics, double known_kinetic);
  bool (*factor)(ts_mobility *mobility);
  void (*free_velocity)(ts_mobility *mobility, const ts_wrench *pushes, bool resisted, ts_twist *free_velocity);
  void (*project)(const ts_mobility *mobility, ts_twist *velocity, double *impulse);
  void (*push)(const ts_mobility *mobility, const ts_body_push *pushes, int count, ts_twist *velocity, double *impulse);
  int (*groups)(const ts_mobility *mobility, int *group);
  void (*compliance)(const ts_mobility *mobility, const ts_block_list *blocks, double *C, ts_arena *arena);
  void (*fly)(ts_mobility *mobility, const ts_wrench *pushes, ts_twist *free_velocity); // may be NULL
  void (*flown_twists)(const ts_mobility *mobility, ts_twist *twists);                  // may be NULL
  void (*take_velocity)(ts_mobility *mobility, double *damping_work);                   // may be NULL
  bool (*advance)(ts_mobility *mobility, bool flew, const ts_twist *old_velocity, double *damping_work);
} ts_mechanics_kind;

extern const ts_mechanics_kind ts_mechanics_of_bodies, ts_mechanics_of_trees;

// ---- mechanics -----------------------------------------------------------------------------------------------------

typedef struct ts_mechanics_choice {
  bool minimal;   // coordinates of joints, where there are joints
  bool all_moves; // coordinates for every dynamic body, also without joints
  ts_gyroscopic gyroscopic;
} ts_mechanics_choice;

// Choose coordinates and allocate the state, whose numbers are not set: ts_state_init() is next. Memory from the arena,
// whose recovery point is set; state and kinematics are the caller's structs.
void ts_mechanics_init(ts_mechanics *mechanics, const ts_model *model, ts_mechanics_choice choice, ts_state *state,
                       ts_kinematics *kinematics, ts_arena *memory);

// Once the state is at its start: whether its inertias can be factored for steps that take damping implicitly over
// `implicit_step` (0: none do); else a sentence that names the body.
ts_status ts_mechanics_check(ts_mechanics *mechanics, double implicit_step, ts_arena *arena, ts_error *error);

// For ts_mechanics_init() and ts_mechanics_check(): coordinates of a tree from now on; and what damping that is taken
// implicitly adds to its inertia in a step of length h (v_count), or NULL: nothing.
void ts_mechanics_take_tree(ts_mechanics *mechanics, ts_tree *tree, ts_arena *memory);
const double *ts_mechanics_softness(const ts_mechanics *mechanics, double h, ts_arena *arena);

// Coordinates and rates from the poses and twists of bodies, as far as joints allow them.
static inline void ts_mechanics_read(ts_mechanics *mechanics)
{
  if (mechanics->kind->read) mechanics->kind->read(mechanics);
}

// The same, and what follows from it; nothing where bodies are their own coordinates.
void ts_mechanics_adopt(ts_mechanics *mechanics);

// Everything that follows from new coordinates or new poses, how far joints have turned included.
static inline void ts_mechanics_follow(ts_mechanics *mechanics)
{
  mechanics->kind->follow(mechanics);
}

// The same where joints are known to have turned as far as the state says.
static inline void ts_mechanics_update(ts_mechanics *mechanics)
{
  mechanics->kind->update(mechanics);
}

// How far joints have turned at the coordinates q, everything in place.
void ts_mechanics_count_turns(ts_mechanics *mechanics, const double *q);

// Rates from twists; nothing where there are none.
static inline void ts_mechanics_rates(const ts_mechanics *mechanics, const ts_twist *velocity, double *rates)
{
  if (mechanics->kind->rates) mechanics->kind->rates(mechanics, velocity, rates);
}

// The state as far as velocities carry it in h; nothing follows yet.
static inline void ts_mechanics_move(ts_mechanics *mechanics, double h, const ts_twist *old_velocity)
{
  mechanics->kind->move(mechanics, h, old_velocity);
}

// Of the state, everything in place. `known_kinetic`: of the velocities where they were reached, or NAN.
static inline ts_energies ts_mechanics_energies(const ts_mechanics *mechanics, double known_kinetic)
{
  return mechanics->kind->energies(mechanics, known_kinetic);
}

// The kinematic body that a body hangs on by its coordinates, or -1.
static inline int ts_mechanics_base_of(const ts_mechanics *mechanics, int body)
{
  return mechanics->kind->base_of ? mechanics->kind->base_of(mechanics, body) : -1;
}

// Numbers of a state that have to be remembered to come back to it.
typedef struct ts_number_list {
  double *first;
  size_t count;
} ts_number_list;

static inline ts_number_list ts_mechanics_numbers(const ts_mechanics *mechanics, const ts_state *state)
{
  double *all = (double *)state->pose, *first = mechanics->bodies_follow ? state->turned : all;
  return (ts_number_list){first, state->numbers - (size_t)(first - all)};
}

// ---- mobility ------------------------------------------------------------------------------------------------------

// Whether impulses pass from body to body at all.
static inline bool ts_mobility_couples(const ts_mobility *mobility)
{
  return mobility->mechanics->kind->couples || mobility->count > 0;
}

// Whether a body responds to impulses as if it were alone, but for what the rows then do.
static inline bool ts_mobility_is_alone(const ts_mobility *mobility, int body)
{
  const bool *on_tree = mobility->mechanics->state->on_tree;
  return !on_tree || !on_tree[body];
}

// What rows hold a body by for itself alone, or NULL. Where there is one, no row joins two bodies.
static inline const ts_body_anchor *ts_mobility_anchor(const ts_mobility *mobility, int body)
{
  return mobility->bilateral.anchored.of_body ? mobility->bilateral.anchored.of_body[body] : NULL;
}

// Whether rows or coordinates join bodies, so that W is more than the responses of each for itself, anchors included.
static inline bool ts_mobility_joins(const ts_mobility *mobility)
{
  return !mobility->bilateral.anchored.of_body;
}

// Factor what the rows and coordinates make of the masses. False where they have no factor: it was possible when the
// simulation was made, but axes of a joint can have come to coincide since.
static inline bool ts_mobility_factor(ts_mobility *mobility)
{
  return mobility->mechanics->kind->factor(mobility);
}

// The velocity after h of all that is known now, and `pushes` (body_count, or NULL), rows obeyed; kinematic bodies keep
// theirs. `resisted`: contacts, stops or drives may hold against it.
static inline void ts_mobility_free_velocity(ts_mobility *mobility, const ts_wrench *pushes, bool resisted,
                                             ts_twist *free_velocity)
{
  mobility->mechanics->kind->free_velocity(mobility, pushes, resisted, free_velocity);
}

// Whether motion goes on by what is known alone where nothing touches: then nobody asks for twists before it arrives.
static inline bool ts_mobility_can_fly(const ts_mobility *mobility)
{
  return mobility->mechanics->kind->fly && mobility->count == 0;
}

// Fly: rates without twists, and velocities of bodies apart into the state.
static inline void ts_mobility_fly(ts_mobility *mobility, const ts_wrench *pushes, ts_twist *free_velocity)
{
  mobility->mechanics->kind->fly(mobility, pushes, free_velocity);
}

// Twists that a flight has reached.
static inline void ts_mobility_flown_twists(const ts_mobility *mobility, ts_twist *twists)
{
  mobility->mechanics->kind->flown_twists(mobility, twists);
}

// The nearest velocity, in the metric of the masses, that the rows allow; their impulses.
static inline void ts_mobility_project(const ts_mobility *mobility, ts_twist *velocity, double *impulse)
{
  if (mobility->count > 0) mobility->mechanics->kind->project(mobility, velocity, impulse);
}

// velocity += what the pushes do, rows obeyed, whose impulses are added to `impulse`.
static inline void ts_mobility_push(const ts_mobility *mobility, const ts_body_push *pushes, int count,
                                    ts_twist *velocity, double *impulse)
{
  mobility->mechanics->kind->push(mobility, pushes, count, velocity, impulse);
}

// Bodies that impulses pass between: group[body], the same for all of them, or -1 where it is not dynamic. Returns a
// bound that all groups are below.
static inline int ts_mobility_groups(const ts_mobility *mobility, int *group)
{
  return mobility->mechanics->kind->groups(mobility, group);
}

// What W = J M^-1 J^T of other rows is beyond the responses of bodies that are alone: as many columns as there are rows
// in all blocks, column after column. Scratch from the arena.
static inline void ts_mobility_compliance(const ts_mobility *mobility, const ts_block_list *blocks, double *C,
                                          ts_arena *arena)
{
  mobility->mechanics->kind->compliance(mobility, blocks, C, arena);
}

// For kinds: how bodies turn in the step, its changes kept where forces may have a torque.
static inline ts_turning ts_mobility_turning(ts_mobility *mobility, const ts_wrench *pushes, const bool *apart)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const size_t bodies = (size_t)mechanics->model->body_count;
  const bool in_one_piece = mobility->theta == 1.0 && !mobility->at_velocity_level;
  const bool keeps = mechanics->gyroscopic != TS_GYROSCOPIC_EXPLICIT && !ts_has_angle(mechanics->model->freedoms);
  ts_turning turning = {mechanics->gyroscopic, mobility->theta, apart, NULL};
  mobility->turned_by = NULL;
  if (!in_one_piece || !keeps || (mechanics->weight && !pushes)) return turning;
  turning.change = ts_arena_bytes(mobility->arena, bodies, sizeof *turning.change);
  memset(turning.change, 0, bodies * sizeof *turning.change);
  mobility->turned_by = turning.change;
  return turning;
}

// After an impact has changed the velocity in the state: rates, and what follows from them. Works that dampers do on
// the way are added to `damping_work`, NULL: they have no time.
static inline void ts_mobility_take_velocity(ts_mobility *mobility, double *damping_work)
{
  if (mobility->mechanics->kind->take_velocity) mobility->mechanics->kind->take_velocity(mobility, damping_work);
}

// The state at the end of h from the velocity in it; free trees have the momentum that the step has given them. False
// where the energy of inertia alone could not be kept.
static inline bool ts_mobility_advance(ts_mobility *mobility, bool flew, const ts_twist *old_velocity,
                                       double *damping_work)
{
  return mobility->mechanics->kind->advance(mobility, flew, old_velocity, damping_work);
}

#endif
