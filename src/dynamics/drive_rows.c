// Rows of motors, servos, friction of joints, stops and implicit springs.
//
// A servo at the end of the step (implicit Euler), with q measured with kinematic bodies at the end of the step, r the
// rate by dynamic bodies and c the rate by kinematic ones:
//   p = h [k (target - q - h r) + d (target' - r - c)]
// divided by h (d + h k):
//   r + p / (h (d + h k)) - [k (target - q) + d (target' - c)] / (d + h k) = 0,
// which is a row with softness 1/(h (d + h k)). A spring of length L between points at the distance e pulls with
// k (e - L) + d e', so that its row, the rate of e, has the impulse
//   p = -h [k (e + h r - L) + d (r + c)]
// and the same form with target = L, target' = 0. A damper of a joint is a servo with k = 0 and target' = 0.
#include "dynamics/joint_rows.h"

#include <float.h>

static const double FULL_TURN = 2.0 * TS_PI;

// ---- motors and servos ---------------------------------------------------------------------------------------------

bool ts_joint_is_driven(const ts_joint *joint, double h)
{
  if (!ts_joint_has_coordinate(joint->kind)) return false;
  const ts_motor *motor = &joint->motor;
  return motor->kind == TS_MOTOR_VELOCITY ||
         (motor->kind == TS_MOTOR_SERVO && motor->damping + h * motor->stiffness > 0.0);
}

bool ts_joint_is_driven_rigidly(const ts_joint *joint)
{
  return ts_joint_has_coordinate(joint->kind) && joint->motor.kind == TS_MOTOR_VELOCITY &&
         isinf(joint->motor.max_force);
}

static double clamp(double x, double low, double high)
{
  return fmin(fmax(x, low), high);
}

// A motor that nothing can hold does not push through a stop, which could not hold it either.
static double motor_bias(const ts_joint *joint, const ts_joint_coordinate *c, double target, double h)
{
  double rate = target - c->drift;
  if (ts_joint_is_driven_rigidly(joint) && joint->limited)
    rate = clamp(rate, (joint->lower - c->position) / h, (joint->upper - c->position) / h);
  return -rate;
}

ts_bounded_row ts_drive_row(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                            double h)
{
  const ts_joint *j = &model->joints[joint];
  const ts_motor *motor = &j->motor;
  const ts_joint_coordinate c = ts_joint_coordinate_at(model, state, kinematics, joint);
  double target_rate;
  const double target = ts_motor_target(model, state, joint, state->time + h, &target_rate);
  ts_bounded_row row = {.row = c.row,
                        .lower = -h * motor->max_force,
                        .upper = h * motor->max_force,
                        .drift = c.drift,
                        .joint = joint,
                        .feature = TS_DRIVE};
  if (motor->kind == TS_MOTOR_VELOCITY) {
    row.bias = motor_bias(j, &c, target, h);
  } else {
    const double k = motor->stiffness, d = motor->damping, weight = d + h * k;
    row.softness = 1.0 / (h * weight);
    row.bias = -(k * (target - c.position) + d * (target_rate - c.drift)) / weight;
  }
  return row;
}

// ---- friction ------------------------------------------------------------------------------------------------------

// A damping that h makes too small to be divided by is none.
bool ts_joint_is_damped(const ts_joint *joint, double h)
{
  return h * joint->damping >= DBL_MIN;
}

ts_bilateral_row ts_damper_row(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                               double h)
{
  const ts_joint_coordinate c = ts_joint_coordinate_at(model, state, kinematics, joint);
  const double damping = model->joints[joint].damping;
  return (ts_bilateral_row){.row = c.row,
                            .bias = c.drift,
                            .softness = 1.0 / (h * damping),
                            .drift = c.drift,
                            .damping = damping,
                            .source = joint};
}

bool ts_joint_has_dry_friction(const ts_joint *joint, double h)
{
  return h * joint->friction > 0.0 && !ts_joint_is_driven_rigidly(joint);
}

// Coulomb's law of a joint: |p| <= h friction; in between the rate is 0, at a bound it is against the impulse.
ts_bounded_row ts_dry_friction_row(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                                   int joint, double h)
{
  const ts_joint_coordinate c = ts_joint_coordinate_at(model, state, kinematics, joint);
  const double most = h * model->joints[joint].friction;
  return (ts_bounded_row){.row = c.row,
                          .bias = c.drift,
                          .lower = -most,
                          .upper = most,
                          .drift = c.drift,
                          .joint = joint,
                          .feature = TS_DRY_FRICTION};
}

// ---- stops ---------------------------------------------------------------------------------------------------------

// How far each body's motion may move a row within h, none of it cancelled by the other's.
static double reach(const ts_joint_coordinate *c, const ts_twist *velocity, double h)
{
  double speed = fabs(c->drift);
  for (int side = 0; side < 2; ++side)
    if (c->row.body[side] >= 0) speed += fabs(ts_twist_dot(c->row.jacobian[side], velocity[c->row.body[side]]));
  return h * speed;
}

static ts_row flip(ts_row row)
{
  for (int side = 0; side < 2; ++side)
    row.jacobian[side] = (ts_twist){ts_negate(row.jacobian[side].linear), ts_negate(row.jacobian[side].angular)};
  return row;
}

