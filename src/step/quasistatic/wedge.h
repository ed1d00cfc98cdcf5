// Contacts that drives close on a body and whose friction holds each other.
#ifndef TS_STEP_QUASISTATIC_WEDGE_H
#define TS_STEP_QUASISTATIC_WEDGE_H

#include "step/step.h"

// Whether there are impulses within the cones of contacts, other than 0, that balance among themselves on every body
// and that the motion of drives feeds: then they grow without bound, or bodies have to slip past each other at once.
// Shares of the contacts in them go to step->jam (blocks). In space cones are taken with eight sides.
bool ts_step_find_wedge(ts_step *step);

#endif
