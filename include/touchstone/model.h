/// What is simulated: bodies with shapes, joints, springs, forces, materials. A model is built once, by a builder or
/// from a scene file (scene.h), and is constant from then on: any number of simulations and threads may share it.
#ifndef TOUCHSTONE_MODEL_H
#define TOUCHSTONE_MODEL_H

#include "touchstone/shape.h"
#include "touchstone/signal.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What bodies may do: everything; move in the vertical plane x y and turn about z; or the same on a horizontal plane,
/// which they are pressed onto and which rubs them at their supports (ts_support_def).
/// enumerator, name in scene files
#define TS_SPACE_LIST(X)          X(3D, "3d") X(2D, "2d") X(2_5D, "2.5d")
#define TS_SPACE_ENUM(name, text) TS_SPACE_##name,
typedef enum ts_space { TS_SPACE_LIST(TS_SPACE_ENUM) TS_SPACE_COUNT } ts_space;
#undef TS_SPACE_ENUM

/// The name in scene files; NULL for none of them.
TS_API const char *ts_space_name(ts_space space);
/// Whether bodies lie in the plane x y: x, y and an angle say where they are, and shapes and joints are those of the
/// plane.
TS_API bool ts_space_is_planar(ts_space space);

/// enumerator, name in scene files, one line of help
#define TS_BODY_KIND_LIST(X)                                                                                           \
  X(FIXED, "fixed", "does not move")                                                                                   \
  X(KINEMATIC, "kinematic", "moves as its motion says, whatever pushes it")                                            \
  X(DYNAMIC, "dynamic", "moves by the laws of Newton and Euler")
#define TS_BODY_KIND_ENUM(name, text, help) TS_##name,
typedef enum ts_body_kind { TS_BODY_KIND_LIST(TS_BODY_KIND_ENUM) TS_BODY_KIND_COUNT } ts_body_kind;
#undef TS_BODY_KIND_ENUM

enum { TS_WORLD = -1 }; ///< stands for the world where a body is named

/// Numbers of a contact law: member of ts_contact_law, default, range of values, whose rule of combination it has
/// (friction or restitution; series: springs behind each other), one line of help
#define TS_LAW_NUMBER_LIST(X)                                                                                          \
  X(friction, 0.5, NOT_NEGATIVE, friction, "coefficient of friction")                                                  \
  X(restitution, 0, FRACTION, restitution,                                                                             \
    "coefficient of restitution, used by the impact laws `newton` and `poisson`")                                      \
  X(stiffness, 0, NOT_NEGATIVE, series, "N/m, along the normal, used by the stepper `compliant`; 0: rigid")            \
  X(damping, 0, NOT_NEGATIVE, series, "N s/m, beside `stiffness`")                                                     \
  X(tangential_stiffness, 0, NOT_NEGATIVE, series, "N/m, along the surface; 0: both as along the normal")              \
  X(tangential_damping, 0, NOT_NEGATIVE, series, "N s/m, beside `tangential_stiffness`")

/// How two surfaces touch: the numbers of the list, such as `friction` (mu) and `restitution` (e), and
typedef struct ts_contact_law {
#define TS_LAW_NUMBER(name, value, range, rule, help) double name;
  TS_LAW_NUMBER_LIST(TS_LAW_NUMBER)
#undef TS_LAW_NUMBER
  ts_vec3 ellipsoid; ///< semi-axes e_t, e_o [1] and e_r [m] of the friction ellipsoid; e_r = 0: no torsional friction
  ts_vec3 direction; ///< world direction that the tangent t follows, projected; 0: any (when e_t = e_o it is no matter)
} ts_contact_law;

/// friction 0.5, restitution 0, rigid, ellipsoid (1, 1, 0).
TS_API ts_contact_law ts_contact_law_default(void);

/// How the laws of two materials become one where no pair says otherwise: the rule for friction holds for the semi-axes
/// of the ellipsoid too. Default: the geometric mean for both. Springs and dampers stand behind each other, by no
/// choice of rule. See docs/theory/models.md.
typedef enum ts_combination {
  TS_GEOMETRIC_MEAN,
  TS_ARITHMETIC_MEAN,
  TS_MINIMUM,
  TS_MAXIMUM,
  TS_PRODUCT
} ts_combination;

