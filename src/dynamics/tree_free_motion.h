// Free motion of a tree: rates after a step of everything that is known at its start, velocity products included.
#ifndef TS_DYNAMICS_TREE_FREE_MOTION_H
#define TS_DYNAMICS_TREE_FREE_MOTION_H

#include "dynamics/mechanics.h"

// The damping of the rates times `factor` (v), or NULL where nothing is damped. With implicit damping D of the rates v
//   M (v+ - v) = h (f - D v+),   that is   (M + h D) (v+ - v) = h (f - D v).
double *ts_mobility_damping(const ts_mobility *mobility, double factor);

// Free rates of the tree, and velocities of bodies apart from it.
void ts_mobility_move_freely(ts_mobility *mobility, const ts_wrench *pushes, bool resisted, ts_twist *free_velocity);

#endif
