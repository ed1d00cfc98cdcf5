// q: quaternion w x y z of the child's frame in the parent's; v: relative angular velocity in the child's axes.
#include "dynamics/joint/joint_mechanics.h"

static void place(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  ts_place_turn(hinge, (ts_quat){q[0], q[1], q[2], q[3]}, at);
}

static void axes(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  (void)up;
  const ts_mat3 frame = ts_mat3_product(child, &hinge->side[1]);
  ts_turn_about_axes(&frame, motion);
}

static void read(const ts_relative_pose *pose, double *q)
{
  ts_put_quaternion(pose->quat, q);
}

const ts_joint_mechanics ts_mechanics_spherical = {.holds = {{&ts_hold_across, &ts_hold_along}},
                                                   .q_count = 4,
                                                   .v_count = 3,
                                                   .coordinate = {"qw", "qx", "qy", "qz"},
                                                   .rate = {"wx", "wy", "wz"},
                                                   .place = place,
                                                   .axes = axes,
                                                   .read = read};