/// A body. Positions and velocities are those of the body's origin, the frame that shapes are placed in.
typedef struct ts_body_def {
  const char *name; ///< unique, not empty
  ts_body_kind kind;
  double mass;           ///< [kg]; NAN: density times volume of the shapes; 0: none, a link between two joints with
                         ///< one axis each, which minimal coordinates alone can take
  double density;        ///< [kg/m^3; plane kg/m^2], default 1000; only used where no mass is given
  double inertia[6];     ///< xx yy zz xy xz yz about the centre of mass, body axes [kg m^2]; [0] NAN: from the shapes.
                         ///< In the plane only zz counts, and a zz other than 0 is enough
  ts_vec3 centre;        ///< centre of mass in the body's frame [m]; x NAN: from the shapes; the origin unless dynamic
  bool rotates;          ///< false: a particle without rotation
  ts_pose pose;          ///< at time 0; of kinematic bodies the frame that their motion is relative to
  ts_twist velocity;     ///< at time 0, of the origin [m/s, rad/s, world axes]
  double angle;          ///< plane only: orientation [rad], instead of pose.orientation
  ts_vec3 gravity_scale; ///< factors on the components of gravity; default 1 1 1
  uint32_t cookie;       ///< set by ts_body_def_default()
} ts_body_def;
/// A dynamic body at the origin and at rest, mass and inertia from shapes of 1000 kg/m^3.
TS_API ts_body_def ts_body_def_default(void);

/// A soft skin over a rigid core (thesis 3.5.2), for steppers that know skins. What presses on it deflects it, along
/// its normal n by `thickness` at most and along two tangents t and o = n x t without a bound. It pushes back with K
/// delta + C delta', K and C the symmetric matrices of these directions; n points outwards, the force is the one on
/// what presses, and a deflection along n is positive where the skin is compressed.
typedef struct ts_skin {
  double thickness;    ///< [m] > 0; 0, and all else 0: no skin
  double stiffness[6]; ///< K: nn, tt, oo, nt, no, to [N/m]; positive semidefinite, nn > 0. Plane: nn, tt and nt alone
  double damping[6];   ///< C, likewise [N s/m]; positive semidefinite
  ts_vec3 direction;   ///< what t follows, in the body's frame, as far as n allows; 0: x. In the plane t is n turned
                       ///< clockwise. Does not matter where t and o are alike and nothing couples them to n
} ts_skin;

/// How the loads of supports follow from what acts on their body.
typedef enum ts_load_rule {
  TS_LOADS_AT_REST,   ///< they carry its weight and nothing else (thesis 3.24)
  TS_LOADS_BY_STATICS ///< they also take the moments of what pushes it at a height above the plane
} ts_load_rule;

/// What a dynamic body of a 2.5D world stands on (thesis 3.3): points of it, each pressed onto the plane by a known
/// load and rubbed by it. A body that is given none has a tripod about its centre of mass, at its radius of gyration.
///
/// Three points carry what balances the weight, which has to be within their triangle. More than three have the loads
/// that are given, each multiplied by the one factor a + b x + c y that makes them balance the weight. One point bears
/// all of it, below the centre of mass; with a semi-axis e_r it is the ellipsoidal limit surface.
typedef struct ts_support_def {
  int body;     ///< dynamic
  int on;       ///< fixed or kinematic body that the plane moves with; TS_WORLD: it is at rest
  bool carried; ///< by something else, a slide for instance: the plane does not rub it, and there are no points
  const ts_vec3 *points; ///< in the body's frame [m], z 0; copied. None: the tripod
  int point_count;
  const double *loads;  ///< > 0, relative to each other (point_count); copied. NULL: by statics, of at most three
  double friction;      ///< mu >= 0; NAN: that of the default law
  ts_vec3 ellipsoid;    ///< e_t along x, e_o along y [1], e_r [m] as in ts_contact_law
  ts_load_rule update;  ///< of the loads
  double height;        ///< of what pushes the body, above the plane [m] >= 0
  double centre_height; ///< of its centre of mass, above the plane [m] >= 0
  uint32_t cookie;      ///< set by ts_support_def_default()
} ts_support_def;
/// The tripod of no body yet, on the world's plane, with the friction of the default law.
TS_API ts_support_def ts_support_def_default(void);

/// A point that a body stands on.
typedef struct ts_support_point {
  ts_vec3 at;      ///< in the body's frame [m]
  double load;     ///< at rest [N]
  double friction; ///< mu
} ts_support_point;

