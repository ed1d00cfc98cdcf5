// Where motion from event to event does not get on: time-stepping through it.
//
// Contacts may chatter, impacts accumulate and forces jump at once, whatever the step. The work that is done between
// events is therefore bounded: TS_MOST_WORK problems at once, and a tenth of that for every TS_REGULAR_TIME of time
// that is got over with them. Where that is not enough time goes on by TS_REGULAR_TIME (or to the end of the step) with
// fixed steps of TS_REGULAR_STEP at the level of velocities, and event-driven motion begins anew behind it, with half
// of the work, until it gets on again.
#ifndef TS_STEP_EVENT_REGULARIZE_H
#define TS_STEP_EVENT_REGULARIZE_H

#include "step/event/smooth.h"

static const double TS_REGULAR_TIME = 1e-3;        // [s]
static const double TS_REGULAR_STEP = 1e-3 / 16.0; // [s]
static const double TS_MOST_WORK = 4000.0, TS_LEAST_WORK = 250.0;

// The work that is allowed for.
typedef struct ts_pace {
  double work; // at once
  double time; // since when [s]
} ts_pace;

// Begin at the present time with all the work.
void ts_pace_begin(ts_pace *pace, ts_smooth *smooth);

// To be called as time goes on: after TS_REGULAR_TIME without trouble there is a quarter more again.
void ts_pace_keep(ts_pace *pace, ts_smooth *smooth);

// Time-stepping toward `end`. Contacts are added to those of the simulation; the report says how long and in which
// steps. False when numbers that are not finite came up.
bool ts_regularize(ts_pace *pace, ts_smooth *smooth, double end);

#endif
