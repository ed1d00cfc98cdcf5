// Accelerations of kinematic bodies. Motions say poses and velocities; callbacks know no more than these.
#include "dynamics/state.h"

#include <string.h>

// Truncation and round-off of the formula below are both near 1e-12 at this distance in time [s].
static const double DISTANCE = 1e-3;

// (8 (f(1) - f(-1)) - (f(2) - f(-2))) / 12, times of DISTANCE
static const struct {
  double offset, weight;
} POINTS[] = {{-2.0, 1.0 / 12.0}, {-1.0, -8.0 / 12.0}, {1.0, 8.0 / 12.0}, {2.0, -1.0 / 12.0}};
enum { POINT_COUNT = sizeof POINTS / sizeof POINTS[0] };

static ts_twist acceleration_of(const ts_model *model, int body, double t)
{
  ts_twist sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (int i = 0; i < POINT_COUNT; ++i) {
    ts_pose pose;
    ts_twist velocity;
    ts_motion_evaluate(model, body, t + POINTS[i].offset * DISTANCE, &pose, &velocity);
    sum = ts_twist_add_scaled(sum, POINTS[i].weight / DISTANCE, velocity);
  }
  return sum;
}

void ts_motion_accelerations(const ts_model *model, double t, ts_twist *acceleration)
{
  memset(acceleration, 0, (size_t)model->body_count * sizeof *acceleration);
  for (int k = 0; k < model->motion_count; ++k) {
    const int body = model->motions[k].body;
    acceleration[body] = acceleration_of(model, body, t);
  }
}
