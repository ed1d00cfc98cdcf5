// The inside of a model: flat arrays, in the frames that stepping wants. Body frames here have their origin at the
// centre of mass; public functions translate. Planar worlds are worlds in which nothing has a z component and bodies
// turn about z only: inverse inertias of the other axes are zero.
#ifndef TS_MODEL_MODEL_H
#define TS_MODEL_MODEL_H

#include "touchstone/extension.h"

#include "model/freedoms.h"
#include "model/names.h"
#include "model/signal.h"
#include "model/skin.h"

#include "shape/convex.h"

typedef struct ts_body {
  const char *name;
  ts_body_kind kind;
  const ts_freedoms *freedoms;
  double mass, inverse_mass;        // 0 unless dynamic, and of massless bodies
  ts_mat3 inertia, inverse_inertia; // about the centre of mass, body axes; zero unless dynamic, and of massless bodies
  bool isotropic;                   // inertia is a multiple of 1: the same in all frames
  ts_vec3 centre;                   // centre of mass in the frame that the user sees
  ts_vec3 gravity;                  // acceleration it feels [m/s^2]
  ts_pose pose;                     // of the centre of mass frame at time 0; kinematic: what the motion is relative to
  double angle;                     // orientation at time 0 of a body that has one (ts_has_angle)
  ts_twist velocity;                // at time 0, linear part at the centre of mass
  int motion;                       // of a kinematic body, or -1
  int first_part, part_count;       // its parts lie together
} ts_body;

// A convex part of a body. A polygon that is not convex has several; they share `source`.
typedef struct ts_part {
  int body;
  int source;   // the part of the public interface that it comes from
  int material; // -1: the default law
  ts_convex convex;
  ts_pose pose;             // in the centre of mass frame of the body
  ts_frame frame;           // the same
  bool at_centre;           // pose is the identity
  const ts_soft_skin *skin; // NULL: rigid
} ts_part;

// A joint by a frame on each side; the two coincide where its coordinate is 0. z of the frames is `axis`; of a
// universal joint x is `axis2`; of a prismatic joint in the plane y is the plane's normal.
typedef struct ts_joint {
  const char *name;
  ts_joint_kind kind;
  int parent, child; // parent may be TS_WORLD
  ts_pose frame[2];  // on the parent and on the child, in their centre of mass frames (world: in the world)
  bool limited;
  double lower, upper, restitution;
#define NUMBER(name, range, units, help) double name;
  TS_JOINT_NUMBER_LIST(NUMBER) // position and velocity are at time 0
#undef NUMBER
  ts_motor motor;
  bool closes_loop; // stays out of spanning trees
} ts_joint;

// The coordinate of `joint` is the sum of those of its terms, and `offset`.
typedef struct ts_gear {
  int joint;
  const ts_gear_term *terms;
  int term_count;
  double offset;
} ts_gear;

typedef struct ts_spring {
  const char *name;
  int body[2];
  ts_vec3 at[2]; // in the centre of mass frames
  double stiffness, damping, length;
  bool damps_across, implicit;
} ts_spring;

// By a frame on each side, as a joint; the two coincide at time 0.
typedef struct ts_bushing {
  const char *name;
  int body[2];                      // may be TS_WORLD
  ts_pose frame[2];                 // in their centre of mass frames (world: in the world)
  ts_vec3 stiffness[2], damping[2]; // along the axes of the first frame, and about them
} ts_bushing;

typedef struct ts_force {
  int body;
  ts_vec3 at; // in the centre of mass frame
  ts_signal force[3], torque[3];
  bool follows;
} ts_force;

// What a body of a 2.5D world stands on.
typedef struct ts_support {
  int body;
  int on;           // body that the plane moves with, or TS_WORLD
  int first, count; // of its points
  ts_contact_law law;
  ts_load_rule update;
  double height, centre_height;
} ts_support;

typedef struct ts_support_load {
  int support;
  ts_vec3 at;    // in the centre of mass frame
  double load;   // at rest [N]
  double weight; // that statics multiplies
} ts_support_load;

// What to look up for a pair of parts, by decreasing priority: their bodies, the groups that these are in, their
// materials, the combination rule.
typedef struct ts_body_pair {
  int first, second; // first < second
  bool collide;
  ts_contact_law law;
} ts_body_pair;

