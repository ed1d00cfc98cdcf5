// q: angle about the parent's axis, then about the child's, R = Rz(q0) Rx(q1); v: rates.
#include "dynamics/joint/joint_mechanics.h"

// x to -z, z to -x: the axes change places as well, and both directions.
static const ts_quat X_AND_Z_CHANGE = {0.0, -0.70710678118654752440, 0.0, 0.70710678118654752440};

static void place(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  const ts_quat about_x = {cos(0.5 * q[1]), sin(0.5 * q[1]), 0.0, 0.0};
  ts_place_turn(hinge, ts_quat_product(ts_quat_about_z(q[0]), about_x), at);
}

static void axes(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  motion[0] = ts_twist_about(ts_hinge_z(hinge, up));
  motion[1] = ts_twist_about(ts_mul(child, hinge->side[1].x));
}

static void read(const ts_relative_pose *pose, double *q)
{
  const ts_mat3 *R = &pose->turn;
  q[0] = atan2(R->x.y, R->x.x);
  q[1] = atan2(R->y.z, R->z.z);
}

const ts_joint_mechanics ts_mechanics_universal = {.holds = {{&ts_hold_across, &ts_hold_along, &ts_hold_normal}},
                                                   .q_count = 2,
                                                   .v_count = 2,
                                                   .coordinate = {"angle1", "angle2"},
                                                   .rate = {"angle1", "angle2"},
                                                   .reversal = &X_AND_Z_CHANGE,
                                                   .second_in_child = true,
                                                   .place = place,
                                                   .axes = axes,
                                                   .read = read};