// Distance from which a stop has a row, see ts_bounded_rows().
static double stop_nearness(const ts_joint *joint, const ts_joint_coordinate *c, const ts_twist *velocity, double h)
{
  const double range = joint->upper - joint->lower;
  if (range == 0.0) return INFINITY;
  const double scale = ts_joint_has_angle(joint->kind) ? fmin(range, FULL_TURN) : range;
  return fmax(2.0 * reach(c, velocity, h), 0.1 * scale);
}

int ts_write_stop_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                       double h, ts_bounded_row *rows)
{
  const ts_joint *j = &model->joints[joint];
  if (!j->limited || ts_joint_is_driven_rigidly(j)) return 0;
  const ts_joint_coordinate c = ts_joint_coordinate_at(model, state, kinematics, joint);
  const double near = stop_nearness(j, &c, state->velocity, h);
  const double gap[2] = {c.position - j->lower, j->upper - c.position};
  int count = 0;
  for (int stop = TS_LOWER_STOP; stop <= TS_UPPER_STOP; ++stop) {
    if (isinf(gap[stop]) || gap[stop] > near) continue;
    rows[count++] = (ts_bounded_row){.row = stop == TS_LOWER_STOP ? c.row : flip(c.row),
                                     .bias = gap[stop] / h,
                                     .upper = INFINITY,
                                     .restitution = j->restitution,
                                     .gap = gap[stop],
                                     .drift = stop == TS_LOWER_STOP ? c.drift : -c.drift,
                                     .joint = joint,
                                     .feature = (uint32_t)stop};
  }
  return count;
}

// ---- springs -------------------------------------------------------------------------------------------------------

// The two ends of a spring in the world.
typedef struct ends {
  ts_sides sides;
  ts_vec3 point[2], arm[2]; // the arms from the centres of mass
} ends;

static ends ends_of(const ts_model *model, const ts_kinematics *kinematics, const ts_spring *spring)
{
  ends e = {.sides = ts_sides_of(model, spring->body[0], spring->body[1])};
  for (int side = 0; side < 2; ++side) {
    const int body = spring->body[side];
    e.arm[side] = body < 0 ? spring->at[side] : ts_mul(&kinematics->frame[body].axes, spring->at[side]);
    e.point[side] = body < 0 ? spring->at[side] : ts_add(kinematics->frame[body].origin, e.arm[side]);
  }
  return e;
}

// Rate of u.(x2 - x1) for a direction u of the world
static ts_row ends_row(const ends *e, ts_vec3 u)
{
  const ts_twist first = {ts_negate(u), ts_negate(ts_cross(e->arm[0], u))}, second = {u, ts_cross(e->arm[1], u)};
  return (ts_row){{e->sides.dynamic[0], e->sides.dynamic[1]}, {first, second}};
}

ts_bilateral_row ts_soft_row(const ts_row *row, const ts_sides *sides, double k, double d, double stretched,
                             const ts_twist *velocity, double h)
{
  const double weight = d + h * k, drift = ts_row_drift(row, sides, velocity);
  return (ts_bilateral_row){.row = *row,
                            .bias = (k * stretched + d * drift) / weight,
                            .softness = 1.0 / (h * weight),
                            .drift = drift,
                            .damping = d};
}

static ts_bilateral_row spring_row(const ends *e, ts_vec3 u, double k, double d, double stretch,
                                   const ts_twist *velocity, double h)
{
  const ts_row row = ends_row(e, u);
  return ts_soft_row(&row, &e->sides, k, d, stretch, velocity, h);
}

// A spring of length 0 pulls with k (x2 - x1) whatever the direction: its stiffness across the line is k as well, and
// left out it would swing about the point where the ends meet. Springs with a length have no direction there. A damper
// may work across the line as well.
int ts_write_spring_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int spring,
                         double h, ts_bilateral_row *rows)
{
  const ts_spring *s = &model->springs[spring];
  const ends e = ends_of(model, kinematics, s);
  const ts_vec3 across = ts_sub(e.point[1], e.point[0]);
  const double distance = ts_length(across), k = s->stiffness, d = s->damping;
  const bool isotropic = s->length == 0.0 && k > 0.0;
  if (!s->implicit || d + h * k <= 0.0 || (distance == 0.0 && !isotropic)) return 0;
  const ts_vec3 u = ts_normalize(across, (ts_vec3){1.0, 0.0, 0.0});
  int count = 0;
  rows[count++] = spring_row(&e, u, k, d, distance - s->length, state->velocity, h);
  const double k_across = isotropic ? k : 0.0, d_across = s->damps_across ? d : 0.0;
  if (k_across + d_across > 0.0) {
    const bool plane = ts_is_flat(model->freedoms);
    const ts_vec3 t = plane ? ts_cross((ts_vec3){0.0, 0.0, 1.0}, u) : ts_tangent_of(u);
    rows[count++] = spring_row(&e, t, k_across, d_across, 0.0, state->velocity, h);
    if (!plane) rows[count++] = spring_row(&e, ts_cross(u, t), k_across, d_across, 0.0, state->velocity, h);
  }
  for (int i = 0; i < count; ++i) rows[i].source = model->joint_count + spring;
  return count;
}
