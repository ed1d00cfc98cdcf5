#include "model/joint/type.h"

const ts_joint_type ts_joint_cylindrical = {.traits = {.summary = "slides along and turns about `axis`",
                                                       .freedoms = {2, -1},
                                                       .axes = 1,
                                                       .mark = TS_MARK_BLOCK,
                                                       .has_rails = true},
                                            .x_axis = ts_joint_any_x,
                                            .locked_slide = ts_joint_slide_locked_across,
                                            .locked_turn = ts_joint_turn_locked_across,
                                            .locked_spin = ts_joint_turn_locked_across};
