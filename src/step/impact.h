// Impacts of all that is closed, at one time.
#ifndef TS_STEP_IMPACT_H
#define TS_STEP_IMPACT_H

#include "step/step.h"

// Relative normal velocity of a contact at the velocity in the state, moving surfaces counted.
double ts_normal_speed(const ts_sim *sim, const ts_contact *contact);

// Normal velocities of the blocks at the velocity in the state, and whether one of them approaches faster than `slow`.
double *ts_step_approach(const ts_step *step, double slow, bool *impact);

// Which blocks give back what they are compressed by: with friction those that approach faster than `slow`; without,
// where impacts cannot gain energy, all, once one approaches faster than `least` and rest_speed: what touches an impact
// is part of it. Approaches become 0 of those that do not, -INFINITY of those that do.
void ts_step_choose_rebounds(const ts_step *step, double least, double slow, double *approach);

// Compression and, where the approach was fast enough, decompression of all blocks at the velocity in the state
// (corrections.md 4). Motors have no time to act.
void ts_step_impact(ts_step *step, const double *approach);

#endif