/// A shape on a body. A body may have several: a compound.
typedef struct ts_part_def {
  int body;
  ts_shape shape;  ///< copied
  ts_pose pose;    ///< in the body's frame
  double angle;    ///< plane only, instead of pose.orientation [rad]
  int material;    ///< from ts_builder_add_material(), or -1: the default law
  bool massless;   ///< does not count for mass and inertia
  ts_skin skin;    ///< its outermost layer; thickness 0: none, it is rigid
  uint32_t cookie; ///< set by ts_part_def_default()
} ts_part_def;
/// No body and no shape yet; at the body's origin, of the default law, counts for the mass.
TS_API ts_part_def ts_part_def_default(void);

/// Kinds of joints: enumerator, name in scene files
#define TS_JOINT_LIST(X)                                                                                               \
  X(REVOLUTE, revolute)                                                                                                \
  X(PRISMATIC, prismatic)                                                                                              \
  X(SPHERICAL, spherical)                                                                                              \
  X(UNIVERSAL, universal)                                                                                              \
  X(CYLINDRICAL, cylindrical)                                                                                          \
  X(PLANAR, planar)                                                                                                    \
  X(WELD, fixed)                                                                                                       \
  X(SCREW, screw)
#define TS_JOINT_ENUM(enumerator, name) TS_JOINT_##enumerator,
typedef enum ts_joint_kind { TS_JOINT_LIST(TS_JOINT_ENUM) TS_JOINT_COUNT } ts_joint_kind;
#undef TS_JOINT_ENUM

/// What the coordinate of a joint of one freedom is. Its position, limits, motor, friction and damping are of it.
typedef enum ts_joint_measure {
  TS_MEASURE_NONE,  ///< the joint has no coordinate of that sort
  TS_MEASURE_ANGLE, ///< [rad], counts turns; what drives it is a torque
  TS_MEASURE_LENGTH ///< [m]; what drives it is a force
} ts_joint_measure;

/// What pictures show where the child is.
typedef enum ts_joint_mark { TS_MARK_BLOCK, TS_MARK_PIN, TS_MARK_BALL } ts_joint_mark;

/// What all joints of a kind have in common.
typedef struct ts_joint_traits {
  const char *summary; ///< one line of help
  int freedoms[2];     ///< by ts_space; -1: it does not exist there
  ts_joint_measure measure;
  int axes;           ///< that it has: none, `axis`, or `axis` and `axis2`
  ts_joint_mark mark; ///< in pictures
  bool has_rails;     ///< pictures show its axis as rails
} ts_joint_traits;
TS_API const ts_joint_traits *ts_joint_kind_traits(ts_joint_kind kind); ///< NULL: there is no such kind
TS_API const char *ts_joint_kind_name(ts_joint_kind kind);              ///< "revolute"

/// What drives a joint of one freedom.
typedef enum ts_motor_kind {
  TS_MOTOR_NONE,
  TS_MOTOR_FORCE,    ///< `target` is a force or torque [N, N m]
  TS_MOTOR_VELOCITY, ///< keeps the rate at `target` [m/s, rad/s] with at most `max_force`
  TS_MOTOR_SERVO     ///< stiffness (target - position) + damping (target rate - rate), at most `max_force`, taken
                     ///< implicitly: any gains are stable
} ts_motor_kind;

typedef struct ts_motor {
  ts_motor_kind kind;
  ts_signal target;
  double stiffness; ///< servo [N/m, N m/rad] >= 0
  double damping;   ///< servo [N s/m, N m s/rad] >= 0
  double max_force; ///< [N, N m] > 0, may be INFINITY
} ts_motor;

/// Numbers of a joint that are 0 unless given: member of ts_joint_def, range of values, units (where the coordinate is
/// a length, an angle), one line of help
#define TS_JOINT_NUMBER_LIST(X)                                                                                        \
  X(position, ANY, "m, rad", "one freedom: coordinate at time 0; moves the child and all that hangs on it")            \
  X(velocity, ANY, "m/s, rad/s", "one freedom: its rate at time 0")                                                    \
  X(friction, NOT_NEGATIVE, "N, N m", "one freedom: largest dry friction")                                             \
  X(damping, NOT_NEGATIVE, "N s/m, N m s/rad", "one freedom: viscous friction, taken implicitly")                      \
  X(pitch, ANY, "m/rad", "screw: how far it goes along `axis` a radian, other than 0; a turn is 2 pi of it")

