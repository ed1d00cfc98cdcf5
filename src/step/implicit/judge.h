// What both formulations of the implicit step are judged by.
#ifndef TS_STEP_IMPLICIT_JUDGE_H
#define TS_STEP_IMPLICIT_JUDGE_H

#include "step/step.h"

// Parts may overlap by this share of the size of the smaller one.
#define TS_MOST_OVERLAP 1e-8

// Twists that impulses r of the step's system make of the free ones. The rows that hold bear `joint_impulse` without
// them.
void ts_implicit_respond(ts_step *step, const double *joint_impulse, const double *r, ts_twist *velocity);

// Speed of the quickest point of a part, at most.
double ts_largest_speed(const ts_model *model, const ts_twist *velocity);

// The speed of the data of a system, given normal impulses left out: a force limit is not a speed.
double ts_system_speed(const ts_system *system);

// The speed of the data of a problem.
double ts_data_speed(const ts_friction *problem);

#endif
