/// Dynamics in minimal coordinates, for controllers, planners and estimators: the coordinates that the joints of a
/// model have, mass matrix, inverse and forward dynamics, Jacobians of points. With q the coordinates, v the rates, a
/// their derivatives, f forces along the rates and w the wrenches on bodies,
///   M(q) a + b(q, v) = f + sum over bodies of J^T w.
/// b has the velocity products (Coriolis, centrifugal, gyroscopic), gravity, and what moving bases do; springs, forces,
/// motors, friction and damping of the model and contacts are not in it: add those that matter as f or w. Everything
/// but M and J costs time linear in the number of bodies.
///
/// Every dynamic body is moved by one node: by the joint that a spanning tree of the joints takes to reach it, or
/// freely. Joints that close loops have no coordinates (ts_joint_def.closes_loop says which they are; else the tree
/// does). docs/theory/articulated.md has the algorithms.
#ifndef TOUCHSTONE_DYNAMICS_H
#define TOUCHSTONE_DYNAMICS_H

#include "touchstone/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A configuration of a model, and memory. Serves one thread at a time; any number may share a model, which must
/// outlive them. What functions write belongs to the caller, and has ts_dynamics_coordinate_count() or
/// ts_dynamics_rate_count() numbers where nothing else is said.
typedef struct ts_dynamics ts_dynamics;

/// At the model's initial state and time 0. On failure *dynamics is NULL. Release with ts_dynamics_destroy(), which
/// accepts NULL. `allocator` (may be NULL: malloc and free) is copied. Nothing is allocated afterwards, but for models
/// with loops or gears by the first calls of ts_dynamics_forward().
TS_API ts_status ts_dynamics_create(const ts_model *model, const ts_allocator *allocator, ts_dynamics **dynamics,
                                    ts_error *error);
/// Release it; the model stays. Accepts NULL.
TS_API void ts_dynamics_destroy(ts_dynamics *dynamics);
/// The model that it was created for.
TS_API const ts_model *ts_dynamics_model(const ts_dynamics *dynamics);

/// What moves a body. Coordinates and rates by the kind of its joint, in the frames of ts_model_joint_frame():
///   revolute      angle [rad], counts turns; its rate
///   prismatic     displacement [m]; its rate
///   cylindrical   angle, displacement; their rates
///   universal     angle about the parent's axis, then about the child's; their rates
///   planar        displacements along x and y of the parent's frame, angle about z; their rates
///   spherical     quaternion w x y z of the child's frame in the parent's; relative angular velocity, child's axes
///   fixed         none
/// and of a body that moves freely
///   in space      quaternion w x y z, position of the centre of mass; angular velocity along the body's axes, velocity
///                 of the centre of mass along the world's
///   in the plane  x, y of the centre of mass, angle; their rates
///   without rotation   x, y and, in space, z; velocity
/// So v is the derivative of q but for quaternions. The force along a rate is what works on it: a torque [N m] for an
/// angle, a force [N] for a displacement. A joint that is walked in reverse keeps its coordinates, except that a
/// universal joint exchanges its two angles, and planar and spherical ones are of the parent's frame in the child's.
typedef struct ts_dynamics_node {
  int body;
  int parent;                       ///< body that it hangs on, or TS_WORLD; of a free one TS_WORLD
  int joint;                        ///< or -1: it moves freely
  bool reversed;                    ///< the joint's child is `parent`
  int coordinate, coordinate_count; ///< its first coordinate, and how many it has
  int rate, rate_count;             ///< likewise
} ts_dynamics_node;

/// Nodes in an order in which a body comes after the one it hangs on; bodies that are not dynamic have none.
TS_API int ts_dynamics_node_count(const ts_dynamics *dynamics);
TS_API ts_dynamics_node ts_dynamics_node_at(const ts_dynamics *dynamics, int node); ///< 0 <= node < count
/// Joints without coordinates, in their order.
TS_API int ts_dynamics_closure_count(const ts_dynamics *dynamics);
TS_API int ts_dynamics_closure_at(const ts_dynamics *dynamics, int i); ///< 0 <= i < count

/// Numbers in q: those of all nodes together.
TS_API int ts_dynamics_coordinate_count(const ts_dynamics *dynamics);
/// Numbers in v; fewer than in q where there are quaternions.
TS_API int ts_dynamics_rate_count(const ts_dynamics *dynamics);
/// "elbow" for a revolute or prismatic joint; else the name of the joint, or of the body that moves freely, with what
/// the number is behind a dot: "wrist.angle1", "ball.qw", "ball.x"; rates "ball.wx", "ball.vx". Valid as long as
/// `dynamics`.
TS_API const char *ts_dynamics_coordinate_name(const ts_dynamics *dynamics, int coordinate);
/// The same for a rate, 0 <= rate < ts_dynamics_rate_count().
TS_API const char *ts_dynamics_rate_name(const ts_dynamics *dynamics, int rate);

