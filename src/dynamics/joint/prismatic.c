// q: displacement; v: rate.
#include "dynamics/joint/joint_mechanics.h"

static void place(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  at->turn = hinge->about_z[0];
  at->slide = ts_scale(q[0], hinge->side[0].z);
}

static void axes(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  (void)child;
  motion[0] = ts_twist_along(ts_hinge_z(hinge, up));
}

static void read(const ts_relative_pose *pose, double *q)
{
  q[0] = pose->slide.z;
}

const ts_joint_mechanics ts_mechanics_prismatic = {
    .holds = {{&ts_hold_across, &ts_hold_turns}, {&ts_hold_across_in_plane, &ts_hold_turn_in_plane}},
    .q_count = 1,
    .v_count = 1,
    .coordinate = {""},
    .rate = {""},
    .reversal = &ts_half_turn_about_x,
    .fast_path = TS_FAST_PATH_SLIDE,
    .place = place,
    .axes = axes,
    .read = read};
