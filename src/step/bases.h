// Work of bodies that move as they are told on what hangs on them by coordinates.
#ifndef TS_STEP_BASES_H
#define TS_STEP_BASES_H

#include "step/step.h"

// Work of bases: at the start of a step, with its impulses, and at the end, everything in place.
void ts_bases_init(ts_sim *sim);
void ts_bases_begin(ts_sim *sim);
void ts_bases_push(ts_step *step);
void ts_bases_close(ts_sim *sim);
// Work of bases in an impact, whose step has changed step->from to the velocity in the state; and impulses of forces
// (body_count, or NULL: none), which have struck at the same time.
void ts_bases_strike(ts_step *step, const ts_wrench *impulse);
// Their power where bodies on trees accelerate like this under `applied` (body_count, joints' own friction left out),
// everything in place; joints that close loops with the world are not counted. Only where sim->base_of is.
double ts_bases_power(ts_sim *sim, const ts_twist *acceleration, const ts_wrench *applied);

#endif
