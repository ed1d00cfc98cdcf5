// What moves a kind of joint, or a body that no joint reaches: a table a kind, in a file of its own. What is known of
// joints without their mechanics is in model/joint/.
#ifndef TS_DYNAMICS_JOINT_JOINT_MECHANICS_H
#define TS_DYNAMICS_JOINT_JOINT_MECHANICS_H

#include "dynamics/joint/holds.h"
#include "dynamics/tree_inside.h"
#include "math/sincos.h"

enum { TS_MOST_HOLDS = 4, TS_MOST_COORDINATES = 7 }; // with the NULL at the end; of a node

// Of the child in the parent, along the parent's axes.
typedef struct ts_placement {
  ts_wide turn; // quaternion, lanes w x y z
  ts_vec3 slide;
} ts_placement;

// What coordinates are read from.
typedef struct ts_relative_pose {
  ts_mat3 turn; // the child's joint frame in the parent's, and its origin along the parent's frame
  ts_quat quat;
  ts_vec3 slide;
  double near; // an angle that counts turns is within half a turn of this
  ts_pose child;
  double child_angle; // plane
} ts_relative_pose;

typedef struct ts_joint_mechanics {
  // Redundant coordinates: rows by ts_space, a list that ends with NULL. Nothing for nodes without a joint.
  const ts_hold *holds[2][TS_MOST_HOLDS];

  // Minimal coordinates. Names: "" is that of the joint; the other words are those of run files, where these know the
  // quantity (record/layout.c).
  int q_count, v_count;
  const char *coordinate[TS_MOST_COORDINATES], *rate[TS_MOST_FREEDOMS];
  const ts_quat *reversal; // turns both frames where the joint is walked from its child to its parent; NULL: not at all
  ts_fast_path fast_path;  // how it is followed in the innermost loops
  bool rate_is_spin;       // its one rate is the angular velocity about its axis
  bool second_in_child;    // the second of its axes is fixed in the child, not in the parent: universal
  bool keeps_turn;         // does not turn the body at all: a particle

  // `at->turn` is the body's present orientation before.
  void (*place)(const ts_hinge *hinge, const double *q, ts_placement *at);
  // Plane: the child's angle against the parent's; `present` is the body's. NULL: it does not change.
  double (*angle)(const ts_hinge *hinge, const double *q, double present);
  // Motion axes at the joint's origin, along world axes: each turns about or slides along a unit vector, or does both
  // along the same, and they are orthonormal among those that turn and among those that slide. `up` and `axes` are
  // those of the parent and of the child.
  void (*axes)(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *axes, ts_twist *motion);
  void (*read)(const ts_relative_pose *pose, double *q);
} ts_joint_mechanics;

// `kind`: ts_joint_kind, or a kind of node beside those (dynamics/tree.h).
const ts_joint_mechanics *ts_joint_mechanics_of(int kind);

// ---- what several kinds share --------------------------------------------------------------------------------------

extern const ts_quat ts_half_turn_about_x; // z to -z

static inline ts_twist ts_twist_about(ts_vec3 axis)
{
  return (ts_twist){.angular = axis};
}

static inline ts_twist ts_twist_along(ts_vec3 axis)
{
  return (ts_twist){.linear = axis};
}

// The world's direction of the joint's z.
static inline ts_vec3 ts_hinge_z(const ts_hinge *hinge, const ts_mat3 *up)
{
  return ts_mul(up, hinge->side[0].z);
}

void ts_turn_about_axes(const ts_mat3 *axes, ts_twist *motion); // three axes

TS_INLINE ts_wide ts_turned_by_half(const ts_hinge *hinge, double sine, double cosine)
{
  return cosine * hinge->about_z[0] + sine * hinge->about_z[1];
}

// at->turn after a turn about the joint's z, and after any turn of the child's frame in the parent's.
void ts_place_turn_about_z(const ts_hinge *hinge, double angle, ts_placement *at);
void ts_place_turn(const ts_hinge *hinge, ts_quat turn, ts_placement *at);

// Plane: the angle of a joint that turns by q.
TS_INLINE double ts_turned_angle(const ts_hinge *hinge, double q)
{
  return hinge->angle + hinge->side[0].z.z * q;
}

// About the common z, also where the axes are not quite aligned; and the one among those that are equal up to turns
// that is meant.
double ts_angle_about_z(const ts_relative_pose *pose);
double ts_counted_angle_about_z(const ts_relative_pose *pose);

void ts_put_quaternion(ts_quat from, double *q);
void ts_put_position(ts_vec3 from, int count, double *q); // its first two or three numbers

#endif
