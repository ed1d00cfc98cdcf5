// Accelerations of kinematic bodies.
#include "dynamics/state.h"

#include <string.h>

void ts_motion_accelerations(const ts_model *model, double t, ts_twist *acceleration)
{
  memset(acceleration, 0, (size_t)model->body_count * sizeof *acceleration);
  for (int k = 0; k < model->motion_count; ++k) {
    const int body = model->motions[k].body;
    acceleration[body] = ts_motion_acceleration(model, body, t);
  }
}
