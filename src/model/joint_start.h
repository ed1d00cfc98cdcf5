// Where joints start.
#ifndef TS_MODEL_JOINT_START_H
#define TS_MODEL_JOINT_START_H

#include "model/model.h"

// Move dynamic bodies to where the positions and velocities of joints at time 0 put them (see ts_joint_def), over a
// spanning tree of the joints; bodies without a velocity of their own start along with a base that moves, that alone
// holds them, and that joints do not let move without them. Bodies and joints are made, motions too. Models without any
// of these stay as they are, to the last bit. Fails with one sentence where the joints of a loop do not fit together.
ts_status ts_model_take_positions(ts_model *model, ts_error *error);

#endif
