// Velocities after a step of everything that is known at its start: v + h M^-1 f. See dynamics/state.h.
#include "dynamics/gyroscopic.h"
#include "dynamics/joint_frames.h"

typedef struct push_target push_target;

// What becomes of a push: a wrench about the centre of mass of a body.
typedef void push_use(const push_target *on, int body, ts_wrench push);

// What the functions below share. Bodies that are not dynamic have no inverse mass: pushing them does nothing.
struct push_target {
  const ts_model *model;
  const ts_state *state;
  const ts_kinematics *kinematics;
  push_use *use;
  double h;                   // accelerate: the time that pushes act
  ts_twist *velocity;         // accelerate: what they do to it
  ts_wrench *wrench;          // collect: their sums
  const ts_twist *at;         // measure: twists that they have the power at
  double *power;              // measure: its sum
  const ts_interval *at_once; // impulses within it take the place of forces; NULL: forces at the state's time
};

TS_INLINE bool is_on_tree(const ts_state *state, int body)
{
  return state->on_tree && state->on_tree[body];
}

// h M^-1 times the push. Of a tree wrenches alone are asked for.
static void accelerate(const push_target *on, int body, ts_wrench push)
{
  if (is_on_tree(on->state, body)) return;
  const ts_twist change = ts_respond(on->model, on->kinematics, body, push);
  on->velocity[body] = ts_twist_add_scaled(on->velocity[body], on->h, change);
}

static void collect(const push_target *on, int body, ts_wrench push)
{
  ts_wrench *sum = &on->wrench[body];
  *sum = (ts_wrench){ts_add(sum->force, push.force), ts_add(sum->moment, push.moment)};
}

static void measure(const push_target *on, int body, ts_wrench push)
{
  if (on->model->bodies[body].kind != TS_DYNAMIC) return;
  *on->power += ts_dot(push.force, on->at[body].linear) + ts_dot(push.moment, on->at[body].angular);
}

// A force at `arm` from the centre of mass and a moment.
TS_INLINE void push(const push_target *on, int body, ts_vec3 force, ts_vec3 arm, ts_vec3 moment)
{
  on->use(on, body, (ts_wrench){force, ts_add(moment, ts_cross(arm, force))});
}

// A force now, or its impulses.
TS_INLINE double amount_of(const push_target *on, const ts_signal *signal)
{
  if (signal->kind == TS_SIGNAL_CONSTANT && !on->at_once) return signal->offset; // most are
  if (on->at_once) return ts_signal_impulse(signal, on->at_once->from, on->at_once->until);
  return ts_signal_value(signal, on->state->time, NULL);
}

TS_INLINE ts_vec3 amounts_of(const push_target *on, const ts_signal signals[3])
{
  return (ts_vec3){amount_of(on, &signals[0]), amount_of(on, &signals[1]), amount_of(on, &signals[2])};
}

static void push_by_forces(const push_target *on)
{
  for (int i = 0; i < on->model->force_count; ++i) {
    const ts_force *f = &on->model->forces[i];
    const ts_mat3 *axes = &on->kinematics->frame[f->body].axes;
    ts_vec3 force = amounts_of(on, f->force), torque = amounts_of(on, f->torque);
    if (f->follows) {
      force = ts_mul(axes, force);
      torque = ts_mul(axes, torque);
    }
    push(on, f->body, force, ts_mul(axes, f->at), torque);
  }
}

// A point fixed to a body: where it is, its arm from the centre of mass, and its velocity. The world's does not move.
typedef struct body_point {
  ts_vec3 place, arm, velocity;
} body_point;

static body_point point_on(const push_target *on, int body, ts_vec3 at)
{
  if (body == TS_WORLD) return (body_point){.place = at};
  const ts_vec3 arm = ts_mul(&on->kinematics->frame[body].axes, at);
  return (body_point){ts_add(on->state->pose[body].position, arm), arm, ts_twist_at(on->state->velocity[body], arm)};
}

// A pair of opposite forces.
static void push_apart(const push_target *on, const int body[2], const body_point point[2], ts_vec3 force)
{
  if (body[0] != TS_WORLD) push(on, body[0], ts_negate(force), point[0].arm, (ts_vec3){0});
  if (body[1] != TS_WORLD) push(on, body[1], force, point[1].arm, (ts_vec3){0});
}

// A spring that is not a row of the step, as it is stretched and as its ends move.
typedef struct stretched {
  body_point point[2];
  ts_vec3 direction; // no length, no direction, no force
  double stretch;
  ts_vec3 damped; // relative velocity that its damper feels
} stretched;

static stretched stretch_of(const push_target *on, const ts_spring *spring)
{
  stretched s = {.point = {point_on(on, spring->body[0], spring->at[0]), point_on(on, spring->body[1], spring->at[1])}};
  const ts_vec3 line = ts_sub(s.point[1].place, s.point[0].place);
  s.direction = ts_normalize(line, (ts_vec3){0});
  s.stretch = ts_length(line) - spring->length;
  const ts_vec3 velocity = ts_sub(s.point[1].velocity, s.point[0].velocity);
  s.damped = spring->damps_across ? velocity : ts_scale(ts_dot(s.direction, velocity), s.direction);
  return s;
}