/// A joint between a child and its parent (or the world). The joint's coordinate is 0 where the bodies stand as they
/// are defined. A `position` other than 0 moves the child at time 0, and all that hangs on it with it: fixed and
/// kinematic bodies stay, and where nothing holds a linkage the body that is no joint's child does. Relative motions
/// that the bodies' velocities mean are kept, `velocity` is added to them. The positions of all joints of a loop must
/// fit together, to 1e-6 m and rad, and so must their velocities.
typedef struct ts_joint_def {
  const char *name; ///< unique among joints; NULL: "joint1" or the like
  ts_joint_kind kind;
  int parent, child; ///< bodies; the parent may be TS_WORLD
  ts_vec3 at;        ///< the joint's point in the parent's frame [m]
  ts_vec3 axis;      ///< in the parent's frame; normalized when taken over. In the plane a revolute joint's axis is z
  ts_vec3 axis2;     ///< universal: the child's axis, in the parent's frame where the coordinate is 0, normal to `axis`
  bool limited;      ///< joints of one freedom: stay within
  double lower, upper; ///< [m, rad], lower <= upper; beyond -1e9 or 1e9: no stop on that side. Angles count turns
  double restitution;  ///< of the stops, in [0, 1]
  double position;     ///< one freedom: coordinate at time 0 [m, rad]; unless 0 within the limits
  double velocity;     ///< one freedom: its rate at time 0 [m/s, rad/s]
  double friction;     ///< one freedom: largest dry friction [N, N m] >= 0, against the rate, beside any motor
  double damping;      ///< one freedom: viscous friction [N s/m, N m s/rad] >= 0, taken implicitly
  double pitch;        ///< screw: way along `axis` a radian [m/rad], not 0; above 0 it is right-handed
  ts_motor motor;
  bool closes_loop; ///< minimal coordinates: never one of them, so that the joint stays a bilateral row. Of a loop, one
                    ///< joint is left out in any case; this states which. Elsewhere its child moves freely but for the
                    ///< row. No matter in redundant coordinates
  uint32_t cookie;  ///< set by ts_joint_def_default()
} ts_joint_def;
/// A revolute joint about z at the parent's origin, without limits, motor or friction; no bodies yet.
TS_API ts_joint_def ts_joint_def_default(void);

enum { TS_MOST_GEAR_TERMS = 32 }; ///< of one gear

/// One joint that another follows.
typedef struct ts_gear_term {
  int joint;    ///< of one freedom
  double ratio; ///< how far the other goes for 1 of this one [rad/rad, m/rad, rad/m, m/m], not 0
} ts_gear_term;

/// Joints of one freedom that go together, however they are placed: the coordinate of `joint` is the sum of ratio times
/// coordinate over all terms, and `offset`. One term is a pair of gear wheels, a rack and pinion or a belt; two are a
/// differential. Gears hold as joints do, and have no inertia, friction or play. A joint follows by one gear at most,
/// and not itself, by way of others neither; any number may follow one joint. At time 0 a joint that follows is where,
/// and as fast as, its gear says: `position` and `velocity` of its own are 0 or the same, to 1e-6. What velocities of
/// bodies add to that is made to fit as for other joints (ts_sim_start_velocities()).
typedef struct ts_gear_def {
  int joint;                 ///< that follows
  const ts_gear_term *terms; ///< what it follows, different joints; copied
  int term_count;            ///< 1 to TS_MOST_GEAR_TERMS
  double offset;             ///< of the coordinate [m, rad]
  uint32_t cookie;           ///< set by ts_gear_def_default()
} ts_gear_def;
/// No joints yet, no offset.
TS_API ts_gear_def ts_gear_def_default(void);

/// A spring and damper between two points: force stiffness (d - length) + damping d', along the line between them. A
/// damper that works across too resists every relative velocity of the points.
typedef struct ts_spring_def {
  const char *name;  ///< unique among springs; NULL: "spring1" or the like
  int body[2];       ///< may be TS_WORLD
  ts_vec3 at[2];     ///< in each body's frame [m]
  double stiffness;  ///< [N/m] >= 0
  double damping;    ///< [N s/m] >= 0
  double length;     ///< at rest [m] >= 0; NAN: the distance at time 0
  bool damps_across; ///< the damper resists velocity across the line too (thesis 2.7.6)
  bool implicit;     ///< true: taken at the end of the step, stable however stiff; false: at its start (thesis 2.7.6)
  uint32_t cookie;   ///< set by ts_spring_def_default()
} ts_spring_def;
/// Between the origins of no bodies yet: no stiffness, no damping, at rest as it stands at time 0.
TS_API ts_spring_def ts_spring_def_default(void);

