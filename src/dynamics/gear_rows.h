// Gears as rows through the coordinates of joints.
#ifndef TS_DYNAMICS_GEAR_ROWS_H
#define TS_DYNAMICS_GEAR_ROWS_H

#include "dynamics/joint_rows.h"

// A joint of a gear, and what its coordinate counts: 1 for the one that follows, -r_k for the others.
typedef struct ts_geared_joint {
  int joint;
  double weight;
} ts_geared_joint;

// The k-th of term_count + 1, the last is the one that follows.
ts_geared_joint ts_gear_joint_at(const ts_gear *gear, int k);

// How far the gear is from what it asks for [m, rad].
double ts_gear_error(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int gear);

// How the rate of its row changes while the twists are constant, all bodies that move included; `base_acceleration`
// (body_count) is that of kinematic bodies.
double ts_gear_bias(const ts_model *model, const ts_kinematics *kinematics, const ts_twist *velocity,
                    const ts_twist *base_acceleration, int gear);

#endif
