// Motions of kinematic bodies, pure functions of time. Their body frame is also their centre of mass frame.
#include "model/motion.h"

#include "model/signal.h"

#include "math/difference.h"

bool ts_motion_has_orbit(const ts_freedoms *freedoms, const ts_motion_def *motion)
{
  return !ts_has_angle(freedoms) && motion->kind == TS_MOTION_ACCELERATION &&
         motion->orientation == TS_ORIENTATION_INTEGRATED;
}

// A sin(w t + C) integrates to -A cos(w t + C)/w and to -A sin(w t + C)/w^2 when neither drifts.
ts_vec3 ts_motion_oscillation(const ts_motion_def *motion, int i, double t, ts_vec3 *rate)
{
  const double w = motion->frequency;
  double value[3], slope[3];
  for (int k = 0; k < 3; ++k) {
    const double angle = w * t + motion->phase[i + k], amplitude = motion->amplitude[i + k] / w;
    slope[k] = -amplitude * cos(angle);
    value[k] = -amplitude / w * sin(angle);
  }
  *rate = (ts_vec3){slope[0], slope[1], slope[2]};
  return (ts_vec3){value[0], value[1], value[2]};
}

static ts_vec3 signals_at(const ts_signal signals[3], double t, ts_vec3 *rate)
{
  ts_vec3 value;
  value.x = ts_signal_value(&signals[0], t, &rate->x);
  value.y = ts_signal_value(&signals[1], t, &rate->y);
  value.z = ts_signal_value(&signals[2], t, &rate->z);
  return value;
}

// The displacement and the rotation vector of a motion that has them, and their rates.
static void displace(const ts_motion_def *motion, double t, ts_vec3 *displacement, ts_vec3 *velocity, ts_vec3 *rotation,
                     ts_vec3 *rotation_rate)
{
  if (motion->kind == TS_MOTION_POSE) {
    *displacement = signals_at(motion->displacement, t, velocity);
    *rotation = signals_at(motion->rotation, t, rotation_rate);
  } else {
    *displacement = ts_motion_oscillation(motion, 0, t, velocity);
    *rotation = ts_motion_oscillation(motion, 3, t, rotation_rate);
  }
}

// Angular velocity (world) of exp(phi): the left Jacobian of SO(3) times phi',
// phi' + (1 - cos a)/a^2 phi x phi' + (a - sin a)/a^3 phi x (phi x phi') with a = |phi|.
static ts_vec3 exponential_rate(ts_vec3 phi, ts_vec3 rate)
{
  const double a2 = ts_dot(phi, phi), a = sqrt(a2);
  double first = 0.5 - a2 / 24.0 * (1.0 - a2 / 30.0 * (1.0 - a2 / 56.0));
  double second = 1.0 / 6.0 - a2 / 120.0 * (1.0 - a2 / 42.0 * (1.0 - a2 / 72.0));
  if (a > 0.1) { // below, the quotients cancel and the series leave 1e-16
    const double sine = sin(0.5 * a);
    first = 2.0 * sine * sine / a2;
    second = (a - sin(a)) / (a2 * a);
  }
  const ts_vec3 once = ts_cross(phi, rate);
  return ts_add_scaled(ts_add_scaled(rate, first, once), second, ts_cross(phi, once));
}

static void follow_callback(const ts_motion_def *motion, double t, ts_pose *pose, ts_twist *velocity)
{
  *pose = ts_pose_identity();
  *velocity = (ts_twist){0};
  motion->callback(motion->user, t, pose, velocity);
  pose->orientation = ts_quat_normalize(pose->orientation);
}

// The rotation about z of a callback's pose, in (-pi, pi].
static double callback_angle(const ts_motion_def *motion, double t)
{
  ts_pose pose;
  ts_twist velocity;
  follow_callback(motion, t, &pose, &velocity);
  const double angle = 2.0 * atan2(pose.orientation.z, pose.orientation.w);
  return angle > TS_PI ? angle - 2.0 * TS_PI : angle <= -TS_PI ? angle + 2.0 * TS_PI : angle;
}

double ts_motion_angle(const ts_model *model, int body, double t)
{
  const ts_body *b = &model->bodies[body];
  if (b->motion < 0) return b->angle;
  const ts_motion_def *motion = &model->motions[b->motion];
  if (motion->kind == TS_MOTION_CALLBACK) return callback_angle(motion, t);
  ts_vec3 displacement, velocity, rotation, rate;
  displace(motion, t, &displacement, &velocity, &rotation, &rate);
  return b->angle + rotation.z;
}

