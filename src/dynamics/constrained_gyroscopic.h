// Gyroscopic torques of bodies that rows hold, in redundant coordinates.
#ifndef TS_DYNAMICS_CONSTRAINED_GYROSCOPIC_H
#define TS_DYNAMICS_CONSTRAINED_GYROSCOPIC_H

#include "dynamics/mechanics.h"

// Bodies whose gyroscopic torques depend on what rows do (body_count), or NULL: none.
const bool *ts_constrained_gyroscopic_bodies(const ts_mobility *mobility);

// Adds these torques to a free velocity that is without them and the rows. False where the passes do not draw together.
bool ts_constrained_gyroscopic_add(const ts_mobility *mobility, const bool *turned, ts_twist *free_velocity);

#endif
