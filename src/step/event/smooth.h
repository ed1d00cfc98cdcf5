// Smooth motion between events, in the coordinates of a tree.
//
// Free: q' = N(q) v, v' by articulated-body dynamics, joints that close loops at the level of accelerations; integrated
// to high order (math/ode.h).
// Constrained: while contacts and stops are closed, joints stick by friction, or drives and springs act that are rows
// of a step, by extrapolated steps (step/event/active_set.h).
#ifndef TS_STEP_EVENT_SMOOTH_H
#define TS_STEP_EVENT_SMOOTH_H

#include "step/event/active_set.h"
#include "step/event/advancement.h"

#include "math/extrapolation.h"
#include "math/ode.h"

// Numbers that are kept from step to step: the length that constrained motion goes on with [s], 0: to be found.
enum { TS_EVENT_CONSTRAINED_STEP, TS_EVENT_NUMBERS };

typedef struct ts_smooth {
  ts_sim *sim;
  ts_arena *arena; // scratch
  int q_count, v_count;
  double *y;           // coordinates, then rates; where motion is constrained, then the sums of ts_active_set_substep()
  bool is_constrained; // else free
  bool is_blind;       // jumps of forces are not looked at in the step that is being tried
  double blind;        // length of the next step of that kind [s]
  bool driven;         // motion is constrained always: there are rows that make sense in a step only
  bool works;          // something beside gravity works in free motion: the powers are integrated along
  ts_ode ode;          // free motion
  int *slip;           // which way joints with dry friction slip: 1, -1, or 0 (joint_count)
  ts_active_set active;
  ts_extrapolation extrapolation; // constrained motion
  int rows;                       // that the last step of it took
  size_t capacity;                // numbers that y and the extrapolation have room for
  double next_break;              // where functions of time may jump
  ts_advancement advancement;     // what bodies do in the step that is being tried
  double work;                    // problems solved so far; evaluations of free motion count a tenth
  double work_limit;              // beyond which nothing is tried any more
  double work_rate;               // by which the limit rises with time [1/s]
  double work_time;               // from which on [s]
  ts_step_report before;          // what was reported before the step that is being tried
} ts_smooth;

// The rates behind the coordinates y.
static inline double *ts_smooth_rates_of(const ts_smooth *smooth, double *y)
{
  return y + smooth->q_count;
}

// Begin at the present state, free or driven. Memory from the arena.
void ts_smooth_begin(ts_smooth *smooth, ts_sim *sim, ts_arena *arena);

// Motion goes on with what smooth->active has, or freely.
void ts_smooth_constrain(ts_smooth *smooth);
void ts_smooth_set_free(ts_smooth *smooth);

// Dry friction acts against the rates that joints have in the simulation's state, until this is called again; of free
// motion.
void ts_smooth_take_slips(ts_smooth *smooth);

// How far smooth motion may go toward `end`: to just before the next time where forces, targets or given motions jump
// or have a kink. All steps after this call end there.
double ts_smooth_target(ts_smooth *smooth, double end);

// To a time so near that nothing moves: functions of time alone jump. Bodies on a base whose velocity jumps keep theirs
// as far as joints let them.
void ts_smooth_hop(ts_smooth *smooth, double time);

// A step toward `end`; the trial is the state at its end. Returns its length; 0 when there is none.
double ts_smooth_step(ts_smooth *smooth, double end);

// The next step is to be no longer than h.
void ts_smooth_shorten(ts_smooth *smooth, double h);

// The trial at t + h from y instead. False when numbers are not finite, or forces jump on the way.
bool ts_smooth_try(ts_smooth *smooth, double h);

// The longest part of the trial, which ends at t + h, in which nothing can have met that is not active: h, or less.
// Bodies stand where the trial has them then.
double ts_smooth_clear(ts_smooth *smooth, double h);

// Put all bodies where the trial, or y, has them at `time`.
void ts_smooth_show_trial(ts_smooth *smooth, double time);
void ts_smooth_show(ts_smooth *smooth, double time);

// Take over the trial as the state at `time`: loops and active contacts closed again, quaternions of length 1, bodies
// in place; contacts that were active are reported.
void ts_smooth_accept(ts_smooth *smooth, double time);

// Whether more work was done than is allowed by now: trials then fail at once.
bool ts_smooth_is_spent(const ts_smooth *smooth);

// Give up a step: everything as at the time in the simulation's state.
void ts_smooth_give_up(ts_smooth *smooth);

// After an impact has changed the velocities in the simulation's state.
void ts_smooth_take_velocity(ts_smooth *smooth);

#endif
