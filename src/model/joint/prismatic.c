#include "model/joint/type.h"

#include "base/status.h"
#include "math/vec3.h"

static ts_status check(const ts_freedoms *freedoms, const ts_joint_def *def, const char *name, ts_error *error)
{
  if (ts_is_flat(freedoms) && def->axis.z != 0.0)
    return ts_fail(error, TS_INVALID, "joint '%s': in the plane a prismatic joint has an axis without z component",
                   name);
  return TS_OK;
}

static ts_vec3 x_axis(const ts_freedoms *freedoms, const ts_joint_def *def, ts_vec3 z)
{
  return ts_is_flat(freedoms) ? (ts_vec3){-z.y, z.x, 0.0} : ts_joint_any_x(freedoms, def, z);
}

static ts_pose pose_at(const ts_joint *joint, double q)
{
  (void)joint;
  return (ts_pose){ts_scale(q, (ts_vec3){0.0, 0.0, 1.0}), ts_quat_identity()};
}

static void add_rate(const ts_joint *joint, double rate, ts_twist *motion)
{
  (void)joint;
  motion->linear.z += rate;
}

const ts_joint_type ts_joint_prismatic = {.traits = {.summary = "slides along `axis`",
                                                     .freedoms = {1, 1},
                                                     .measure = TS_MEASURE_LENGTH,
                                                     .axes = 1,
                                                     .mark = TS_MARK_BLOCK,
                                                     .has_rails = true},
                                          .takes = TS_TAKES_COORDINATE,
                                          .check = check,
                                          .x_axis = x_axis,
                                          .pose_at = pose_at,
                                          .add_rate = add_rate,
                                          .locked_slide = ts_joint_slide_locked,
                                          .locked_turn = ts_joint_turn_locked,
                                          .locked_spin = ts_joint_turn_locked};
