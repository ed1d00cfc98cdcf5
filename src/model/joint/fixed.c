#include "model/joint/type.h"

const ts_joint_type ts_joint_fixed = {.traits = {.summary = "does not move", .freedoms = {0, 0}, .mark = TS_MARK_BLOCK},
                                      .locked_slide = ts_joint_slide_locked,
                                      .locked_turn = ts_joint_turn_locked,
                                      .locked_spin = ts_joint_turn_locked};
