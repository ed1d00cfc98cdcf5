// A nut on a thread: it turns about its axis and goes along it by `pitch` a radian. Its coordinate is the angle.
#include "model/joint/type.h"

#include "base/status.h"
#include "math/vec3.h"

#include <math.h>

static const double STEEPEST = 1e9; // [m/rad]

static ts_status check(const ts_freedoms *freedoms, const ts_joint_def *def, const char *name, ts_error *error)
{
  (void)freedoms;
  if (!(fabs(def->pitch) > 0.0 && fabs(def->pitch) <= STEEPEST))
    return ts_fail(error, TS_INVALID, "joint '%s': a screw needs a pitch other than 0, of at most %g m/rad, not %g",
                   name, STEEPEST, def->pitch);
  return TS_OK;
}

static ts_pose pose_at(const ts_joint *joint, double q)
{
  return (ts_pose){{0.0, 0.0, joint->pitch * q}, ts_quat_about_z(q)};
}

static void add_rate(const ts_joint *joint, double rate, ts_twist *motion)
{
  motion->linear.z += joint->pitch * rate;
  motion->angular.z += rate;
}

const ts_joint_type ts_joint_screw = {
    .traits = {.summary = "turns about `axis` and goes along it by `pitch` a radian, as a nut on its thread",
               .freedoms = {1, -1},
               .measure = TS_MEASURE_ANGLE,
               .axes = 1,
               .mark = TS_MARK_PIN,
               .has_rails = true},
    .takes = TS_TAKES_COORDINATE | TS_TAKES_pitch,
    .check = check,
    .x_axis = ts_joint_any_x,
    .pose_at = pose_at,
    .add_rate = add_rate,
    .locked_slide = ts_joint_slide_locked,
    .locked_turn = ts_joint_turn_locked,
    .locked_spin = ts_joint_turn_locked};
