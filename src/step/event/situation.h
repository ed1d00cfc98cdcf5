// What event-driven stepping sees: contacts and stops that are closed, rest, open, or may have closed within a step.
#ifndef TS_STEP_EVENT_SITUATION_H
#define TS_STEP_EVENT_SITUATION_H

#include "step/event/smooth.h"

#include "contact/touching.h"

// Approaches that are slower do not rebound [m/s].
static const double TS_SLOWEST_APPROACH = 1e-6;

// Contacts, stops and slipping joints where the bodies are shown now.
typedef struct ts_situation {
  ts_contact_set contacts;
  int *match;    // of the contacts, as ts_active_set_match() has it
  double *speed; // of the contacts along their normals [m/s]
  ts_bounded_row *stops;
  int stop_count;
  double *stop_speed; // [m/s, rad/s]
  double slip; // slowest rate of a joint with dry friction in the way it slips [m/s, rad/s]; INFINITY: there is none
} ts_situation;

// All whose gap may close within h, with everything in place. Memory from the arena of the motion.
void ts_look(ts_smooth *smooth, double h, ts_situation *now);
// The same after the active set was emptied, with room in it for everything that is seen. Restoring the arena to the
// mark gives the memory of `now` back, but not that room.
ts_arena_mark ts_look_anew(ts_smooth *smooth, double h, ts_situation *now);

double ts_closed_gap(const ts_contact *contact);
bool ts_contact_is_closed(const ts_contact *contact);

// Closed, and neither parting nor approaching.
bool ts_contact_rests(const ts_situation *now, int i, double slow);
bool ts_stop_rests(const ts_situation *now, int k, double slow);

// Whether something closed approaches faster than `slow`.
bool ts_is_approached(const ts_situation *now, double slow);

// The smallest gap of what is not active, or, where motion is free, rate of slip, which ends as a gap closes. What has
// been closed at the start of the step, `before`, and parts does not count, it is on its way; nor what comes to rest
// beside what is active, it will be.
double ts_smallest_gap(const ts_smooth *smooth, const ts_situation *before, const ts_situation *now);

// Whether a stop that is open at both ends of a step of length h, and not active, may have been closed in between.
bool ts_stop_dips(const ts_smooth *smooth, const ts_situation *before, const ts_situation *after, double h);

// Whether something active has opened, by more than the error of a step.
bool ts_has_let_go(const ts_smooth *smooth, const ts_situation *now);

#endif
