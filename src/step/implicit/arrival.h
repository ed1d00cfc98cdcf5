// Bodies where a step takes them if its velocities are those of a guess.
#ifndef TS_STEP_IMPLICIT_ARRIVAL_H
#define TS_STEP_IMPLICIT_ARRIVAL_H

#include "step/step.h"

typedef struct ts_arrival {
  ts_state end;
  ts_kinematics geometry; // there
  ts_twist *still;        // no velocities (body_count): at the end of the step nothing passes anything any more
} ts_arrival;

// Memory from the step's arena.
ts_arrival ts_arrival_make(const ts_step *step);

// Move dynamic bodies by the velocities (body_count); the others stand where they do at the end of the step.
void ts_arrival_move(ts_arrival *arrival, const ts_step *step, const ts_twist *velocity);

// The same, and the points that may touch there. Leaves to the arena's recovery point when memory runs out.
void ts_arrival_look(ts_arrival *arrival, const ts_step *step, const ts_twist *velocity, ts_contact_set *points);

#endif
