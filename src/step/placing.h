// Overlap, joints that are open and limits that are broken, taken out of positions alone. A motion h w of bodies that
// are else at rest is looked for, the least in the metric of the masses:
//   min w.M w   such that   J_n w + gap/h >= 0,   stops likewise,   G^T w + Phi/h = 0,
// which is the problem of a step without friction, forces and velocities. It is linear in h w: gaps are looked at anew
// after each motion, until they are closed to round-off or nothing helps.
#ifndef TS_STEP_PLACING_H
#define TS_STEP_PLACING_H

#include "step/sim.h"

// What is less than this of the sizes that it is a difference of is round-off of positions that were given.
static const double TS_PLACED_WELL = 1e-9;

typedef struct ts_placing {
  double found;  // deepest overlap, farthest beyond a stop, widest open joint; 0: nothing to be done [m, rad]
  double depth;  // deepest overlap of bodies alone [m]
  double left;   // of `found`, after all
  double beyond; // share of the overlap that is more than steps may take out for nothing (repair.h)
  double taken;  // the same before, less after, of groups of bodies that are not wedged
  ts_correction *corrections; // overlap and stops (count); memory of the arena
  int count;
} ts_placing;

typedef enum ts_placing_rule {
  TS_PLACE_START,  // to round-off; and say what there was
  TS_PLACE_MOVED,  // to round-off, but only where something is worse than a step at the present velocities leaves it
  TS_PLACE_IN_STEP // quickly, most of it
} ts_placing_rule;

// Take out what is there; velocities stay as they are, within a step as near to that as coordinates allow (start.h).
// Kinematic bodies stand where they are. Memory from the arena,
// which is a scratch of the simulation with its recovery point set.
ts_placing ts_sim_place(ts_sim *sim, ts_placing_rule rule, ts_arena *arena);

// The same within a step, whose report gets what was found and what it cost of potential energy. Returns what is left.
double ts_sim_take_out(ts_sim *sim, ts_placing_rule rule, ts_arena *arena);

#endif
