// Velocities at the start of a simulation.
#ifndef TS_STEP_START_H
#define TS_STEP_START_H

#include "step/sim.h"

// Velocities in the state, everything in place, to those that joints allow; sim->start.
void ts_sim_allow_velocities(ts_sim *sim, ts_arena *arena);

// Coordinates of a tree after correction has moved bodies, everything in place: rates whose twists are the nearest to
// those in the state in the metric of the masses, so that momentum is kept. Rates that are kept mean other twists at
// other coordinates: their momentum would change without an impulse. False, and nothing changes, if a body without mass
// has no momentum to keep.
bool ts_sim_keep_momentum(ts_sim *sim, ts_arena *arena);

#endif
