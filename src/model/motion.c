// Motions of kinematic bodies, pure functions of time. Their body frame is also their centre of mass frame.
#include "model/motion.h"

static const double PI = 3.141592653589793;

bool ts_motion_has_orbit(ts_space space, const ts_motion_def *motion)
{
  return space == TS_SPACE_3D && motion->kind == TS_MOTION_ACCELERATION &&
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
  return angle > PI ? angle - 2.0 * PI : angle <= -PI ? angle + 2.0 * PI : angle;
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
  if (model->space == TS_SPACE_2D) {
    pose->orientation = ts_quat_about_z(b->angle + rotation.z);
    velocity->angular = rate;
  } else if (ts_motion_has_orbit(model->space, motion)) {
    const ts_quat turned = ts_orbit_orientation(&model->orbits[b->motion], motion->frequency * t);
    pose->orientation = ts_quat_product(turned, pose->orientation);
    velocity->angular = rate; // the accelerations integrate to the angular velocity itself
  } else {
    pose->orientation = ts_quat_product(ts_quat_exp(rotation), pose->orientation);
    velocity->angular = exponential_rate(rotation, rate);
  }
}
