#include "model/joint/type.h"

#include <math.h>

static double locked_slide(ts_vec3 slide)
{
  return fabs(slide.z);
}

const ts_joint_type ts_joint_planar = {.traits = {.summary = "slides in the plane normal to `axis` and turns about it",
                                                  .freedoms = {3, -1},
                                                  .axes = 1,
                                                  .mark = TS_MARK_BLOCK},
                                       .x_axis = ts_joint_any_x,
                                       .locked_slide = locked_slide,
                                       .locked_turn = ts_joint_turn_locked_across,
                                       .locked_spin = ts_joint_turn_locked_across};
