// Energy that the rows of the end of a step give, and the velocities of steps that would give too much
// (docs/theory/implicit.md).
#ifndef TS_STEP_IMPLICIT_END_VELOCITY_H
#define TS_STEP_IMPLICIT_END_VELOCITY_H

#include "step/step.h"

// Numbers that a stepper keeps for this from step to step: the energy that contacts have given of late [J].
enum { TS_END_NUMBERS = 1 };

// Velocities before the step, turned by what gyroscopic torques do in it (body_count); NULL: they do nothing. To be
// called once the free velocities are there.
const ts_twist *ts_turned_velocities(const ts_step *step);

// True if contacts with the impulses step->r give more than a certified step may, if it ends with `velocity`.
bool ts_contacts_give_too_much(const ts_step *step, const ts_twist *velocity);

// Impulses step->r and velocities of the law at the end of the step, of what touches there, whatever led to it: these
// give nothing. The rows that hold bear `joint_impulse` without contacts. False: the problem is not solved to the
// tolerance, and nothing has changed.
bool ts_find_end_velocity(ts_step *step, const double *joint_impulse, ts_twist *velocity);

// Count what contacts have given, `work`, in a step that is taken.
void ts_count_given(ts_sim *sim, double work);

#endif
