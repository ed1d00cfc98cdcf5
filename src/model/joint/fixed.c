#include "model/joint/type.h"

const ts_joint_type ts_joint_fixed = {.traits = {.summary = "does not move", .freedoms = {0, 0}, .mark = TS_MARK_BLOCK},
                                      .held_slide = ts_joint_slide_held,
                                      .held_turn = ts_joint_turn_held,
                                      .held_spin = ts_joint_turn_held};