void ts_motion_evaluate(const ts_model *model, int body, double t, ts_pose *pose, ts_twist *velocity)
{
  const ts_body *b = &model->bodies[body];
  *pose = b->pose;
  *velocity = b->velocity;
  if (b->motion < 0) return;
  const ts_motion_def *motion = &model->motions[b->motion];
  if (motion->kind == TS_MOTION_CALLBACK) {
    follow_callback(motion, t, pose, velocity);
    return;
  }
  ts_vec3 displacement, rotation, rate;
  displace(motion, t, &displacement, &velocity->linear, &rotation, &rate);
  pose->position = ts_add(pose->position, displacement);
  if (ts_has_angle(b->freedoms)) {
    pose->orientation = ts_quat_about_z(b->angle + rotation.z);
    velocity->angular = rate;
  } else if (ts_motion_has_orbit(b->freedoms, motion)) {
    const ts_quat turned = ts_orbit_orientation(&model->orbits[b->motion], motion->frequency * t);
    pose->orientation = ts_quat_product(turned, pose->orientation);
    velocity->angular = rate; // the accelerations integrate to the angular velocity itself
  } else {
    pose->orientation = ts_quat_product(ts_quat_exp(rotation), pose->orientation);
    velocity->angular = exponential_rate(rotation, rate);
  }
}

// ---- accelerations -------------------------------------------------------------------------------------------------

// The sum over k >= 0 of (-1)^k x^k/(2 k + first)!, and its derivative by x.
static double series(double x, int first, double *slope)
{
  enum { TERMS = 10 };                         // below 1e-17 for x <= 1
  double term = 1.0, value = 0.0, power = 0.0; // power: x^(k-1) with the sign and the factorial of the term
  for (int i = 2; i <= first; ++i) term /= i;
  *slope = 0.0;
  for (int k = 0; k < TERMS; ++k) {
    value += term;
    *slope += k * power;
    const double factor = -1.0 / ((2.0 * k + first + 1.0) * (2.0 * k + first + 2.0));
    power = term * factor;
    term = power * x;
  }
  return value;
}

// (1 - cos a)/a^2 and (a - sin a)/a^3, and their derivatives by a^2.
static void exponential_factors(double a2, double value[2], double slope[2])
{
  if (a2 <= 1.0) { // the quotients cancel
    value[0] = series(a2, 2, &slope[0]);
    value[1] = series(a2, 3, &slope[1]);
    return;
  }
  const double a = sqrt(a2), sine = sin(a), cosine = cos(a);
  value[0] = (1.0 - cosine) / a2;
  value[1] = (a - sine) / (a2 * a);
  slope[0] = (0.5 * sine / a - value[0]) / a2;
  slope[1] = 0.5 * (value[0] - 3.0 * value[1]) / a2;
}

// The derivative of what exponential_rate() returns.
static ts_vec3 exponential_second_rate(ts_vec3 phi, ts_vec3 rate, ts_vec3 second)
{
  double value[2], slope[2];
  exponential_factors(ts_dot(phi, phi), value, slope);
  const double growth = 2.0 * ts_dot(phi, rate); // of |phi|^2
  const ts_vec3 once = ts_cross(phi, rate), once_later = ts_cross(phi, second);
  const ts_vec3 twice_later = ts_add(ts_cross(rate, once), ts_cross(phi, once_later));
  ts_vec3 sum = ts_add_scaled(second, growth * slope[0], once);
  sum = ts_add_scaled(sum, value[0], once_later);
  sum = ts_add_scaled(sum, growth * slope[1], ts_cross(phi, once));
  return ts_add_scaled(sum, value[1], twice_later);
}

static ts_vec3 second_rates(const ts_signal signals[3], double t)
{
  return (ts_vec3){ts_signal_second_rate(&signals[0], t), ts_signal_second_rate(&signals[1], t),
                   ts_signal_second_rate(&signals[2], t)};
}

static ts_vec3 oscillating_acceleration(const ts_motion_def *motion, int i, double t)
{
  double value[3];
  for (int k = 0; k < 3; ++k) value[k] = motion->amplitude[i + k] * sin(motion->frequency * t + motion->phase[i + k]);
  return (ts_vec3){value[0], value[1], value[2]};
}

static void twist_of_callback(void *user, double t, double *values)
{
  ts_pose pose;
  ts_twist v;
  follow_callback(user, t, &pose, &v);
  const double numbers[] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
  for (int k = 0; k < 6; ++k) values[k] = numbers[k];
}

static ts_twist callback_acceleration(const ts_motion_def *motion, double t)
{
  ts_motion_def copy = *motion;
  double a[6];
  ts_difference(twist_of_callback, &copy, t, 6, a);
  return (ts_twist){.linear = {a[0], a[1], a[2]}, .angular = {a[3], a[4], a[5]}};
}

ts_twist ts_motion_acceleration(const ts_model *model, int body, double t)
{
  const ts_body *b = &model->bodies[body];
  if (b->motion < 0) return (ts_twist){0};
  const ts_motion_def *motion = &model->motions[b->motion];
  if (motion->kind == TS_MOTION_CALLBACK) return callback_acceleration(motion, t);
  const bool signals = motion->kind == TS_MOTION_POSE;
  ts_twist second = {
      .linear = signals ? second_rates(motion->displacement, t) : oscillating_acceleration(motion, 0, t),
      .angular = signals ? second_rates(motion->rotation, t) : oscillating_acceleration(motion, 3, t),
  };
  if (ts_has_angle(b->freedoms) || ts_motion_has_orbit(b->freedoms, motion)) return second;
  ts_vec3 displacement, velocity, rotation, rate;
  displace(motion, t, &displacement, &velocity, &rotation, &rate);
  second.angular = exponential_second_rate(rotation, rate, second.angular);
  return second;
}
