// What is left of bilateral rows at the end of a step.
#ifndef TS_DYNAMICS_ROW_CHECK_H
#define TS_DYNAMICS_ROW_CHECK_H

#include "dynamics/rows.h"

// What the rate of a row could be at velocities of this size.
double ts_size_of_rate(const ts_bilateral_row *row, const ts_twist *velocity);

// Rows that were solved for in a step of length h; `depends` (count) says of which it was found that they depend on
// others and are obeyed when those are.
typedef struct ts_solved_rows {
  const ts_model *model;
  const ts_kinematics *kinematics;
  const ts_bilateral_row *rows;
  const bool *depends;
  int count;
  double h;
} ts_solved_rows;

// The largest part of what is left that has no excuse, as a share of the velocities that the rows deal with: 0 to
// round-off, near 1 where rows contradict each other. Excused are round-off, and of rows that depend on others what
// redundancy.h takes for dependence: an angle between rows, and an error that they were open by before. `left` is what
// is left of them all, ts_bilateral_rows_residual().
double ts_rows_defiance(const ts_solved_rows *solved, const ts_twist *before, const ts_twist *after,
                        const double *impulse, double left);

#endif
