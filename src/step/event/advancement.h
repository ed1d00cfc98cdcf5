// What bodies may have met on the way from the start of a smooth step to its end.
//
// The velocities at points on the way bound the accelerations, and these what a pair of parts can do beside going on
// as it does at one end of the step. Along the normal n of the distance d there, with the velocities v, w of the two
// bodies and K a lower bound of the second derivative (Mirtich's conservative advancement, with one order more),
//   gap(t) >= d + min over points of [n.(v + w x r) t] + K t^2/2.
#ifndef TS_STEP_EVENT_ADVANCEMENT_H
#define TS_STEP_EVENT_ADVANCEMENT_H

#include "step/event/active_set.h"

// Letting go is located to this [s].
static const double TS_LETTING_GO = 1e-5;

typedef struct ts_advancement {
  double start_time, last_time; // of the step, and of the point noted last [s]
  ts_frame *frame;              // of the bodies at the start (body_count)
  ts_twist *start, *last;       // their velocities then, and at the point noted last (body_count)
  ts_twist *low, *high;         // their accelerations, by components (body_count)
  ts_bounds *boxes;             // around the ways of parts (part_count)
} ts_advancement;

// Memory from the arena.
void ts_advancement_init(ts_advancement *advancement, const ts_sim *sim, ts_arena *arena);

// A step begins where everything stands now, at `time`.
void ts_advancement_start(ts_advancement *advancement, const ts_sim *sim, double time);

// Points noted so far belong to another step from the same start.
void ts_advancement_forget(ts_advancement *advancement);

// A point of the step at `time`: everything stands where it is then. Points come in runs from the start on, each
// ordered by time.
void ts_advancement_note(ts_advancement *advancement, const ts_sim *sim, double time);

// With everything at the end of the step, of length h: h when no two parts can have met on the way, else a
// shorter one that promises better. Pairs that touch at an end count as apart on the way when they part from there.
// Pairs that are active are asked for their end alone, those that overlap at the start not at all. Scratch from the
// arena.
double ts_advancement_clear(ts_advancement *advancement, ts_sim *sim, const ts_active_set *active, double h,
                            ts_arena *arena);

#endif
