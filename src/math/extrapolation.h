// Extrapolation of a one-step method: over a step of length h it is run in more and more substeps, and the results are
// continued to substeps of length zero by Aitken and Neville (Deuflhard; Hairer, Norsett and Wanner, Solving Ordinary
// Differential Equations I, II.9). The error of the method is a series in powers of the length of its substeps: in all
// of them (`power` 1: any consistent method of first order; 1, 2, 3, ... substeps), or in the even ones (`power` 2:
// symmetric methods; 2, 4, 6, ... substeps). Each row adds `power` to the order.
//
// Whatever a method of first order has built in, constraints and complementarity included, is extrapolated too (Lubich,
// Nowak, Poehle and Engstler, 1995) as long as the motion is smooth. Where it is not, the rows disagree and the step is
// made shorter, until the kink lies in a step so short that first order is enough. A jump of the forces the rows may
// agree about, all of them wrong: the method has to tell it.
#ifndef TS_MATH_EXTRAPOLATION_H
#define TS_MATH_EXTRAPOLATION_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

// The method: from (t, y) over h in `substeps` equal ones to `end`. False: that is not possible; the step is then made
// shorter, as long as `hint` of the extrapolation says where the method has set it.
typedef bool ts_extrapolated_method(void *user, double t, const double *y, double h, int substeps, double *end);

// With more rows than 7 (power 1) or 8 (power 2) the round-off of the first ones, which the last differences magnify,
// would no longer be below 1e-12 and 1e-13.
enum { TS_EXTRAPOLATION_ROWS = 8 };

typedef struct ts_extrapolation {
  size_t size;
  size_t controlled; // the first components of y, which the error is estimated from
  ts_extrapolated_method *method;
  void *user;
  int power;                            // of the length of a substep in which the method's error is a series
  int most;                             // rows
  double tolerance;                     // of a component, over 1 + |y| at the start of the step
  double shortest;                      // no shorter step is tried; 0: round-off of time sets the limit
  double step;                          // proposed for the next step; 0: to be found
  double hint;                          // longest step that may do after the method has failed; INFINITY: not known
  int rows;                             // in which it is expected to converge
  int row;                              // that is being made, from 1; 0: none
  double *table[TS_EXTRAPOLATION_ROWS]; // T_j1 ... T_jj of the last row j
  double *end;
  double *trial; // end of the step
  int taken;     // rows that the last step took
  long substeps, rejected;
} ts_extrapolation;

// Memory from the arena, for `size` components. Relative and absolute tolerance are one number, `power` is 1 or 2.
void ts_extrapolation_init(ts_extrapolation *x, size_t size, size_t controlled, int power,
                           ts_extrapolated_method *method, void *user, double tolerance, ts_arena *arena);

// The state after exactly h from (t, y) in x->trial, by `rows` rows (at least 2), whatever its error. Returns the
// estimated error over the tolerance (weighted root mean square), INFINITY where the method fails.
double ts_extrapolation_attempt(ts_extrapolation *x, double t, const double *y, double h, int rows);

// One step from (t, y) toward `end`, as long as the tolerance allows. On return y is unchanged, x->trial holds the new
// state, x->taken the number of rows, and the length of the step is returned; 0 when no step is short enough.
double ts_extrapolation_step(ts_extrapolation *x, double t, const double *y, double end);

#endif
