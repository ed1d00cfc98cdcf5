#include "model/joint/type.h"

#include "base/status.h"
#include "math/vec3.h"

static ts_status check(const ts_freedoms *freedoms, const ts_joint_def *def, const char *name, ts_error *error)
{
  if (ts_is_flat(freedoms) && !(def->axis.x == 0.0 && def->axis.y == 0.0 && def->axis.z > 0.0))
    return ts_fail(error, TS_INVALID, "joint '%s': in the plane a revolute joint turns about z", name);
  return TS_OK;
}

static ts_pose pose_at(const ts_joint *joint, double q)
{
  (void)joint;
  return (ts_pose){{0.0, 0.0, 0.0}, ts_quat_about_z(q)};
}

static void add_rate(const ts_joint *joint, double rate, ts_twist *motion)
{
  (void)joint;
  motion->angular.z += rate;
}

const ts_joint_type ts_joint_revolute = {.traits = {.summary = "turns about `axis`",
                                                    .freedoms = {1, 1},
                                                    .measure = TS_MEASURE_ANGLE,
                                                    .axes = 1,
                                                    .mark = TS_MARK_PIN},
                                         .takes = TS_TAKES_COORDINATE,
                                         .check = check,
                                         .x_axis = ts_joint_any_x,
                                         .pose_at = pose_at,
                                         .add_rate = add_rate,
                                         .locked_slide = ts_joint_slide_locked,
                                         .locked_turn = ts_joint_turn_locked,
                                         .locked_spin = ts_joint_turn_locked};
