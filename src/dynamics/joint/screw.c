// q: angle, turns counted; v: its rate.
//
// The thread, with the pitch p and the angle q by which frame 2 is twisted against frame 1 about their common axis:
//   Phi = Z1.(o2 - o1) - p q,   q' = d.(w2 - w1),   d = (Z1 + Z2)/(1 + Z1.Z2),
// exact also where the axes are not aligned: q is the twist of the decomposition into swing and twist.
#include "dynamics/joint/joint_mechanics.h"

// 1 + Z1.Z2; next to opposite axes there is no telling the twist: keep numbers finite.
static double overlap(const ts_joint_frames *at)
{
  return fmax(1.0 + ts_dot(at->frame[0].axes.z, at->frame[1].axes.z), 1e-6);
}

static ts_vec3 twist_axis(const ts_joint_frames *at)
{
  return ts_scale(1.0 / overlap(at), ts_add(at->frame[0].axes.z, at->frame[1].axes.z));
}

static void write_thread(ts_row_writer *w)
{
  const double pitch = w->model->joints[w->joint].pitch;
  const ts_vec3 z = w->at->frame[0].axes.z;
  const ts_row turn = ts_turn_row(w->at, ts_scale(pitch, twist_axis(w->at)));
  ts_row row = ts_slide_row(w->at, z);
  for (int side = 0; side < 2; ++side)
    row.jacobian[side] = ts_twist_add_scaled(row.jacobian[side], -1.0, turn.jacobian[side]);
  ts_put_row(w, row, ts_slide_along(w->at, z) - pitch * ts_joint_angle(w->model, w->state, w->joint, w->at));
}

// d' = ((Z1 + Z2)' - (Z1.Z2)' d)/(1 + Z1.Z2)
static void bias_of_thread(ts_bias_writer *w)
{
  const ts_vec3 z[2] = {w->at->frame[0].axes.z, w->at->frame[1].axes.z};
  const ts_vec3 change[2] = {ts_cross(w->spin[0], z[0]), ts_cross(w->spin[1], z[1])};
  const double closing = ts_dot(change[0], z[1]) + ts_dot(z[0], change[1]);
  const ts_vec3 d_change = ts_add_scaled(ts_add(change[0], change[1]), -closing, twist_axis(w->at));
  const double turning = ts_dot(d_change, ts_sub(w->spin[1], w->spin[0])) / overlap(w->at);
  *w->next++ = ts_slide_bias(w, z[0]) - w->joint->pitch * turning;
}

static const ts_hold thread = {write_thread, bias_of_thread};

static void place(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  ts_place_turn_about_z(hinge, q[0], at);
  at->slide = ts_scale(hinge->joint->pitch * q[0], hinge->side[0].z);
}

static void axes(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  (void)child;
  const ts_vec3 z = ts_hinge_z(hinge, up);
  motion[0] = (ts_twist){ts_scale(hinge->joint->pitch, z), z};
}

static void read(const ts_relative_pose *pose, double *q)
{
  q[0] = ts_counted_angle_about_z(pose);
}

const ts_joint_mechanics ts_mechanics_screw = {.holds = {{&ts_hold_across, &thread, &ts_hold_aligned}},
                                               .q_count = 1,
                                               .v_count = 1,
                                               .coordinate = {""},
                                               .rate = {""},
                                               .reversal = &ts_half_turn_about_x,
                                               .rate_is_spin = true,
                                               .place = place,
                                               .axes = axes,
                                               .read = read};