static void push_by_springs(const push_target *on)
{
  for (int i = 0; i < on->model->spring_count; ++i) {
    const ts_spring *spring = &on->model->springs[i];
    if (spring->implicit) continue; // a row of the step
    const stretched s = stretch_of(on, spring);
    const ts_vec3 pull = ts_add_scaled(ts_scale(spring->stiffness * s.stretch, s.direction), spring->damping, s.damped);
    push_apart(on, spring->body, s.point, ts_negate(pull));
  }
}

// As an impulse of the coordinate's row does: on both bodies at the child's point, so that it is no couple, and in the
// plane without leaving it.
static void push_along_joint(const push_target *on, int joint, double force)
{
  const ts_joint_frames at = ts_joint_frames_at(on->model, on->kinematics, joint);
  const ts_row row = ts_joint_coordinate_row(on->model, joint, &at);
  for (int side = 0; side < 2; ++side)
    if (row.body[side] >= 0)
      push(on, row.body[side], ts_scale(force, row.jacobian[side].linear), (ts_vec3){0},
           ts_scale(force, row.jacobian[side].angular));
}

void ts_push_along_joint(const ts_model *model, const ts_kinematics *kinematics, int joint, double force,
                         ts_wrench *wrench)
{
  const push_target on = {.model = model, .kinematics = kinematics, .use = collect, .wrench = wrench};
  push_along_joint(&on, joint, force);
}

double ts_motor_target(const ts_model *model, const ts_state *state, int joint, double t, double *rate)
{
  const ts_joint_command *command = state->commands ? &state->commands[joint] : NULL;
  if (!command || !command->has_target) return ts_signal_value(&model->joints[joint].motor.target, t, rate);
  if (rate) *rate = command->rate;
  return command->target;
}

// Targets of a program have no impulses.
static double amount_of_motor(const push_target *on, int joint)
{
  const ts_motor *motor = &on->model->joints[joint].motor;
  const bool commanded = on->state->commands && on->state->commands[joint].has_target;
  const double wanted = !on->at_once ? ts_motor_target(on->model, on->state, joint, on->state->time, NULL)
                        : commanded  ? 0.0
                                     : amount_of(on, &motor->target);
  return fmax(-motor->max_force, fmin(motor->max_force, wanted));
}

static void push_by_motors(const push_target *on)
{
  for (int i = 0; i < on->model->joint_count; ++i)
    if (on->model->joints[i].motor.kind == TS_MOTOR_FORCE) push_along_joint(on, i, amount_of_motor(on, i));
}

double ts_motor_force(const ts_model *model, const ts_state *state, int joint)
{
  const push_target on = {.model = model, .state = state};
  return model->joints[joint].motor.kind == TS_MOTOR_FORCE ? amount_of_motor(&on, joint) : 0.0;
}

double ts_motor_impulse(const ts_model *model, const ts_state *state, ts_interval span, int joint)
{
  const push_target on = {.model = model, .state = state, .at_once = &span};
  return model->joints[joint].motor.kind == TS_MOTOR_FORCE ? amount_of_motor(&on, joint) : 0.0;
}

// Body axes: `start` is the angular velocity before the step, `w` the one that all other forces have led to.
static ts_vec3 turned_velocity(const ts_body *body, double h, ts_turning turning, ts_vec3 start, ts_vec3 w)
{
  switch (turning.rule) {
  case TS_GYROSCOPIC_IMPLICIT:
    return ts_gyroscopic_implicit(&body->inertia, h, w);
  case TS_GYROSCOPIC_MIDPOINT:
    return ts_gyroscopic_carry(h, turning.weight, start, ts_gyroscopic_midpoint(&body->inertia, h, w));
  default:
    return ts_add(w, ts_gyroscopic_explicit(&body->inertia, &body->inverse_inertia, h, start));
  }
}

// What turns by less than this in a step [rad] is changed by less than its last digit, however slender it is. To turn
// it into body axes and back would cost more digits.
static const double STILL = 1e-18;

TS_INLINE bool is_still(double h, ts_vec3 start, ts_vec3 w)
{
  return h * h * (ts_dot(start, start) + ts_dot(w, w)) <= STILL * STILL;
}

static void turn_gyroscopically(const push_target *on, ts_turning turning)
{
  for (int i = 0; i < on->model->body_count; ++i) {
    const ts_body *body = &on->model->bodies[i];
    if (body->isotropic || is_on_tree(on->state, i) || (turning.apart && turning.apart[i])) continue;
    const ts_mat3 *axes = &on->kinematics->frame[i].axes;
    ts_vec3 *w = &on->velocity[i].angular;
    if (is_still(on->h, on->state->velocity[i].angular, *w)) continue;
    const ts_vec3 start = ts_mul_transposed(axes, on->state->velocity[i].angular);
    const ts_vec3 turned = ts_mul(axes, turned_velocity(body, on->h, turning, start, ts_mul_transposed(axes, *w)));
    if (turning.change) turning.change[i] = ts_sub(turned, *w);
    *w = turned;
  }
}

