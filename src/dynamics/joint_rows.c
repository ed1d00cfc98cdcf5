#include "dynamics/joint_rows.h"

#include "dynamics/joint/joint_mechanics.h"
#include "base/assert.h"

static const ts_hold *const *holds_of(const ts_model *model, int joint)
{
  return ts_joint_mechanics_of(model->joints[joint].kind)->holds[model->freedoms->joints];
}

int ts_write_joint_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                        double h, ts_bilateral_row *rows)
{
  const ts_joint_frames at = ts_joint_frames_at(model, kinematics, joint);
  ts_row_writer w = {.model = model, .state = state, .joint = joint, .at = &at, .h = h, .next = rows};
  for (const ts_hold *const *hold = holds_of(model, joint); *hold; ++hold) (*hold)->write(&w);
  for (ts_bilateral_row *row = rows; row < w.next; ++row) row->source = joint;
  TS_ASSERT(w.next - rows == ts_joint_row_count(model->freedoms, model->joints[joint].kind));
  return (int)(w.next - rows);
}

static ts_vec3 centripetal(ts_vec3 spin, ts_vec3 arm)
{
  return ts_cross(spin, ts_cross(spin, arm));
}

static ts_bias_writer begin_bias(const ts_joint *joint, const ts_joint_frames *at, ts_twist parent, ts_twist child,
                                 double *bias)
{
  const ts_vec3 point = at->frame[1].origin;
  const ts_vec3 arm[2] = {ts_sub(point, at->centre[0]), ts_sub(point, at->centre[1])};
  ts_bias_writer w = {.joint = joint, .at = at, .spin = {parent.angular, child.angular}, .next = bias};
  w.relative = ts_sub(ts_twist_at(child, arm[1]), ts_twist_at(parent, arm[0]));
  w.centripetal = ts_sub(centripetal(child.angular, arm[1]), centripetal(parent.angular, arm[0]));
  w.centripetal = ts_sub(w.centripetal, ts_cross(parent.angular, w.relative));
  return w;
}

static ts_twist twist_of(const ts_twist *velocity, int body)
{
  return body < 0 ? (ts_twist){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}} : velocity[body];
}

int ts_write_joint_bias(const ts_model *model, const ts_kinematics *kinematics, const ts_twist *velocity, int joint,
                        double *bias)
{
  const ts_joint *j = &model->joints[joint];
  const ts_joint_frames at = ts_joint_frames_at(model, kinematics, joint);
  ts_bias_writer w = begin_bias(j, &at, twist_of(velocity, j->parent), twist_of(velocity, j->child), bias);
  for (const ts_hold *const *hold = holds_of(model, joint); *hold; ++hold) (*hold)->bias(&w);
  TS_ASSERT(w.next - bias == ts_joint_row_count(model->freedoms, j->kind));
  return (int)(w.next - bias);
}

double ts_joint_coordinate_bias(const ts_model *model, const ts_kinematics *kinematics, const ts_twist *velocity,
                                int joint)
{
  const ts_joint *j = &model->joints[joint];
  const ts_joint_frames at = ts_joint_frames_at(model, kinematics, joint);
  const ts_bias_writer w = begin_bias(j, &at, twist_of(velocity, j->parent), twist_of(velocity, j->child), NULL);
  const ts_vec3 axis = at.frame[0].axes.z;
  if (!ts_joint_has_angle(j->kind)) return ts_slide_bias(&w, ts_free_part(model->freedoms->along, axis));
  return ts_dot(ts_cross(w.spin[0], axis), ts_sub(w.spin[1], w.spin[0]));
}
