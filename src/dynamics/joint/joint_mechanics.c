#include "dynamics/joint/joint_mechanics.h"

#define MECHANICS(enumerator, name) extern const ts_joint_mechanics ts_mechanics_##name;
TS_JOINT_LIST(MECHANICS)
#undef MECHANICS
extern const ts_joint_mechanics ts_mechanics_free, ts_mechanics_free_in_plane, ts_mechanics_particle,
    ts_mechanics_particle_in_plane;

const ts_joint_mechanics *ts_joint_mechanics_of(int kind)
{
#define MECHANICS(enumerator, name) [TS_JOINT_##enumerator] = &ts_mechanics_##name,
  static const ts_joint_mechanics *const all[] = {[TS_NODE_FREE] = &ts_mechanics_free,
                                                  [TS_NODE_FREE_IN_PLANE] = &ts_mechanics_free_in_plane,
                                                  [TS_NODE_PARTICLE] = &ts_mechanics_particle,
                                                  [TS_NODE_PARTICLE_IN_PLANE] = &ts_mechanics_particle_in_plane,
                                                  TS_JOINT_LIST(MECHANICS)};
#undef MECHANICS
  return all[kind];
}

const ts_quat ts_half_turn_about_x = {0.0, 1.0, 0.0, 0.0};

void ts_turn_about_axes(const ts_mat3 *axes, ts_twist *motion)
{
  motion[0] = ts_twist_about(axes->x);
  motion[1] = ts_twist_about(axes->y);
  motion[2] = ts_twist_about(axes->z);
}

void ts_place_turn_about_z(const ts_hinge *hinge, double angle, ts_placement *at)
{
  double sine, cosine;
  ts_sincos(1, 0.5, &angle, &sine, &cosine);
  at->turn = ts_turned_by_half(hinge, sine, cosine);
}

void ts_place_turn(const ts_hinge *hinge, ts_quat turn, ts_placement *at)
{
  at->turn = ts_wide_quaternion(ts_quat_product(ts_quat_product(hinge->turn[0], turn), hinge->turn[1]));
}

double ts_angle_about_z(const ts_relative_pose *pose)
{
  return 2.0 * atan2(pose->quat.w < 0.0 ? -pose->quat.z : pose->quat.z, fabs(pose->quat.w));
}

double ts_counted_angle_about_z(const ts_relative_pose *pose)
{
  return ts_angle_near(ts_angle_about_z(pose), pose->near);
}

void ts_put_quaternion(ts_quat from, double *q)
{
  q[0] = from.w;
  q[1] = from.x;
  q[2] = from.y;
  q[3] = from.z;
}

void ts_put_position(ts_vec3 from, int count, double *q)
{
  q[0] = from.x;
  q[1] = from.y;
  if (count > 2) q[2] = from.z;
}
