// Bodies that no joint of the tree reaches.
//   free                quaternion, then position of the centre of mass, both in the world; angular velocity in the
//                       body's axes, velocity of the centre of mass in the world's
//   free in the plane   x, y of the centre of mass, angle; rates
//   particle            x, y and, in space, z of a body that does not turn; velocity
#include "dynamics/joint/joint_mechanics.h"

static void slide_along_world(ts_twist *motion)
{
  motion[0] = ts_twist_along((ts_vec3){1.0, 0.0, 0.0});
  motion[1] = ts_twist_along((ts_vec3){0.0, 1.0, 0.0});
  motion[2] = ts_twist_along((ts_vec3){0.0, 0.0, 1.0});
}

// ---- free ----------------------------------------------------------------------------------------------------------

static void place_free(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  (void)hinge;
  *at = (ts_placement){(ts_wide){q[0], q[1], q[2], q[3]}, {q[4], q[5], q[6]}};
}

static void axes_of_free(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  (void)hinge, (void)up;
  ts_turn_about_axes(child, motion);
  slide_along_world(motion + 3);
}

static void read_free(const ts_relative_pose *pose, double *q)
{
  ts_put_quaternion(ts_quat_normalize(pose->child.orientation), q);
  ts_put_position(pose->child.position, 3, q + 4);
}

const ts_joint_mechanics ts_mechanics_free = {.q_count = 7,
                                              .v_count = 6,
                                              .coordinate = {"qw", "qx", "qy", "qz", "x", "y", "z"},
                                              .rate = {"wx", "wy", "wz", "vx", "vy", "vz"},
                                              .place = place_free,
                                              .axes = axes_of_free,
                                              .read = read_free};

// ---- free in the plane ---------------------------------------------------------------------------------------------

static void place_in_plane(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  (void)hinge;
  *at = (ts_placement){ts_wide_quaternion(ts_quat_about_z(q[2])), {q[0], q[1], 0.0}};
}

static double angle_in_plane(const ts_hinge *hinge, const double *q, double present)
{
  (void)hinge, (void)present;
  return q[2];
}

static void axes_in_plane(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  (void)hinge, (void)up, (void)child;
  slide_along_world(motion);
  motion[2] = ts_twist_about((ts_vec3){0.0, 0.0, 1.0});
}

static void read_in_plane(const ts_relative_pose *pose, double *q)
{
  ts_put_position(pose->child.position, 2, q);
  q[2] = pose->child_angle;
}

const ts_joint_mechanics ts_mechanics_free_in_plane = {.q_count = 3,
                                                       .v_count = 3,
                                                       .coordinate = {"x", "y", "theta"},
                                                       .rate = {"vx", "vy", "w"},
                                                       .place = place_in_plane,
                                                       .angle = angle_in_plane,
                                                       .axes = axes_in_plane,
                                                       .read = read_in_plane};

// ---- particles -----------------------------------------------------------------------------------------------------

static void place_particle(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  (void)hinge;
  at->slide = (ts_vec3){q[0], q[1], q[2]};
}

static void place_particle_in_plane(const ts_hinge *hinge, const double *q, ts_placement *at)
{
  (void)hinge;
  at->slide = (ts_vec3){q[0], q[1], 0.0};
}

static double present_angle(const ts_hinge *hinge, const double *q, double present)
{
  (void)hinge, (void)q;
  return present;
}

// In the plane the third is not read.
static void axes_of_particle(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *child, ts_twist *motion)
{
  (void)hinge, (void)up, (void)child;
  slide_along_world(motion);
}

static void read_particle(const ts_relative_pose *pose, double *q)
{
  ts_put_position(pose->child.position, 3, q);
}

static void read_particle_in_plane(const ts_relative_pose *pose, double *q)
{
  ts_put_position(pose->child.position, 2, q);
}

const ts_joint_mechanics ts_mechanics_particle = {.q_count = 3,
                                                  .v_count = 3,
                                                  .coordinate = {"x", "y", "z"},
                                                  .rate = {"vx", "vy", "vz"},
                                                  .keeps_turn = true,
                                                  .place = place_particle,
                                                  .axes = axes_of_particle,
                                                  .read = read_particle};

const ts_joint_mechanics ts_mechanics_particle_in_plane = {.q_count = 2,
                                                           .v_count = 2,
                                                           .coordinate = {"x", "y"},
                                                           .rate = {"vx", "vy"},
                                                           .keeps_turn = true,
                                                           .place = place_particle_in_plane,
                                                           .angle = present_angle,
                                                           .axes = axes_of_particle,
                                                           .read = read_particle_in_plane};
