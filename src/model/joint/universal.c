#include "model/joint/type.h"

#include "base/status.h"
#include "math/vec3.h"

#include <math.h>

static const double NEARLY_NORMAL = 1e-6; // cosine of the angle between the axes

static ts_status check(const ts_freedoms *freedoms, const ts_joint_def *def, const char *name, ts_error *error)
{
  (void)freedoms;
  const double length = ts_length(def->axis2);
  if (!(length > 0.0 && isfinite(length)))
    return ts_fail(error, TS_INVALID, "joint '%s': its axis2 must not be zero", name);
  const double cosine = ts_dot(def->axis, def->axis2) / ts_length(def->axis) / length;
  if (!(fabs(cosine) <= NEARLY_NORMAL))
    return ts_fail(error, TS_INVALID, "joint '%s': its axis and axis2 must be at right angles", name);
  return TS_OK;
}

static ts_vec3 x_axis(const ts_freedoms *freedoms, const ts_joint_def *def, ts_vec3 z)
{
  (void)freedoms;
  const ts_vec3 x = ts_add_scaled(def->axis2, -ts_dot(def->axis2, z), z);
  return ts_scale(1.0 / ts_length(x), x);
}

// The axes must be normal.
static double locked_turn(ts_vec3 turn, ts_vec3 x)
{
  (void)turn;
  return fabs(asin(fmax(-1.0, fmin(1.0, x.z))));
}

static double locked_spin(ts_vec3 spin, ts_vec3 x)
{
  return fabs(ts_dot(spin, ts_cross(x, (ts_vec3){0.0, 0.0, 1.0})));
}

const ts_joint_type ts_joint_universal = {
    .traits = {.summary = "turns about `axis` of the parent and `axis2` of the child, which stay normal",
               .freedoms = {2, -1},
               .axes = 2,
               .mark = TS_MARK_PIN},
    .check = check,
    .x_axis = x_axis,
    .locked_slide = ts_joint_slide_locked,
    .locked_turn = locked_turn,
    .locked_spin = locked_spin};