void ts_turn_apart(const ts_model *model, const ts_kinematics *kinematics, double h, const bool *apart,
                   const ts_twist *at, ts_twist *velocity)
{
  for (int i = 0; i < model->body_count; ++i) {
    const ts_body *body = &model->bodies[i];
    if (!apart[i]) continue;
    const ts_mat3 *axes = &kinematics->frame[i].axes;
    const ts_vec3 w = ts_mul_transposed(axes, at[i].angular);
    const ts_vec3 change = ts_gyroscopic_explicit(&body->inertia, &body->inverse_inertia, h, w);
    velocity[i].angular = ts_add(velocity[i].angular, ts_mul(axes, change));
  }
}

static void push_from_outside(const push_target *on, const ts_wrench *pushes)
{
  for (int i = 0; pushes && i < on->model->body_count; ++i)
    if (on->model->bodies[i].kind == TS_DYNAMIC) push(on, i, pushes[i].force, (ts_vec3){0}, pushes[i].moment);
  for (int j = 0; on->state->commands && j < on->model->joint_count; ++j)
    if (on->state->commands[j].push != 0.0) push_along_joint(on, j, on->state->commands[j].push);
  push_by_forces(on);
}

static void push_by_everything(const push_target *on, const ts_wrench *pushes)
{
  push_from_outside(on, pushes);
  push_by_springs(on);
  push_by_motors(on);
}

void ts_free_velocity(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, double h,
                      ts_turning turning, const ts_wrench *pushes, ts_twist *free_velocity)
{
  const push_target on = {
      .model = model, .state = state, .kinematics = kinematics, .use = accelerate, .h = h, .velocity = free_velocity};
  for (int i = 0; i < model->body_count; ++i) { // gravity is zero for bodies that are not dynamic
    free_velocity[i].linear = ts_add_scaled(state->velocity[i].linear, h, model->bodies[i].gravity);
    free_velocity[i].angular = state->velocity[i].angular;
  }
  if (pushes || model->force_count + model->spring_count + model->joint_count > 0) push_by_everything(&on, pushes);
  turn_gyroscopically(&on, turning);
}

bool ts_forces_are_possible(const ts_model *model)
{
  bool driven = false;
  for (int i = 0; i < model->joint_count; ++i) driven = driven || model->joints[i].motor.kind == TS_MOTOR_FORCE;
  return driven || model->force_count > 0 || model->spring_count > 0;
}

void ts_applied_wrenches(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                         const ts_wrench *pushes, ts_wrench *wrench)
{
  const push_target on = {.model = model, .state = state, .kinematics = kinematics, .use = collect, .wrench = wrench};
  for (int i = 0; i < model->body_count; ++i)
    wrench[i] = (ts_wrench){ts_scale(model->bodies[i].mass, model->bodies[i].gravity), {0.0, 0.0, 0.0}};
  push_by_everything(&on, pushes);
}

void ts_applied_impulses(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                         ts_interval span, ts_wrench *impulse)
{
  const push_target on = {
      .model = model, .state = state, .kinematics = kinematics, .use = collect, .wrench = impulse, .at_once = &span};
  for (int i = 0; i < model->body_count; ++i) impulse[i] = (ts_wrench){0};
  push_by_forces(&on);
  push_by_motors(&on);
}

// At the twists that powers are asked for.
static ts_vec3 velocity_of_end(const push_target *on, const ts_spring *spring, const stretched *s, int side)
{
  const int body = spring->body[side];
  return body == TS_WORLD ? (ts_vec3){0} : ts_twist_at(on->at[body], s->point[side].arm);
}

// Dampers of springs, and what springs get from bodies that move as they are told.
static void add_spring_powers(const push_target *on, ts_force_powers *powers)
{
  for (int i = 0; i < on->model->spring_count; ++i) {
    const ts_spring *spring = &on->model->springs[i];
    if (spring->implicit) continue;
    const stretched s = stretch_of(on, spring);
    const ts_vec3 pull = ts_add_scaled(ts_scale(spring->stiffness * s.stretch, s.direction), spring->damping, s.damped);
    const ts_vec3 velocity = ts_sub(velocity_of_end(on, spring, &s, 1), velocity_of_end(on, spring, &s, 0));
    powers->damping -= spring->damping * ts_dot(s.damped, velocity);
    for (int side = 0; side < 2; ++side) {
      const int body = spring->body[side];
      if (body == TS_WORLD || on->model->bodies[body].kind != TS_KINEMATIC) continue;
      powers->drive += (side == 1 ? 1.0 : -1.0) * ts_dot(pull, velocity_of_end(on, spring, &s, side));
    }
  }
}

ts_force_powers ts_powers_of_forces(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                                    const ts_wrench *pushes, const ts_twist *at)
{
  ts_force_powers powers = {0};
  push_target on = {
      .model = model, .state = state, .kinematics = kinematics, .use = measure, .at = at, .power = &powers.applied};
  push_from_outside(&on, pushes);
  on.power = &powers.drive;
  push_by_motors(&on);
  add_spring_powers(&on, &powers);
  return powers;
}
