// Poses and velocities through one step, without contacts and joints: see dynamics/state.h.
#include "dynamics/state.h"

#include "dynamics/bushings.h"

#include "model/joint/type.h"

#include <math.h>
#include <string.h>

static const double FULL_TURN = 2.0 * TS_PI;

// In the plane a callback's angle is known up to full turns: the one nearest to the last is meant.
static void follow_motion(const ts_model *model, int body, double t, ts_state *state)
{
  ts_motion_evaluate(model, body, t, &state->pose[body], &state->velocity[body]);
  if (!ts_has_angle(model->bodies[body].freedoms)) return;
  const double angle = ts_motion_angle(model, body, t), turns = (state->angle[body] - angle) / FULL_TURN;
  const bool is_wrapped = model->motions[model->bodies[body].motion].kind == TS_MOTION_CALLBACK;
  state->angle[body] = is_wrapped ? angle + FULL_TURN * round(turns) : angle;
}

void ts_state_follow_motions(const ts_model *model, double t, ts_state *state)
{
  for (int i = 0; i < model->motion_count; ++i) follow_motion(model, model->motions[i].body, t, state);
}

ts_state ts_state_allocate(const ts_model *model, int coordinates, int rates, ts_arena *arena)
{
  ts_state state = {0};
  const size_t bodies = (size_t)model->body_count, joints = (size_t)model->joint_count, q = (size_t)coordinates;
  const size_t per_body = (sizeof *state.pose + sizeof *state.velocity + sizeof *state.angle) / sizeof(double);
  state.numbers = bodies * per_body + joints + q + (size_t)rates;
  state.pose = ts_arena_bytes(arena, state.numbers, sizeof(double));
  state.velocity = (ts_twist *)(state.pose + bodies);
  state.angle = (double *)(state.velocity + bodies);
  state.turned = state.angle + bodies;
  state.q = state.turned + joints;
  state.rates = state.q + q;
  return state;
}

void ts_state_copy_bodies(const ts_state *from, ts_state *to)
{
  to->time = from->time;
  memcpy(to->pose, from->pose, (size_t)(from->q - (const double *)from->pose) * sizeof(double));
}

void ts_state_init(const ts_model *model, ts_state *state)
{
  state->time = 0.0;
  for (int j = 0; j < model->joint_count; ++j)
    state->turned[j] = ts_joint_has_angle(model->joints[j].kind) ? model->joints[j].position : 0.0;
  for (int i = 0; i < model->body_count; ++i) {
    state->pose[i] = model->bodies[i].pose;
    state->angle[i] = model->bodies[i].angle;
    state->velocity[i] = model->bodies[i].velocity;
  }
  ts_state_follow_motions(model, 0.0, state);
}

TS_HOT void ts_kinematics_update(const ts_model *model, const ts_state *state, ts_kinematics *kinematics)
{
  for (int i = 0; i < model->body_count; ++i) {
    if (state->on_tree && state->on_tree[i]) continue;
    const ts_body *body = &model->bodies[i];
    kinematics->frame[i] = ts_pose_frame(&state->pose[i]);
    kinematics->inverse_inertia[i] =
        body->isotropic ? body->inverse_inertia : ts_mat3_rotate(&kinematics->frame[i].axes, &body->inverse_inertia);
  }
}

// q + h/2 (0, w) q, 004 eq. 2.16, back to unit length.
TS_INLINE ts_quat turned(ts_quat q, double h, ts_vec3 w)
{
  const double s = 0.5 * h;
  return ts_quat_normalize(
      (ts_quat){q.w - s * (w.x * q.x + w.y * q.y + w.z * q.z), q.x + s * (w.x * q.w + w.y * q.z - w.z * q.y),
                q.y + s * (w.y * q.w + w.z * q.x - w.x * q.z), q.z + s * (w.z * q.w + w.x * q.y - w.y * q.x)});
}

TS_HOT void ts_state_advance(const ts_model *model, double h, double weight, const ts_twist *old_velocity,
                             ts_state *state)
{
  for (int i = 0; i < model->body_count; ++i) {
    if (model->bodies[i].kind != TS_DYNAMIC || (state->on_tree && state->on_tree[i])) continue;
    ts_twist v = state->velocity[i];
    if (weight < 1.0)
      v = (ts_twist){ts_add_scaled(ts_scale(weight, v.linear), 1.0 - weight, old_velocity[i].linear),
                     ts_add_scaled(ts_scale(weight, v.angular), 1.0 - weight, old_velocity[i].angular)};
    ts_pose *pose = &state->pose[i];
    pose->position = ts_add_scaled(pose->position, h, v.linear);
    if (ts_has_angle(model->bodies[i].freedoms)) {
      state->angle[i] += h * v.angular.z;
      pose->orientation = ts_quat_about_z(state->angle[i]);
    } else {
      pose->orientation = turned(pose->orientation, h, v.angular);
    }
  }
}

// w.I w; an inertia that is the same in all frames that the body can turn to is diagonal.
TS_INLINE double turning_square(const ts_body *body, const ts_mat3 *axes, ts_vec3 turning)
{
  const ts_mat3 *I = &body->inertia;
  if (body->isotropic) return ts_dot(turning, (ts_vec3){I->x.x * turning.x, I->y.y * turning.y, I->z.z * turning.z});
  const ts_vec3 w = ts_mul_transposed(axes, turning);
  return ts_dot(w, ts_mul(I, w));
}

TS_HOT double ts_kinetic_energy(const ts_model *model, const ts_kinematics *kinematics, const ts_twist *velocity)
{
  double energy = 0.0;
  for (int i = 0; i < model->body_count; ++i) {
    const ts_body *body = &model->bodies[i];
    if (body->kind != TS_DYNAMIC) continue; // it has no mass
    const ts_vec3 v = velocity[i].linear;
    energy += 0.5 * (body->mass * ts_dot(v, v) + turning_square(body, &kinematics->frame[i].axes, velocity[i].angular));
  }
  return energy;
}

ts_vec3 ts_spring_end(const ts_model *model, const ts_state *state, int spring, int side)
{
  const ts_spring *s = &model->springs[spring];
  const int body = s->body[side];
  return body == TS_WORLD ? s->at[side] : ts_pose_apply(&state->pose[body], s->at[side]);
}

double ts_potential_energy(const ts_model *model, const ts_state *state)
{
  double energy = 0.0;
  for (int i = 0; i < model->body_count; ++i)
    energy -= model->bodies[i].mass * ts_dot(model->bodies[i].gravity, state->pose[i].position);
  for (int i = 0; i < model->spring_count; ++i) {
    const ts_spring *spring = &model->springs[i];
    const double length = ts_distance_of(ts_spring_end(model, state, i, 0), ts_spring_end(model, state, i, 1));
    energy += 0.5 * spring->stiffness * (length - spring->length) * (length - spring->length);
  }
  for (int i = 0; i < model->bushing_count; ++i) energy += ts_bushing_energy(model, state, i);
  return energy;
}
