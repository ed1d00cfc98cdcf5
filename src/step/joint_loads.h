// What joints transmit, and what their motors do, in a step: impulses on the child at the joint's point (that of the
// child, where its rows act), along world axes. Summed up only where the program has asked for it.
//
// What a joint transmits is all that acts between its two bodies by it: what its constraint holds, its motor, damping,
// dry friction, stops, what gears pass to its coordinate, and pushes along it. Of joints that are rows these are known.
// Of those that are coordinates of a tree it is what all bodies behind it need to move as they do, less what acts on
// them otherwise: recursive Newton-Euler, at the configuration that the step takes its forces at. In steps of fixed
// length, rates mean other twists at the end than at the start. There, forces and moments are the change of momentum
// once bodies have moved, with arms of the start. Moments about axes of free rotation are those of the drives.
#ifndef TS_STEP_JOINT_LOADS_H
#define TS_STEP_JOINT_LOADS_H

#include "step/step.h"

#include "dynamics/loops.h"

enum { TS_LOAD_NUMBERS = 7 }; // of ts_joint_load

// Numbers that the loads of all joints are; 0: nobody asks.
static inline size_t ts_loads_size(const ts_sim *sim)
{
  return sim->loads ? TS_LOAD_NUMBERS * (size_t)sim->model->joint_count : 0;
}

void ts_loads_forget(ts_sim *sim);

// A copy in the arena, NULL where nobody asks; and back.
const ts_joint_load *ts_loads_save(const ts_sim *sim, ts_arena *arena);
void ts_loads_restore(ts_sim *sim, const ts_joint_load *saved);

// The loads += numbers, as they lie in memory (ts_loads_size()).
void ts_loads_add(ts_sim *sim, const double *numbers);

// Of a step, or an impact, that has changed step->from to the velocity in the state, as for ts_step_add_works(). What
// is in the tree is given back as it was. Loads of joints of a tree are those at the start
// until ts_loads_close_balance().
void ts_step_add_loads(ts_step *step);

// After bodies have moved and their velocities are those of the end: correct loads of joints of a tree. Does nothing
// if no step has added loads since the last call.
void ts_loads_close_balance(ts_sim *sim);

// Of rows alone, the first `count` of a list, that have changed `from` by these impulses to the velocity in the state:
// rows of joints, and of contacts, whose source is behind all others. `pushed` (body_count, or NULL): impulses on the
// centers of mass that have acted as well. Scratch from the arena.
void ts_loads_add_rows(ts_sim *sim, const ts_bilateral_row *rows, int count, const double *impulse,
                       const ts_wrench *pushed, const ts_twist *from, ts_arena *arena);

// The same of the rows of a step.
void ts_step_add_row_loads(ts_step *step, const ts_twist *from, const double *impulse);

// Of free motion.
typedef struct ts_free_motion {
  double time;
  const double *acceleration; // derivatives of the rates
  const double *rubbed;       // dry friction and damping along joints, which are in mechanics.applied (joint_count)
  ts_loop_forces loops;
} ts_free_motion;

// Forces instead of impulses, everything in place (ts_loads_size()). Scratch from the arena.
void ts_loads_of_motion(ts_sim *sim, const ts_free_motion *motion, double *forces, ts_arena *arena);

#endif
