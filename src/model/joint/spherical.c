#include "model/joint/type.h"

static double locked_turn(ts_vec3 turn, ts_vec3 x)
{
  (void)turn, (void)x;
  return 0.0;
}

const ts_joint_type ts_joint_spherical = {
    .traits = {.summary = "turns about a point", .freedoms = {3, -1}, .mark = TS_MARK_BALL},
    .locked_slide = ts_joint_slide_locked,
    .locked_turn = locked_turn,
    .locked_spin = locked_turn};