/// Go to coordinates and rates (NULL: those it has) at a time, which kinematic bodies follow. Quaternions have length
/// 1, to 1e-6, and are normalized. Refused where a number is not finite; the configuration is then as before. Loops are
/// not closed by this: see ts_dynamics_loop_error().
TS_API ts_status ts_dynamics_set(ts_dynamics *dynamics, double time, const double *q, const double *v, ts_error *error);
/// Where it is: views, valid until it changes.
TS_API const double *ts_dynamics_coordinates(const ts_dynamics *dynamics);
/// The rates, likewise.
TS_API const double *ts_dynamics_rates(const ts_dynamics *dynamics);
TS_API double ts_dynamics_time(const ts_dynamics *dynamics); ///< [s]

/// Go to where a simulation of the same model is; joints that are a little open are taken as closed. And back: its
/// dynamic bodies are placed as the coordinates and rates say, at the simulation's time, which becomes the one here.
TS_API ts_status ts_dynamics_from_sim(ts_dynamics *dynamics, const ts_sim *sim, ts_error *error);
/// The way back, as said above. Refused for a simulation of another model, which is then left as it is.
TS_API ts_status ts_dynamics_to_sim(ts_dynamics *dynamics, ts_sim *sim, ts_error *error);

/// q after a time h at constant rates v, in place; exact for quaternions too (exponential map). Any q and v: the
/// configuration is not asked.
TS_API void ts_dynamics_advance(const ts_dynamics *dynamics, double h, const double *v, double *q);

/// Pose of a body and velocity of its origin, as ts_sim_pose() and ts_sim_velocity() have them.
TS_API ts_pose ts_dynamics_pose(const ts_dynamics *dynamics, int body);
/// Velocity of the body's origin and its angular velocity, world axes [m/s, rad/s].
TS_API ts_twist ts_dynamics_velocity(const ts_dynamics *dynamics, int body);

/// Mass matrix [kg, kg m, kg m^2] by composite bodies: rates x rates numbers, both triangles.
TS_API void ts_dynamics_mass_matrix(ts_dynamics *dynamics, double *M);
/// b: the forces along the rates that keep these constant [N, N m].
TS_API void ts_dynamics_bias(ts_dynamics *dynamics, double *b);

/// Forces along the rates for given accelerations (may be NULL: none), by recursive Newton-Euler: f = M a + b - sum of
/// J^T w, without M. `wrench` (may be NULL: none): on every body of the model, about its centre of mass along the
/// world's axes, as for ts_sim_push(); gravity acts anyway; on bodies that are not dynamic it does nothing. With loops,
/// joints without coordinates do not act, nor do gears: of the forces that make a motion of a loop these are the ones
/// that load them with nothing.
TS_API ts_status ts_dynamics_inverse(ts_dynamics *dynamics, const double *a, const ts_wrench *wrench, double *f,
                                     ts_error *error);
/// Accelerations for given forces (may be NULL: none) by articulated bodies; loops and gears are obeyed: what opens
/// them further is taken back, G a + G' v = 0. Refused where nothing resists a joint.
TS_API ts_status ts_dynamics_forward(ts_dynamics *dynamics, const double *f, const ts_wrench *wrench, double *a,
                                     ts_error *error);

/// Largest error of the joints without coordinates and of gears [m, rad]: how far loops are open. 0 where there are
/// none.
TS_API double ts_dynamics_loop_error(const ts_dynamics *dynamics);

/// A point fixed on a body, along the world's axes.
typedef struct ts_point_motion {
  ts_vec3 position;  ///< [m]
  ts_twist velocity; ///< of the point, and angular of the body; J v where bases do not move
  ts_twist bias;     ///< its derivative while the rates are constant, J' v [m/s^2, rad/s^2]
} ts_point_motion;
/// `at` is in the body's frame [m]. `jacobian` (6 x rates by rows, may be NULL): rows x y z of the velocity, then of
/// the angular velocity; zero for bodies that are not dynamic. `motion` may be NULL.
TS_API ts_status ts_dynamics_point(ts_dynamics *dynamics, int body, ts_vec3 at, double *jacobian,
                                   ts_point_motion *motion, ts_error *error);

#ifdef __cplusplus
}
#endif

#endif