/// A bushing: springs and dampers between two frames, along and about the axes of the first one, all at once. With d
/// the place of the second frame and r the rotation vector of its orientation, both in the axes of the first frame, it
/// pushes back with stiffness d + damping d' and turns back with angular_stiffness r + angular_damping r'. The frames
/// coincide where the bodies stand at time 0. Taken at the end of the step: stable however stiff. Angles are those up
/// to half a turn.
typedef struct ts_bushing_def {
  const char *name;          ///< unique among bushings; NULL: "bushing1" or the like
  int body[2];               ///< one may be TS_WORLD
  ts_vec3 at;                ///< its point, in the first body's frame [m]
  ts_quat orientation;       ///< its axes, in the first body's frame
  double angle;              ///< plane only, instead of `orientation` [rad]
  ts_vec3 stiffness;         ///< along its axes [N/m] >= 0; plane: x and y
  ts_vec3 damping;           ///< likewise [N s/m] >= 0
  ts_vec3 angular_stiffness; ///< about its axes [N m/rad] >= 0; plane: only z
  ts_vec3 angular_damping;   ///< likewise [N m s/rad] >= 0
  uint32_t cookie;           ///< set by ts_bushing_def_default()
} ts_bushing_def;
/// At the first body's origin and along its axes, between no bodies yet; it does nothing.
TS_API ts_bushing_def ts_bushing_def_default(void);

/// A wrench on a dynamic body as a function of time.
typedef struct ts_force_def {
  int body;
  ts_vec3 at;          ///< where the force acts, in the body's frame [m]; x NAN: at the centre of mass
  ts_signal force[3];  ///< [N]
  ts_signal torque[3]; ///< [N m]
  bool follows;        ///< components along the body's axes instead of the world's
  uint32_t cookie;     ///< set by ts_force_def_default()
} ts_force_def;
/// Nothing, at the centre of mass of no body yet, along the world's axes.
TS_API ts_force_def ts_force_def_default(void);

/// How a kinematic body moves, relative to its pose at time 0 given in the body's definition.
typedef enum ts_motion_kind {
  TS_MOTION_POSE,         ///< displacement and rotation vector as signals
  TS_MOTION_ACCELERATION, ///< sinusoidal accelerations on six axes (thesis 5.3)
  TS_MOTION_CALLBACK
} ts_motion_kind;

/// Orientation of an accelerated body. EXPONENTIAL: exp of the periodic rotation vector that the accelerations
/// integrate to. INTEGRATED: the angular velocity integrated over a period, the start chosen such that the angles are
/// symmetric about zero (thesis 5.3); it yaws slowly (corrections.md 13).
typedef enum ts_orientation_rule { TS_ORIENTATION_EXPONENTIAL, TS_ORIENTATION_INTEGRATED } ts_orientation_rule;

typedef struct ts_motion_def {
  int body; ///< kinematic
  ts_motion_kind kind;
  ts_signal displacement[3];     ///< pose: added to the position [m]
  ts_signal rotation[3];         ///< pose: rotation vector, world axes, about the body's origin [rad]; plane: only z
  double amplitude[6], phase[6]; ///< acceleration A sin(frequency t + phase): x y z [m/s^2], then about x y z [rad/s^2]
  double frequency;              ///< acceleration [rad/s] > 0
  ts_orientation_rule orientation;                                           ///< acceleration
  void (*callback)(void *user, double t, ts_pose *pose, ts_twist *velocity); ///< absolute pose and origin velocity
  void *user;
  uint32_t cookie; ///< set by ts_motion_def_default()
} ts_motion_def;
/// A pose that does not change, of no body yet.
TS_API ts_motion_def ts_motion_def_default(void);

/// A rule for many pairs of bodies: all of `group` with all of `with`, or where that is empty those of `group` among
/// themselves. Of several rules for a pair the last one holds. A rule for two bodies (ts_builder_pair_bodies()) wins
/// over all of them, and bodies that a joint joins collide by such a rule alone.
typedef struct ts_group_def {
  const int *group, *with; ///< bodies, copied; none matter twice
  int group_count, with_count;
  bool collide;              ///< false: they pass through each other
  const ts_contact_law *law; ///< how they touch, copied; NULL: as their materials say
  uint32_t cookie;           ///< set by ts_group_def_default()
} ts_group_def;
/// No bodies yet; they do not collide.
TS_API ts_group_def ts_group_def_default(void);

