// q: displacements along x and y of the parent's frame, angle about z; v: rates.
#include "dynamics/joint/joint_mechanics.h"

static void place(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  ts_place_turn_about_z(hinge, q[2], at);
  at->slide = ts_add_scaled(ts_scale(q[0], hinge->side[0].x), q[1], hinge->side[0].y);
}

static void axes(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  (void)child;
  motion[0] = ts_twist_along(ts_mul(up, hinge->side[0].x));
  motion[1] = ts_twist_along(ts_mul(up, hinge->side[0].y));
  motion[2] = ts_twist_about(ts_hinge_z(hinge, up));
}

static void read(const ts_relative_pose *pose, double *q)
{
  ts_put_position(pose->slide, 2, q);
  q[2] = ts_angle_about_z(pose);
}

const ts_joint_mechanics ts_mechanics_planar = {.holds = {{&ts_hold_along, &ts_hold_aligned}},
                                                .q_count = 3,
                                                .v_count = 3,
                                                .coordinate = {"x", "y", "angle"},
                                                .rate = {"x", "y", "angle"},
                                                .place = place,
                                                .axes = axes,
                                                .read = read};
