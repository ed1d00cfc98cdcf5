#include "dynamics/joint_frames.h"

static ts_frame joint_frame(const ts_kinematics *kinematics, int body, const ts_pose *in_body)
{
  const ts_frame local = ts_pose_frame(in_body);
  if (body < 0) return local;
  const ts_frame *outer = &kinematics->frame[body];
  return (ts_frame){ts_frame_apply(outer, local.origin), ts_mat3_product(&outer->axes, &local.axes)};
}

ts_sides ts_sides_of(const ts_model *model, int first, int second)
{
  ts_sides sides;
  for (int side = 0; side < 2; ++side) {
    const int body = side == 0 ? first : second;
    const ts_body_kind kind = body < 0 ? TS_FIXED : model->bodies[body].kind;
    sides.dynamic[side] = kind == TS_DYNAMIC ? body : -1;
    sides.kinematic[side] = kind == TS_KINEMATIC ? body : -1;
  }
  return sides;
}

double ts_row_drift(const ts_row *row, const ts_sides *sides, const ts_twist *velocity)
{
  double drift = 0.0;
  for (int side = 0; side < 2; ++side)
    if (sides->kinematic[side] >= 0) drift += ts_twist_dot(row->jacobian[side], velocity[sides->kinematic[side]]);
  return drift;
}

ts_joint_frames ts_joint_frames_at(const ts_model *model, const ts_kinematics *kinematics, int joint)
{
  const ts_joint *j = &model->joints[joint];
  ts_joint_frames at = {.sides = ts_sides_of(model, j->parent, j->child)};
  for (int side = 0; side < 2; ++side) {
    const int body = side == 0 ? j->parent : j->child;
    at.frame[side] = joint_frame(kinematics, body, &j->frame[side]);
    at.centre[side] = body < 0 ? (ts_vec3){0.0, 0.0, 0.0} : kinematics->frame[body].origin;
  }
  return at;
}

double ts_angle_near(double angle, double near)
{
  return angle + 2.0 * TS_PI * rint((near - angle) / (2.0 * TS_PI));
}

// Rotation of the child's frame against the parent's about their common z. Where the axes differ by beta this is the
// twist of the decomposition into swing and twist: the sums are (1 + cos beta) times its cosine and sine.
static double twist_angle(const ts_joint_frames *at)
{
  const ts_mat3 *P = &at->frame[0].axes, *C = &at->frame[1].axes;
  return atan2(ts_dot(P->y, C->x) - ts_dot(P->x, C->y), ts_dot(P->x, C->x) + ts_dot(P->y, C->y));
}

static double turned_since_start(const ts_model *model, const ts_state *state, int body)
{
  return body < 0 ? 0.0 : state->angle[body] - model->bodies[body].angle;
}

// Frames tell an angle up to turns. In the plane the bodies' angles count them; in space a joint cannot have gone half
// a turn since it was last looked at (see ts_state_follow_joints).
double ts_joint_angle(const ts_model *model, const ts_state *state, int joint, const ts_joint_frames *at)
{
  const ts_joint *j = &model->joints[joint];
  const double near = !ts_has_angle(model->freedoms) ? state->turned[joint]
                                                     : j->position + turned_since_start(model, state, j->child) -
                                                           turned_since_start(model, state, j->parent);
  return ts_angle_near(twist_angle(at), near);
}

void ts_state_follow_joints(const ts_model *model, const ts_kinematics *kinematics, const bool *in_tree,
                            ts_state *state)
{
  if (ts_has_angle(model->freedoms)) return;
  for (int j = 0; j < model->joint_count; ++j) {
    if (!ts_joint_has_angle(model->joints[j].kind) || (in_tree && in_tree[j])) continue;
    const ts_joint_frames at = ts_joint_frames_at(model, kinematics, j);
    state->turned[j] = ts_joint_angle(model, state, j, &at);
  }
}

// In the plane an axis to slide along has no z component, not even one from round-off.
ts_row ts_joint_coordinate_row(const ts_model *model, int joint, const ts_joint_frames *at)
{
  const ts_vec3 axis = at->frame[0].axes.z;
  if (ts_joint_has_angle(model->joints[joint].kind)) return ts_turn_row(at, axis);
  return ts_slide_row(at, ts_free_part(model->freedoms->along, axis));
}

ts_joint_coordinate ts_joint_coordinate_at(const ts_model *model, const ts_state *state,
                                           const ts_kinematics *kinematics, int joint)
{
  const ts_joint_frames at = ts_joint_frames_at(model, kinematics, joint);
  ts_joint_coordinate coordinate = {.row = ts_joint_coordinate_row(model, joint, &at)};
  coordinate.position = ts_joint_has_angle(model->joints[joint].kind)
                            ? ts_joint_angle(model, state, joint, &at)
                            : ts_dot(at.frame[0].axes.z, ts_sub(at.frame[1].origin, at.frame[0].origin));
  coordinate.drift = ts_row_drift(&coordinate.row, &at.sides, state->velocity);
  return coordinate;
}

double ts_joint_position(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                         double *rate)
{
  if (rate) *rate = 0.0;
  if (!ts_joint_has_coordinate(model->joints[joint].kind)) return 0.0;
  const ts_joint_coordinate coordinate = ts_joint_coordinate_at(model, state, kinematics, joint);
  if (rate) *rate = ts_row_rate(&coordinate.row, state->velocity) + coordinate.drift;
  return coordinate.position;
}
