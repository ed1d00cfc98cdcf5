// What the velocities that a step has reached run into beside its contacts.
#ifndef TS_STEP_LOOK_AGAIN_H
#define TS_STEP_LOOK_AGAIN_H

#include "step/step.h"

// The gap of a contact at the end of the step at the velocities given (body_count), to first order. Kinematic bodies
// stand where they are then.
double ts_step_gap_after(const ts_step *step, const ts_contact *contact, const ts_twist *velocity);

// After contacts were found with the free velocities and the problem was solved: whether it is plain that the new
// velocities run into nothing else, which is the rule and tested at little cost.
bool ts_step_is_in_sight(const ts_step *step);

// Else: whether the new velocities run into something that is not among the contacts. If so it is now, and all has to
// be solved again; `look` counts these turns, which end. Parts that pass through each other are reported, and the step
// is not certified.
bool ts_step_look_again(ts_step *step, int look);

// Parts whose surfaces are nearly flat (shape/turned_points.h) touch elsewhere at the end of the step: whether a point
// that is nearest there would sink in at the velocities reached. If so it is a contact now, and all has to be solved
// again; `look` counts these turns, which end. False if the problem was proven to have no solution.
bool ts_step_rolls_on(ts_step *step, int look);

// ts_step_look_again() for steppers that take contacts when they are closed: nothing but the report changes.
void ts_step_notice_passages(ts_step *step);

// The same for a way that bodies are about to make, in the state's velocities, once all is solved.
void ts_step_notice_unseen(ts_step *step);

// Bodies passed through each other, or may have: the step is not certified.
void ts_report_tunnel(ts_sim *sim, const ts_contact *between);

#endif
