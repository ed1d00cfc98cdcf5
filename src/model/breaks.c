// When functions of time of a model may jump, or change their slope: known of pieces, tables and ramps, not of
// callbacks. And when forces are impulses.
#include "model/model.h"

static double next_of(const ts_signal *signals, int count, double t)
{
  double next = INFINITY;
  for (int i = 0; i < count; ++i) next = fmin(next, ts_signal_next_break(&signals[i], t));
  return next;
}

double ts_model_next_break(const ts_model *model, double t)
{
  double next = INFINITY;
  for (int k = 0; k < model->force_count; ++k) {
    const ts_force *force = &model->forces[k];
    next = fmin(next, fmin(next_of(force->force, 3, t), next_of(force->torque, 3, t)));
  }
  for (int j = 0; j < model->joint_count; ++j) next = fmin(next, next_of(&model->joints[j].motor.target, 1, t));
  for (int k = 0; k < model->motion_count; ++k) {
    const ts_motion_def *motion = &model->motions[k];
    if (motion->kind == TS_MOTION_POSE)
      next = fmin(next, fmin(next_of(motion->displacement, 3, t), next_of(motion->rotation, 3, t)));
  }
  return next;
}

static double next_impulse_of(const ts_signal *signals, int count, ts_interval span)
{
  double next = INFINITY;
  for (int i = 0; i < count; ++i) next = fmin(next, ts_signal_next_impulse(&signals[i], span));
  return next;
}

double ts_model_next_impulse(const ts_model *model, ts_interval span)
{
  double next = INFINITY;
  for (int k = 0; k < model->force_count; ++k) {
    const ts_force *force = &model->forces[k];
    next = fmin(next, fmin(next_impulse_of(force->force, 3, span), next_impulse_of(force->torque, 3, span)));
  }
  for (int j = 0; j < model->joint_count; ++j)
    next = fmin(next, next_impulse_of(&model->joints[j].motor.target, 1, span));
  return next;
}
