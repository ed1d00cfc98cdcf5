// q: angle, displacement; v: rates.
#include "dynamics/joint/joint_mechanics.h"

static void place(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  ts_place_turn_about_z(hinge, q[0], at);
  at->slide = ts_scale(q[1], hinge->side[0].z);
}

static void axes(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  (void)child;
  const ts_vec3 z = ts_hinge_z(hinge, up);
  motion[0] = ts_twist_about(z);
  motion[1] = ts_twist_along(z);
}

static void read(const ts_relative_pose *pose, double *q)
{
  q[0] = ts_angle_about_z(pose);
  q[1] = pose->slide.z;
}

const ts_joint_mechanics ts_mechanics_cylindrical = {.holds = {{&ts_hold_across, &ts_hold_aligned}},
                                                     .q_count = 2,
                                                     .v_count = 2,
                                                     .coordinate = {"angle", "slide"},
                                                     .rate = {"angle", "slide"},
                                                     .reversal = &ts_half_turn_about_x,
                                                     .place = place,
                                                     .axes = axes,
                                                     .read = read};
