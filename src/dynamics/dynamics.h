// The inside of ts_dynamics: see include/touchstone/dynamics.h.
#ifndef TS_DYNAMICS_DYNAMICS_H
#define TS_DYNAMICS_DYNAMICS_H

#include "touchstone/dynamics.h"

#include "dynamics/tree.h"

struct ts_dynamics {
  const ts_model *model;
  ts_arena memory;     // arrays of a size that the model fixes
  ts_arena scratch;    // of loops; empty between calls
  ts_tree *tree;       // of all dynamic bodies
  const bool *in_tree; // joints that are coordinates (joint_count)
  const char **coordinate_names, **rate_names;
  ts_state state; // q, rates and time, and the bodies there
  ts_kinematics kinematics;
  ts_twist *base_acceleration; // of kinematic bodies (body_count)
  ts_twist *body_acceleration; // scratch of points (body_count)
  ts_wrench *wrench;           // scratch: gravity and what the caller adds (body_count)
  bool factored;               // the tree's inertias are those of the configuration
};

// Bring everything up to date with the coordinates, rates and time in the state.
void ts_dynamics_follow(ts_dynamics *dynamics);

#endif
