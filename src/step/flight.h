// Smooth motion between events, in the coordinates of a tree: q' = N(q) v, v' by articulated-body dynamics, joints that
// close loops at the level of accelerations; integrated to high order (math/ode.h).
#ifndef TS_STEP_FLIGHT_H
#define TS_STEP_FLIGHT_H

#include "step/sim.h"

#include "math/ode.h"

typedef struct ts_flight {
  ts_sim *sim;
  ts_arena *arena; // scratch
  ts_ode ode;
  int q_count, v_count;
  double *y; // coordinates, then rates
  int *slip; // which way joints with dry friction slip: 1, -1, or 0 (joint_count)
} ts_flight;

// Begin at the present state. Memory from the arena.
void ts_flight_begin(ts_flight *flight, ts_sim *sim, ts_arena *arena);

// Dry friction acts against the rates that joints have in the simulation's state, until this is called again.
void ts_flight_take_slips(ts_flight *flight);

// A step toward `end`; ode.trial holds the state at its end. Returns its length; 0 when there is none, because numbers
// are not finite.
double ts_flight_step(ts_flight *flight, double end);

// ode.trial at t + h from y instead. False when numbers are not finite.
bool ts_flight_try(ts_flight *flight, double h);

// Put all bodies where ode.trial, or y, has them at `time`.
void ts_flight_show_trial(ts_flight *flight, double time);
void ts_flight_show(ts_flight *flight, double time);

// Take over ode.trial as the state at `time`: loops closed again, quaternions of length 1, bodies in place.
void ts_flight_accept(ts_flight *flight, double time);

// After an impact has changed the velocities in the simulation's state.
void ts_flight_take_velocity(ts_flight *flight);

#endif
