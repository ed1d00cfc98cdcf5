// q: angle; v: rate.
#include "dynamics/joint/joint_mechanics.h"

static void place(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  ts_place_turn_about_z(hinge, q[0], at);
}

static double angle(const ts_hinge *hinge, const double *q, double present)
{
  (void)present;
  return ts_turned_angle(hinge, q[0]);
}

static void axes(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  (void)child;
  motion[0] = ts_twist_about(ts_hinge_z(hinge, up));
}

static void read(const ts_relative_pose *pose, double *q)
{
  q[0] = ts_counted_angle_about_z(pose);
}

const ts_joint_mechanics ts_mechanics_revolute = {
    .holds = {{&ts_hold_across, &ts_hold_along, &ts_hold_aligned}, {&ts_hold_point_in_plane}},
    .q_count = 1,
    .v_count = 1,
    .coordinate = {""},
    .rate = {""},
    .reversal = &ts_half_turn_about_x,
    .fast_path = TS_FAST_PATH_TURN,
    .rate_is_spin = true,
    .place = place,
    .angle = angle,
    .axes = axes,
    .read = read};
