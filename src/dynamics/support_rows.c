// Rows of supports in a 2.5D world (thesis 3.19): a point at the arm r from the centre of mass slides with
//   x: v_x - w r_y,   y: v_y + w r_x,   spin: w,
// less what the plane itself moves.
#include "dynamics/rows.h"

static const uint32_t FIRST_FEATURE = 8; // behind those of joints

// How the plane moves below a point, as a slip of what stands on it.
static ts_vec3 drift_of_plane(const ts_state *state, const ts_kinematics *kinematics, int on, ts_vec3 point)
{
  if (on == TS_WORLD) return (ts_vec3){0.0, 0.0, 0.0};
  const ts_twist twist = state->velocity[on];
  const ts_vec3 v = ts_twist_at(twist, ts_sub(point, kinematics->frame[on].origin));
  return (ts_vec3){-v.x, -v.y, -twist.angular.z};
}

int ts_support_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, const double *loads,
                    double h, ts_bounded_row *rows)
{
  for (int i = 0; i < model->support_point_count; ++i) {
    const ts_support_load *point = &model->support_points[i];
    const ts_support *support = &model->supports[point->support];
    const ts_frame *frame = &kinematics->frame[support->body];
    const ts_vec3 arm = ts_mul(&frame->axes, point->at);
    const double most = h * loads[i];
    rows[i] =
        (ts_bounded_row){.row = {.body = {support->body, -1}, .jacobian = {{{1.0, 0.0, 0.0}, {0.0, 0.0, -arm.y}}}},
                         .lower = -most,
                         .upper = most,
                         .support = support,
                         .arm = arm,
                         .plane = drift_of_plane(state, kinematics, support->on, ts_add(frame->origin, arm)),
                         .joint = model->joint_count + point->support,
                         .feature = FIRST_FEATURE + (uint32_t)(i - support->first)};
  }
  return model->support_point_count;
}