// Rules for groups of bodies. Bodies that are in the same lists of all rules are a class, so that a small table knows
// the rule of every pair: a thousand bodies with a few groups have a few classes.
enum { TS_MOST_GROUPS = 60000, TS_MOST_CLASSES = 4000 };
typedef struct ts_group {
  ts_group_info info;
  ts_contact_law law;
} ts_group;

// A controller with its parameters; what it keeps begins at `first_number` of what all of them keep.
typedef struct ts_controller {
  ts_controller_def def;
  double parameters[TS_MOST_PARAMETERS];
  int first_number;
} ts_controller;

struct ts_model {
  ts_arena memory;             // of all arrays
  const ts_freedoms *freedoms; // of all bodies, and of what is between them
  ts_vec3 gravity;
  int body_count, part_count, source_count, joint_count, gear_count, spring_count, bushing_count, force_count;
  int motion_count, support_count, support_point_count;
  ts_body *bodies;
  ts_names body_names, joint_names;
  ts_part *parts; // ordered by body
  ts_joint *joints;
  ts_gear *gears;
  ts_spring *springs;
  ts_bushing *bushings;
  ts_force *forces;
  ts_support *supports;            // in the order of their bodies
  ts_support_load *support_points; // those of a support lie together
  ts_motion_def *motions;          // with displacement relative to the body's pose
  struct ts_orbit *orbits;         // of motions by acceleration: what motion.c works out beforehand
  ts_shape *shapes;                // source_count, as the user gave them
  const struct ts_pieces *pieces;  // what they consist of (source_count)
  ts_pose *shape_poses;            // in the frame that the user sees
  int *shape_bodies, *shape_materials;
  const ts_soft_skin **shape_skins; // NULL: rigid
  int skin_count;
  int material_count;
  const char **material_names;
  ts_contact_law *laws; // (material_count+1)^2: of materials i and j, the default law being the last index
  int body_pair_count;
  ts_body_pair *body_pairs; // ordered by first, then second; joined bodies are in it
  int *pair_start;          // body_count+1: where the pairs with this first body begin
  int group_count, class_count;
  ts_group *groups;
  int *body_class;       // body_count, not set without groups
  uint16_t *class_group; // class_count^2: number + 1 of the group that decides, or 0
  int dof_count, bilateral_count;
  bool spins;    // some law has torsional friction
  bool impulses; // some force has impulses
  int controller_count, controller_number_count;
  ts_controller *controllers;
};

// Pose of the centre of mass frame of a kinematic body at time t, and its twist (linear part at the centre of mass).
void ts_motion_evaluate(const ts_model *model, int body, double t, ts_pose *pose, ts_twist *velocity);
// The derivative of that twist, exact but for callbacks: of these by differences (math/difference.h).
ts_twist ts_motion_acceleration(const ts_model *model, int body, double t);
// Of a body that has one: its angle without jumps.
double ts_motion_angle(const ts_model *model, int body, double t);

// The next time after t where a force, the target of a motor or a motion, or the rate of one, may jump; INFINITY: there
// is none. Callbacks do not tell theirs.
double ts_model_next_break(const ts_model *model, double t);

// The time of the first impulse of a force or motor within the span, or INFINITY.
double ts_model_next_impulse(const ts_model *model, ts_interval span);

// Bilateral rows of a joint of this kind between bodies with these freedoms; -1 where it does not exist.
int ts_joint_row_count(const ts_freedoms *freedoms, ts_joint_kind kind);

// The law between two of `parts` (indices into it), or NULL when they do not collide. Parts of one body, of two bodies
// that are not dynamic, and of bodies joined by a joint (unless a pair of bodies says otherwise) do not.
const ts_contact_law *ts_model_law(const ts_model *model, int part_1, int part_2);

// By how much the skins of two parts (indices into `parts`) give way at most, together [m].
static inline double ts_model_skins_between(const ts_model *model, int part_1, int part_2)
{
  const ts_soft_skin *first = model->parts[part_1].skin, *second = model->parts[part_2].skin;
  return (first ? first->thickness : 0.0) + (second ? second->thickness : 0.0);
}

// Whether some contact or stop has a restitution above 0.
bool ts_model_rebounds(const ts_model *model);

#endif
