// Velocities at the start of a simulation.
#ifndef TS_STEP_START_H
#define TS_STEP_START_H

#include "step/sim.h"

// Velocities in the state, everything in place, to those that joints allow; sim->start.
void ts_sim_allow_velocities(ts_sim *sim, ts_arena *arena);

#endif
