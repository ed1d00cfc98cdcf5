// Which joint rows depend on others.
#ifndef TS_DYNAMICS_REDUNDANCY_H
#define TS_DYNAMICS_REDUNDANCY_H

#include "dynamics/rows.h"

// What round-off leaves of a pivot, relative to its diagonal entry.
#define TS_PIVOT_ROUND_OFF 1e-14

// Sines of angles between rows are never taken for dependence above this.
#define TS_LARGEST_SINE 0.03

// How far the rigid rows of a linkage are open, and how long its lever arms are. Begins as zeros.
typedef struct ts_loop_errors {
  double turn, slide, arm; // largest errors [rad, m], and lever arm [m]
} ts_loop_errors;

void ts_note_errors(const ts_bilateral_row *row, ts_loop_errors *errors);

// The part of their diagonal entries up to which pivots of a closed loop's rows mean that these depend on others, where
// A is made with the metric below.
double ts_dependence(const ts_loop_errors *errors);

// Rows are given in blocks first[b] .. first[b+1]. Writes
// - relative[b]: pivots of the block not above this part of their diagonal entries are to be dropped, where A is made
//   with the metric below;
// - arm[body]: the length of lever arms in the body's linkage, 0 where there is none.
// Returns whether there is a closed loop, in which rows can depend on each other.
bool ts_find_loops(const ts_model *model, const ts_bilateral_row *rows, int blocks, const int *first, double *relative,
                   double *arm, ts_arena *arena);

// M^-1 times a row in a metric that knows of geometry alone: mass 1, the smallest moment of inertia arm^2.
ts_twist ts_respond_geometrically(const ts_model *model, const ts_kinematics *kinematics, int body, double arm,
                                  ts_twist jacobian);

#endif
