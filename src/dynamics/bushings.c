// Bushings: springs and dampers along and about the axes of a frame, as rows.
//
// With d the place and r the rotation vector of the second frame in the axes of the first, R those axes in the world,
//   d' = R^T (velocity of the second frame's point, seen from the first body),   r' = B(r) R^T (w2 - w1),
//   B(r) = 1 - [r]/2 + c [r]^2,   c = (1 - (a/2) cot(a/2))/a^2,   a = |r|
// ([r] v = r x v; B is the inverse of the left Jacobian of the exponential map). Rows are the rates d' and r' one by
// one, so that an impulse p of row i is the torque R B^T e_i p: what stiffness gives is minus the gradient of
//   (sum of k_i d_i^2 + kappa_i r_i^2)/2,
// and powers are those of its energy exactly.
#include "dynamics/bushings.h"

#include "dynamics/joint_rows.h"

#include <float.h>

static ts_pose frame_in_world(const ts_state *state, int body, const ts_pose *frame)
{
  return body == TS_WORLD ? *frame : ts_pose_compose(&state->pose[body], frame);
}

ts_bushing_place ts_bushing_place_at(const ts_model *model, const ts_state *state, int bushing)
{
  const ts_bushing *b = &model->bushings[bushing];
  ts_bushing_place at;
  for (int side = 0; side < 2; ++side) at.frame[side] = frame_in_world(state, b->body[side], &b->frame[side]);
  const ts_quat back = ts_quat_conjugate(at.frame[0].orientation);
  at.measure[0] = ts_quat_rotate(back, ts_sub(at.frame[1].position, at.frame[0].position));
  at.measure[1] = ts_quat_rotation_vector(ts_quat_product(back, at.frame[1].orientation));
  return at;
}

double ts_bushing_energy(const ts_model *model, const ts_state *state, int bushing)
{
  const ts_bushing_place at = ts_bushing_place_at(model, state, bushing);
  double energy = 0.0;
  for (int kind = 0; kind < 2; ++kind) {
    const ts_vec3 k = model->bushings[bushing].stiffness[kind], q = at.measure[kind];
    energy += 0.5 * (k.x * q.x * q.x + k.y * q.y * q.y + k.z * q.z * q.z);
  }
  return energy;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

// c above; its series where the difference would cancel.
static double second_coefficient(double angle)
{
  static const double SMALL = 0.02; // the next term is SMALL^4/30240
  if (angle < SMALL) return 1.0 / 12.0 + angle * angle / 720.0;
  return (1.0 - 0.5 * angle / tan(0.5 * angle)) / (angle * angle);
}

// B^T e: what e.r' is of the relative angular velocity.
static ts_vec3 rate_of_rotation(ts_vec3 r, ts_vec3 e)
{
  const ts_vec3 across = ts_cross(r, e);
  return ts_add_scaled(ts_add_scaled(e, 0.5, across), second_coefficient(ts_length(r)), ts_cross(r, across));
}

static ts_joint_frames frames_of(const ts_model *model, const ts_state *state, const ts_bushing *bushing,
                                 const ts_bushing_place *at)
{
  ts_joint_frames frames = {.sides = ts_sides_of(model, bushing->body[0], bushing->body[1])};
  for (int side = 0; side < 2; ++side) {
    const int body = bushing->body[side];
    frames.frame[side] = ts_pose_frame(&at->frame[side]);
    frames.centre[side] = body == TS_WORLD ? (ts_vec3){0.0, 0.0, 0.0} : state->pose[body].position;
  }
  return frames;
}

static double component(ts_vec3 v, int axis)
{
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Rate of a component of the place (kind 0) or of the rotation vector (kind 1).
static ts_row rate_row(const ts_joint_frames *frames, const ts_bushing_place *at, int kind, int axis)
{
  const ts_vec3 e = {axis == 0, axis == 1, axis == 2};
  const ts_vec3 direction = kind == 0 ? e : rate_of_rotation(at->measure[1], e);
  const ts_vec3 in_world = ts_mul(&frames->frame[0].axes, direction);
  return kind == 0 ? ts_slide_row(frames, in_world) : ts_turn_row(frames, in_world);
}

// A stiffness and damping that h makes too small to be divided by are none.
int ts_write_bushing_rows(const ts_model *model, const ts_state *state, int bushing, double h, ts_bilateral_row *rows)
{
  const ts_bushing *b = &model->bushings[bushing];
  const ts_bushing_place at = ts_bushing_place_at(model, state, bushing);
  const ts_joint_frames frames = frames_of(model, state, b, &at);
  int count = 0;
  for (int kind = 0; kind < 2; ++kind)
    for (int axis = 0; axis < 3; ++axis) {
      const double k = component(b->stiffness[kind], axis), d = component(b->damping[kind], axis);
      if (h * (d + h * k) < DBL_MIN) continue;
      const ts_row row = rate_row(&frames, &at, kind, axis);
      rows[count] = ts_soft_row(&row, &frames.sides, k, d, component(at.measure[kind], axis), state->velocity, h);
      rows[count++].source = model->joint_count + model->spring_count + bushing;
    }
  return count;
}
