#include "dynamics/rows.h"

#include "dynamics/joint_rows.h"
#include "math/disjoint_sets.h"

#include <math.h>

int ts_bilateral_row_limit(const ts_model *model)
{
  int limit = TS_SPRING_ROWS * model->spring_count + TS_BUSHING_ROWS * model->bushing_count;
  limit += 2 * model->joint_count; // a drive and a damper a joint
  for (int j = 0; j < model->joint_count; ++j) limit += ts_joint_row_count(model->freedoms, model->joints[j].kind);
  return limit + model->gear_count;
}

int ts_bounded_row_limit(const ts_model *model)
{
  return 4 * model->joint_count + model->support_point_count; // two stops, a drive and dry friction a joint
}

bool ts_rows_are_possible(const ts_model *model, const bool *in_tree)
{
  if (model->gear_count > 0 || model->support_count > 0) return true;
  for (int j = 0; j < model->joint_count; ++j) {
    const ts_joint *joint = &model->joints[j];
    const bool is_driven = joint->motor.kind == TS_MOTOR_VELOCITY || joint->motor.kind == TS_MOTOR_SERVO;
    if (!in_tree || !in_tree[j] || joint->limited || is_driven || joint->friction > 0.0 || joint->damping > 0.0)
      return true;
  }
  for (int s = 0; s < model->spring_count; ++s)
    if (model->springs[s].implicit) return true;
  return model->bushing_count > 0;
}

// A drive without a largest force holds always.
static ts_bilateral_row as_bilateral(const ts_bounded_row *drive)
{
  return (ts_bilateral_row){.row = drive->row,
                            .bias = drive->bias,
                            .softness = drive->softness,
                            .drives = true,
                            .drift = drive->drift,
                            .source = drive->joint};
}

static int write_joint_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                            double h, ts_bilateral_row *rows)
{
  const ts_sides sides = ts_sides_of(model, model->joints[joint].parent, model->joints[joint].child);
  const int count = ts_write_joint_rows(model, state, kinematics, joint, h, rows);
  for (int k = 0; k < count; ++k) {
    rows[k].of_joint = true;
    rows[k].drift = ts_row_drift(&rows[k].row, &sides, state->velocity);
  }
  return count;
}

int ts_bilateral_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, double h,
                      const bool *in_tree, ts_bilateral_row *rows)
{
  int count = 0;
  for (int j = 0; j < model->joint_count; ++j) {
    const ts_joint *joint = &model->joints[j];
    if (!in_tree || !in_tree[j]) {
      count += write_joint_rows(model, state, kinematics, j, h, rows + count);
      if (ts_joint_is_damped(joint, h)) rows[count++] = ts_damper_row(model, state, kinematics, j, h);
    }
    if (ts_joint_is_driven(joint, h) && isinf(joint->motor.max_force)) {
      const ts_bounded_row drive = ts_drive_row(model, state, kinematics, j, h);
      rows[count++] = as_bilateral(&drive);
    }
  }
  for (int s = 0; s < model->spring_count; ++s)
    count += ts_write_spring_rows(model, state, kinematics, s, h, rows + count);
  for (int b = 0; b < model->bushing_count; ++b) count += ts_write_bushing_rows(model, state, b, h, rows + count);
  return count;
}

int ts_bounded_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, double h,
                    ts_bounded_row *rows)
{
  int count = 0;
  for (int j = 0; j < model->joint_count; ++j) {
    const ts_joint *joint = &model->joints[j];
    count += ts_write_stop_rows(model, state, kinematics, j, h, rows + count);
    if (ts_joint_is_driven(joint, h) && !isinf(joint->motor.max_force))
      rows[count++] = ts_drive_row(model, state, kinematics, j, h);
    if (ts_joint_has_dry_friction(joint, h)) rows[count++] = ts_dry_friction_row(model, state, kinematics, j, h);
  }
  return count;
}

void ts_join_bodies(const ts_bilateral_row *row, int *parent)
{
  int first = -1;
  for (int side = 0; side < ts_side_count(row); ++side) {
    const int body = ts_side_body(row, side);
    if (body >= 0 && first >= 0) ts_join_sets(parent, first, body);
    if (first < 0) first = body;
  }
}

double ts_bilateral_rows_residual(const ts_bilateral_row *rows, int count, const ts_twist *velocity,
                                  const double *impulse)
{
  double worst = 0.0;
  for (int i = 0; i < count; ++i) {
    const double left = ts_bilateral_rate(&rows[i], velocity) + rows[i].softness * impulse[i] + rows[i].bias;
    if (!(fabs(left) <= worst)) worst = fabs(left); // a NaN stays
  }
  return worst;
}
