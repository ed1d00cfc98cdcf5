// What holds beside the coordinates of a tree, joints that close loops and gears, at the level of accelerations.
#ifndef TS_DYNAMICS_LOOPS_H
#define TS_DYNAMICS_LOOPS_H

#include "dynamics/tree.h"

// Whether there is any.
bool ts_loops_are_there(const ts_tree *tree, const ts_model *model);

// Largest error of gears, and of the joints that are not in the tree [m, rad], with everything in place.
double ts_loops_error(const ts_tree *tree, const ts_model *model, const ts_state *state,
                      const ts_kinematics *kinematics);

// Change the derivatives of the rates (v) by what gears and the joints that are not in the tree do: their rows obey
// G^T V' + bias = 0 afterwards (000 eq. 7; corrections.md 9), as far as they are independent. Everything in place, the
// tree factored without softness, and the state's bodies marked. `base_acceleration` as in ts_tree_accelerate(), but
// not NULL. `forces` of the rows are left in the arena; NULL: nobody asks, and scratch is given back.
typedef struct ts_loop_forces {
  int count;
  const ts_bilateral_row *rows;
  const double *force;
} ts_loop_forces;

void ts_loops_hold(ts_tree *tree, const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                   const ts_twist *base_acceleration, double *acceleration, ts_loop_forces *forces, ts_arena *arena);

#endif
