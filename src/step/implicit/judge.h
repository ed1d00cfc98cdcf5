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

// The speed of the data of the problem that the step poses. Force limits are left out, which are not speeds; the loads
// of supports count as weight on a contact does. Gaps that stay open without impulses count by the velocity of their
// rows alone: a stop that is far away has a gap/h that is many times faster than anything moves, and would make the
// certificate blunt.
double ts_step_speed(const ts_step *step);

// Share of a tolerance that a residual by the speed of all of the problem's data has to meet, so that it meets the
// tolerance by the speed of the step; as far as round-off lets it be had. More than 1 where all data are round-off of
// velocities that cancel. `speed` is that of the step.
double ts_step_fineness(const ts_step *step, const ts_friction *problem, double speed, double tolerance);

#endif