/// What a model has made of such a rule.
typedef struct ts_group_info {
  int group_count, with_count; ///< bodies; with_count 0: among themselves
  bool collide, has_law;
  long long pairs; ///< of bodies, one at least dynamic, that it decides: neither a later rule does nor one for the two
} ts_group_info;

/// Collects a model. Every add function copies what it is given, checks it, and returns through its last argument but
/// one (may be NULL) the number of what was added (counted from 0 in each list); `error` (may be NULL) says what is
/// wrong.
typedef struct ts_builder ts_builder;
typedef struct ts_model ts_model;

/// NULL when memory runs out or there is no such space. Release with ts_builder_destroy(), which accepts NULL.
TS_API ts_builder *ts_builder_create(ts_space space);
/// Release a builder; models that it has finished stay. Accepts NULL.
TS_API void ts_builder_destroy(ts_builder *builder);

/// [m/s^2], default 0 0 -9.81; in 2D 0 -9.81 0. In 2.5D it has a z component alone, not above 0.
TS_API void ts_builder_set_gravity(ts_builder *builder, ts_vec3 gravity);
TS_API ts_status ts_builder_set_contact(ts_builder *builder, const ts_contact_law *law,
                                        ts_error *error); ///< default law
/// The rules for materials that no pair names, see ts_combination.
TS_API void ts_builder_set_combination(ts_builder *builder, ts_combination friction, ts_combination restitution);

/// A name for a law, unique among materials. Parts refer to it by its number.
TS_API ts_status ts_builder_add_material(ts_builder *builder, const char *name, const ts_contact_law *law,
                                         int *material, ts_error *error);
/// A body; names are unique among bodies.
TS_API ts_status ts_builder_add_body(ts_builder *builder, const ts_body_def *def, int *body, ts_error *error);
/// A shape on a body that was added before.
TS_API ts_status ts_builder_add_part(ts_builder *builder, const ts_part_def *def, int *part, ts_error *error);
/// A joint between bodies that were added before.
TS_API ts_status ts_builder_add_joint(ts_builder *builder, const ts_joint_def *def, int *joint, ts_error *error);
/// A gear between joints that were added before.
TS_API ts_status ts_builder_add_gear(ts_builder *builder, const ts_gear_def *def, int *gear, ts_error *error);
/// A spring between bodies that were added before.
TS_API ts_status ts_builder_add_spring(ts_builder *builder, const ts_spring_def *def, int *spring, ts_error *error);
/// A bushing between bodies that were added before.
TS_API ts_status ts_builder_add_bushing(ts_builder *builder, const ts_bushing_def *def, int *bushing, ts_error *error);
/// A force on a dynamic body that was added before; several on one body add up.
TS_API ts_status ts_builder_add_force(ts_builder *builder, const ts_force_def *def, int *force, ts_error *error);
/// What a body of a 2.5D world that was added before stands on; one a body.
TS_API ts_status ts_builder_add_support(ts_builder *builder, const ts_support_def *def, ts_error *error);
/// The motion of a kinematic body that was added before; one a body.
TS_API ts_status ts_builder_add_motion(ts_builder *builder, const ts_motion_def *def, int *motion, ts_error *error);

/// Override the law between two materials, or between two bodies (which wins); NULL law with bodies: they do not
/// collide.
TS_API ts_status ts_builder_pair_materials(ts_builder *builder, int first, int second, const ts_contact_law *law,
                                           ts_error *error);
/// The same between two bodies, see above.
TS_API ts_status ts_builder_pair_bodies(ts_builder *builder, int first, int second, const ts_contact_law *law,
                                        ts_error *error);

/// A rule for groups of bodies; bodies that are added later are in none that was made before.
TS_API ts_status ts_builder_pair_groups(ts_builder *builder, const ts_group_def *def, ts_error *error);

/// Check the whole, compute masses and hulls, and freeze it. The builder may be used on or destroyed; the model is
/// independent of it. On failure *model is NULL. Release with ts_model_destroy(), which accepts NULL.
TS_API ts_status ts_builder_finish(const ts_builder *builder, ts_model **model, ts_error *error);
/// Release a model that nothing refers to any more. Accepts NULL.
TS_API void ts_model_destroy(ts_model *model);

