// Articulated systems in minimal coordinates: the joints of a spanning tree as coordinates, all algorithms linear in
// the number of bodies (000, 001; corrections.md 10). Spatial vectors are along world axes and taken at centres of
// mass, as everywhere else here, so that a body's twist is the one that contacts and forces know.
//
// Each dynamic body is moved by one node: by the joint that the tree takes to reach it, or freely. Joints that close
// loops are not in the tree; their rows remain (ts_tree_closures()). A joint may be walked from its child to its
// parent; below, "the parent" is always the body that a node is reached from and "the child" the body that it moves.
//
// What the coordinates q and rates v of a node are is said by its kind (dynamics/joint/). Those along or about one axis
// are the joint's own whichever way it is walked, so that limits, drives and ts_joint_position() mean the same number;
// a universal joint walked in reverse has its two angles exchanged; planar and spherical coordinates are of the child
// in the parent.
#ifndef TS_DYNAMICS_TREE_H
#define TS_DYNAMICS_TREE_H

#include "dynamics/rows.h"

// Kinds of nodes beside those of joints
enum { TS_NODE_FREE = TS_JOINT_COUNT, TS_NODE_FREE_IN_PLANE, TS_NODE_PARTICLE, TS_NODE_PARTICLE_IN_PLANE };

typedef struct ts_tree_node {
  int body;      // that it moves
  int parent;    // node, or -1: what it hangs on does not depend on coordinates
  int base;      // parent -1: the fixed or kinematic body it hangs on, or TS_WORLD
  int joint;     // of the model, or -1: free
  int kind;      // ts_joint_kind, or one of the kinds above
  bool reversed; // reached from the joint's child
  int q, v;      // where its coordinates and rates begin
  int q_count, v_count;
} ts_tree_node;

typedef struct ts_tree ts_tree; // inside: tree_inside.h

struct ts_tree_sizes {
  int nodes, q, v, closures;
};

// Build for a model, which must outlive it: nodes in an order in which parents come before children, breadth first from
// everything that is not dynamic and from particles; the lowest-numbered body of what is left is free. Joints that are
// stated to close loops are not walked through, and a particle does not hang on a joint: it counts as fixed there.
// Lives in the arena, scratch of all functions below included.
// `jointed_only`: bodies without joints are left out.
ts_tree *ts_tree_create(const ts_model *model, bool jointed_only, ts_arena *arena);

// Bodies without a mass are where the tree, or with NULL redundant coordinates, can take them (tree_massless.c); else
// one sentence that names the body. After ts_tree_update(). `h`: length of steps that take damping implicitly, 0 for
// others. Scratch from the arena.
ts_status ts_massless_check(const ts_model *model, ts_tree *tree, double h, ts_arena *arena, ts_error *error);

struct ts_tree_sizes ts_tree_sizes(const ts_tree *tree);
// Which joints are coordinates (joint_count), and which bodies the tree moves (body_count).
void ts_tree_mark(const ts_tree *tree, bool *in_tree, bool *on_tree);
const ts_tree_node *ts_tree_node_at(const ts_tree *tree, int node);
int ts_tree_node_of_body(const ts_tree *tree, int body); // -1 unless dynamic and on the tree
// Joints of the model that are not in the tree, in their order.
const int *ts_tree_closures(const ts_tree *tree);

// Coordinates and rates from poses and twists, as far as the joints allow them, and back. Kinematic bodies must be in
// place. Angles count turns: in space those nearest to state->turned, in the plane those of the bodies. ts_tree_place()
// writes poses, angles and twists of all dynamic bodies into `state`.
void ts_tree_read(const ts_tree *tree, const ts_state *state, double *q, double *v);
void ts_tree_place(const ts_tree *tree, const double *q, const double *v, ts_state *state);
// q after h at the rates v: exact for constant rates of a spherical or free node (exponential map), quaternions of
// length 1.
void ts_tree_advance(const ts_tree *tree, double h, const double *v, double *q);

// q and v after h of motion by inertia alone, bases at rest. It keeps the kinetic energy: to a share of 1e-4 a second,
// or false, for bodies turn by tens of radians in h; then what was found has no more of it than before. Scratch from
// the arena. The tree is up to date then; everything else has to be brought there.
bool ts_tree_drift(ts_tree *tree, double h, double *q, double *v, ts_state *state, ts_kinematics *kinematics,
                   ts_arena *arena);

// Everything that follows from q and v: poses and twists of dynamic bodies in `state`; `kinematics` of these and of
// kinematic bodies, which must be in place (those of fixed bodies never change: they are the caller's); in the tree
// motion axes, world inertias, velocity products. What follows here is at the configuration, and where it says so at
// the rates, of the last update.
void ts_tree_update(ts_tree *tree, const double *q, const double *v, ts_state *state, ts_kinematics *kinematics);

// Velocity products at other rates v in the configuration of the last update: those that accelerations are at from now
// on. The state keeps its twists.
void ts_tree_take_products(ts_tree *tree, const double *v);

// Whether velocity products can push on the rates. They cannot where no node hangs on another or on a moving base, and
// each has one freedom or is a body that turns alike about all axes.
bool ts_tree_has_products(const ts_tree *tree);

// Twists of the bodies on the tree (body_count) at rates v in the configuration of the last update, without the change
// of that; `bases` (body_count) are those of kinematic bodies. And back: rates that come nearest to twists.
void ts_tree_twists(const ts_tree *tree, const double *v, const ts_twist *bases, ts_twist *twists);
void ts_tree_rates(const ts_tree *tree, const ts_twist *twists, double *v);

