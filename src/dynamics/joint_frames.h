// A joint as it stands in the world, and the rows that can be made of it.
#ifndef TS_DYNAMICS_JOINT_FRAMES_H
#define TS_DYNAMICS_JOINT_FRAMES_H

#include "dynamics/rows.h"

#include "model/joint/type.h"

// The two bodies of a joint or spring.
typedef struct ts_sides {
  int dynamic[2];   // -1 unless dynamic: the bodies of rows
  int kinematic[2]; // -1 unless kinematic
} ts_sides;

ts_sides ts_sides_of(const ts_model *model, int first, int second);

// The rate that kinematic bodies make of a row.
double ts_row_drift(const ts_row *row, const ts_sides *sides, const ts_twist *velocity);

// Side 0 is the parent, side 1 the child.
typedef struct ts_joint_frames {
  ts_sides sides;
  ts_frame frame[2]; // the joint's frames, z along its axis
  ts_vec3 centre[2]; // centres of mass (the world's: its origin)
} ts_joint_frames;

ts_joint_frames ts_joint_frames_at(const ts_model *model, const ts_kinematics *kinematics, int joint);

// Rate of d.(o2 - o1) where d is carried along by the parent: the child's origin o2 relative to the parent's matter.
// Exact also when the joint is open: d/dt d.(o2 - o1) = d.v(o2) - d.(v1 + w1 x (o2 - c1)).
TS_INLINE ts_row ts_slide_row(const ts_joint_frames *joint, ts_vec3 direction)
{
  const ts_vec3 point = joint->frame[1].origin;
  const ts_vec3 moment[2] = {ts_cross(ts_sub(point, joint->centre[0]), direction),
                             ts_cross(ts_sub(point, joint->centre[1]), direction)};
  return (ts_row){{joint->sides.dynamic[0], joint->sides.dynamic[1]},
                  {{ts_negate(direction), ts_negate(moment[0])}, {direction, moment[1]}}};
}

// Rate d.(w2 - w1).
TS_INLINE ts_row ts_turn_row(const ts_joint_frames *joint, ts_vec3 direction)
{
  const ts_vec3 none = {0.0, 0.0, 0.0};
  return (ts_row){{joint->sides.dynamic[0], joint->sides.dynamic[1]},
                  {{none, ts_negate(direction)}, {none, direction}}};
}

// The rate of the coordinate of a joint that has one.
ts_row ts_joint_coordinate_row(const ts_model *model, int joint, const ts_joint_frames *at);

// The coordinate itself.
typedef struct ts_joint_coordinate {
  ts_row row;
  double position; // as ts_joint_position() says
  double drift;
} ts_joint_coordinate;

ts_joint_coordinate ts_joint_coordinate_at(const ts_model *model, const ts_state *state,
                                           const ts_kinematics *kinematics, int joint);

// The angle of a joint that has one, turns counted: in the plane by the bodies' angles, in space by what it was when it
// was last looked at (ts_state_follow_joints()).
double ts_joint_angle(const ts_model *model, const ts_state *state, int joint, const ts_joint_frames *at);

// Turn `angle` by whole turns to within pi of `near`.
double ts_angle_near(double angle, double near);

#endif
