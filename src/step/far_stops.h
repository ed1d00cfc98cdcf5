// Stops of joints that are far away, in the friction problem of a step.
//
// A stop at the distance g enters the problem with the speed g/h, which scales the residual: a slide with 1e8 m to its
// stop would hide errors of every contact. A stop much farther than the data of the problem reach in the step is taken
// as nearer. Where it presses there, it is put back, and the problem is solved again.
#ifndef TS_STEP_FAR_STOPS_H
#define TS_STEP_FAR_STOPS_H

#include "contact/system.h"

typedef struct ts_far_stop {
  int block;
  double speed, bias; // of its normal row in q and in `bias`, as they were [m/s, rad/s]
} ts_far_stop;

typedef struct ts_far_stops {
  ts_system *system;
  double *bias;
  int count;
  ts_far_stop *stops;
} ts_far_stops;

// Take stops that are far away as nearer, in q of the system and in `bias`, the part of q that gaps are in, or NULL.
ts_far_stops ts_far_stops_begin(ts_system *system, double *bias, ts_arena *arena);

// Put back the stops that press in the solution r. False if there are none.
bool ts_far_stops_put_back(ts_far_stops *stops, const double *r);

// Put back all that are left.
void ts_far_stops_end(const ts_far_stops *stops);

#endif