// Articulated inertias (001 eqs. 40-42; corrections.md 10.2), after ts_tree_update(). `softness`: of the joint rates,
// added to the diagonal of the joint-space inertia (h^2 stiffness + h damping of implicit servos; v, or NULL). False
// where a joint-space inertia is not positive beyond rounding (massless links): *node (may be NULL) says which, and
// there is no factor.
bool ts_tree_factor(ts_tree *tree, const double *softness, int *node);
// The same; fails with a sentence that names the body.
ts_status ts_tree_try_factor(ts_tree *tree, const double *softness, ts_error *error);

// The same tree with bodies that all weigh 1 and have the moments of inertia arm^2 (arm: body_count, > 0), factored,
// for questions of geometry alone: ts_tree_compliance() takes it. Shares all else with the tree, lives in the arena.
// NULL where axes of a joint coincide.
const ts_tree *ts_tree_without_masses(const ts_tree *tree, const double *arm, ts_arena *arena);

// Forward dynamics with the factor, at the rates of the last update: rates' derivatives under `wrench` (about centres
// of mass, body_count, gravity included by the caller, gyroscopic moments not) and joint forces `force` (v, or NULL).
// `base_acceleration` (of kinematic bodies, body_count, or NULL: none).
void ts_tree_accelerate(ts_tree *tree, const ts_wrench *wrench, const double *force, const ts_twist *base_acceleration,
                        double *acceleration);

// M^-1 times an impulse, with the factor: change of rates by `wrench` (body_count, or NULL) and `force` (v, or NULL);
// `change` (v) and the twists it means (body_count, may be NULL; dynamic bodies only) are overwritten.
void ts_tree_respond(ts_tree *tree, const ts_wrench *wrench, const double *force, double *change, ts_twist *twists);

// The twists alone: velocity (body_count, dynamic bodies of the tree only) += what `wrench` does to it.
void ts_tree_push(ts_tree *tree, const ts_wrench *wrench, ts_twist *velocity);

// Inverse dynamics at the rates of the last update: joint forces that make `acceleration` (v, or NULL: none) under
// `wrench` (recursive Newton-Euler). Arguments as above; needs no factor.
void ts_tree_inverse_dynamics(ts_tree *tree, const ts_wrench *wrench, const ts_twist *base_acceleration,
                              const double *acceleration, double *force);

// What moves the bodies of a tree, and how.
typedef struct ts_tree_course {
  const ts_wrench *wrench;           // on bodies about their centres of mass, but for what joints of the tree do
  const double *acceleration;        // derivatives of the rates (v)
  const ts_twist *base_acceleration; // as above
  bool at_once;                      // impulses and changes of rates instead: what takes time has no part in them
} ts_tree_course;

// What each node's joint transmits to the body that the node moves, all that works along its coordinates included: a
// wrench about that body's centre of mass (nodes). At the rates that velocity products were taken at; needs no factor.
void ts_tree_transmitted(ts_tree *tree, const ts_tree_course *course, ts_wrench *transmitted);

// Axes in the world that a node of a joint turns its body about freely, orthonormal; returns how many there are.
int ts_tree_turning_axes(const ts_tree *tree, int node, ts_vec3 axes[3]);

// Derivatives of the twists of dynamic bodies (body_count) at the rates of the last update when those change by
// `acceleration` (v, or NULL: they do not). Needs no factor.
void ts_tree_body_accelerations(ts_tree *tree, const ts_twist *base_acceleration, const double *acceleration,
                                ts_twist *body_acceleration);

// Composite-body mass matrix, v x v, both triangles; needs no factor.
void ts_tree_mass_matrix(ts_tree *tree, double *M);

// Jacobian of a point (world) of a dynamic body: 3 x v, row after row, for its velocity, and 3 x v for the body's
// angular velocity (either may be NULL).
void ts_tree_point_jacobian(const ts_tree *tree, int body, ts_vec3 point, double *linear, double *angular);

// Kinetic energy of all dynamic bodies at rates v in the present configuration; moving bases count with their present
// velocities.
double ts_tree_kinetic_energy(ts_tree *tree, const double *v);

// The same of the bodies on the tree, and their energy by gravity, at the last update: known since.
typedef struct ts_tree_energy {
  double kinetic, potential;
} ts_tree_energy;

ts_tree_energy ts_tree_present_energy(const ts_tree *tree);

// Rows as the tree feels them. A row is a linear function of the twists of two bodies, or, where `rate` >= 0, the rate
// v[rate] itself; `row` is then not read.
typedef struct ts_tree_row {
  ts_row row;
  int rate; // -1: as the row says
} ts_tree_row;

// W = J M^-1 J^T of `count` rows, count x count, both triangles, with the factor: 001 eqs. 47-51 along the paths that
// rows act on, never through M (tree_compliance.c). Rows on bodies that share no ancestor get exactly 0. Scratch from
// `arena` is given back.
void ts_tree_compliance(const ts_tree *tree, const ts_tree_row *rows, int count, double *W, ts_arena *arena);

// The same from what the rows push with, on bodies of the tree; `row` is in [0, rows).
typedef struct ts_tree_force {
  int row, body;
  ts_wrench wrench;
} ts_tree_force;

void ts_tree_force_compliance(const ts_tree *tree, const ts_tree_force *forces, int count, int rows, double *W,
                              ts_arena *arena);

// Rates of the rows for rates v and the twists (body_count) they mean.
void ts_tree_row_rates(const ts_tree_row *rows, int count, const double *v, const ts_twist *twists, double *rates);

// wrench (body_count) and force (v) += J^T p: what ts_tree_respond() takes.
void ts_tree_push_rows(const ts_tree_row *rows, int count, const double *p, ts_wrench *wrench, double *force);

#endif
