#include "model/joint/type.h"

static double held_turn(ts_vec3 turn, ts_vec3 x)
{
  (void)turn, (void)x;
  return 0.0;
}

const ts_joint_type ts_joint_spherical = {
    .traits = {.summary = "turns about a point", .freedoms = {3, -1}, .mark = TS_MARK_BALL},
    .held_slide = ts_joint_slide_held,
    .held_turn = held_turn,
    .held_spin = held_turn};
