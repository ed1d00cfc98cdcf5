// When functions of time of a model may jump, or change their slope: known of pieces, tables and ramps, not of
// callbacks. And when forces are impulses.
#include "model/model.h"

// The next time of one signal; `when` is what it is asked for.
typedef double next_time(const ts_signal *signal, const void *when);

static double next_break(const ts_signal *signal, const void *when)
{
  return ts_signal_next_break(signal, *(const double *)when);
}

static double next_impulse(const ts_signal *signal, const void *when)
{
  return ts_signal_next_impulse(signal, *(const ts_interval *)when);
}

static double first_of(const ts_signal *signals, int count, next_time *next, const void *when)
{
  double first = INFINITY;
  for (int i = 0; i < count; ++i) first = fmin(first, next(&signals[i], when));
  return first;
}

static double first_of_forces(const ts_model *model, next_time *next, const void *when)
{
  double first = INFINITY;
  for (int k = 0; k < model->force_count; ++k) {
    const ts_force *force = &model->forces[k];
    first = fmin(first, fmin(first_of(force->force, 3, next, when), first_of(force->torque, 3, next, when)));
  }
  for (int j = 0; j < model->joint_count; ++j)
    first = fmin(first, first_of(&model->joints[j].motor.target, 1, next, when));
  return first;
}

double ts_model_next_break(const ts_model *model, double t)
{
  double next = first_of_forces(model, next_break, &t);
  for (int k = 0; k < model->motion_count; ++k) {
    const ts_motion_def *motion = &model->motions[k];
    if (motion->kind == TS_MOTION_POSE)
      next = fmin(
          next, fmin(first_of(motion->displacement, 3, next_break, &t), first_of(motion->rotation, 3, next_break, &t)));
  }
  return next;
}

double ts_model_next_impulse(const ts_model *model, ts_interval span)
{
  return first_of_forces(model, next_impulse, &span);
}