/// Whether it is in space or in the plane x y.
TS_API ts_space ts_model_space(const ts_model *model);
/// Gravity along the world's axes [m/s^2].
TS_API ts_vec3 ts_model_gravity(const ts_model *model);
/// Bodies of all kinds; they are counted from 0.
TS_API int ts_model_body_count(const ts_model *model);
/// Parts of all bodies; they are counted from 0.
TS_API int ts_model_part_count(const ts_model *model);
/// Joints; they are counted from 0.
TS_API int ts_model_joint_count(const ts_model *model);
/// Gears; they are counted from 0.
TS_API int ts_model_gear_count(const ts_model *model);
/// Springs; they are counted from 0.
TS_API int ts_model_spring_count(const ts_model *model);
/// Bushings; they are counted from 0.
TS_API int ts_model_bushing_count(const ts_model *model);
/// Rules for groups of bodies; they are counted from 0.
TS_API int ts_model_group_count(const ts_model *model);
/// What there is of a rule for groups.
TS_API ts_group_info ts_model_group(const ts_model *model, int group);
/// Name of a body; valid as long as the model.
TS_API const char *ts_model_body_name(const ts_model *model, int body);
/// The body of that name, or -1 (which is TS_WORLD).
TS_API int ts_model_find_body(const ts_model *model, const char *name);
/// The joint of that name, or -1; ts_model_joint() has its name.
TS_API int ts_model_find_joint(const ts_model *model, const char *name);
/// Whether a body is fixed, kinematic or dynamic.
TS_API ts_body_kind ts_model_body_kind(const ts_model *model, int body);
TS_API double ts_model_body_mass(const ts_model *model, int body);    ///< [kg]; 0 unless dynamic
/// Half the least width of the smallest dynamic body with a shape [m]; 0 if there is none.
TS_API double ts_model_least_half_width(const ts_model *model);
TS_API ts_vec3 ts_model_body_centre(const ts_model *model, int body); ///< centre of mass in the body's frame [m]
TS_API void ts_model_body_inertia(const ts_model *model, int body, double inertia[6]); ///< as in ts_body_def
/// How many points a body stands on: 0 unless it is dynamic and the world is 2.5D.
TS_API int ts_model_support_count(const ts_model *model, int body);
/// One of them.
TS_API ts_support_point ts_model_support(const ts_model *model, int body, int point);
/// Body, shape (valid as long as the model) and pose in the body's frame of a part.
TS_API int ts_model_part_body(const ts_model *model, int part);
/// Its shape; valid as long as the model.
TS_API const ts_shape *ts_model_part_shape(const ts_model *model, int part);
/// Its pose in the body's frame.
TS_API ts_pose ts_model_part_pose(const ts_model *model, int part);
/// A joint or spring as it was defined, a spring with its length at rest: good for a builder that has the same bodies.
/// Axes are unit vectors. The name and what signals point to are valid as long as the model.
TS_API ts_joint_def ts_model_joint(const ts_model *model, int joint);
/// A gear, likewise; its terms are valid as long as the model.
TS_API ts_gear_def ts_model_gear(const ts_model *model, int gear);
/// A spring, likewise.
TS_API ts_spring_def ts_model_spring(const ts_model *model, int spring);
/// A bushing as it was defined; the name is valid as long as the model.
TS_API ts_bushing_def ts_model_bushing(const ts_model *model, int bushing);
/// The frame of a bushing, side 0 or 1, in that body's frame (of the world: in the world). The two coincide at time 0.
TS_API ts_pose ts_model_bushing_frame(const ts_model *model, int bushing, int side);
/// The frame of a joint on its parent (side 0) or child (side 1), in that body's frame, or in the world: its origin is
/// the joint's point, its z the joint's axis and, of a universal joint, its x `axis2`. The two coincide where the
/// joint's coordinate is 0.
TS_API ts_pose ts_model_joint_frame(const ts_model *model, int joint, int side);
/// Velocity degrees of freedom of all dynamic bodies: 6 each, 3 in the plane, fewer for particles.
TS_API int ts_model_dof_count(const ts_model *model);
/// Bilateral rows of all joints and gears (limits and driven axes not counted).
TS_API int ts_model_bilateral_count(const ts_model *model);
/// The law that holds between two parts; false when they do not collide.
TS_API bool ts_model_contact_law(const ts_model *model, int part_1, int part_2, ts_contact_law *law);

#ifdef __cplusplus
}
#endif

#endif
