// No coordinates.
#include "dynamics/joint/joint_mechanics.h"

static void place(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  (void)q;
  at->turn = hinge->about_z[0];
}

static void axes(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  (void)hinge, (void)up, (void)child, (void)motion;
}

static void read(const ts_relative_pose *pose, double *q)
{
  (void)pose, (void)q;
}

const ts_joint_mechanics ts_mechanics_fixed = {
    .holds = {{&ts_hold_across, &ts_hold_along, &ts_hold_turns}, {&ts_hold_point_in_plane, &ts_hold_turn_in_plane}},
    .reversal = &ts_half_turn_about_x,
    .place = place,
    .axes = axes,
    .read = read};
