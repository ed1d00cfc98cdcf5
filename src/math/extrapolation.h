// Extrapolation of a one-step method of first order: over a step of length h it is run in 1, 2, 3, ... parts, and the
// results are continued to parts of length zero by Aitken and Neville (Deuflhard; Lubich, Nowak, Poehle and Engstler
// for mechanical systems with constraints, 1995). Whatever the method has built in, constraints and complementarity
// included, the result is of order j after j rows as long as the motion is smooth. Where it is not, the rows disagree
// and the step is made shorter, until the kink lies in a step so short that first order is enough. A jump of the forces
// the rows may agree about, all of them wrong: the method has to tell it.
#ifndef TS_MATH_EXTRAPOLATION_H
#define TS_MATH_EXTRAPOLATION_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

// The method: from (t, y) over h in `parts` equal parts to `end`. False: that is not possible; the step is then made
// shorter, as long as `hint` of the extrapolation says where the method has set it.
typedef bool ts_extrapolated_method(void *user, double t, const double *y, double h, int parts, double *end);

// With more rows the round-off of the first ones, which the last differences magnify, is no longer below 1e-12.
enum { TS_EXTRAPOLATION_ROWS = 7 };

typedef struct ts_extrapolation {
  size_t size;
  size_t controlled; // the first components of y, which the error is estimated from
  ts_extrapolated_method *method;
  void *user;
  double relative, absolute;            // tolerance of a component: relative |y| + absolute
  double step;                          // proposed for the next step; 0: to be found
  double hint;                          // longest step that may do after the method has failed; INFINITY: not known
  int rows;                             // in which it is expected to converge
  double *table[TS_EXTRAPOLATION_ROWS]; // T_j1 ... T_jj of the last row j
  double *end;
  double *trial; // end of the step
  int taken;     // rows that it took
  long parts, rejected;
} ts_extrapolation;

// Memory from the arena, for `size` components.
void ts_extrapolation_init(ts_extrapolation *x, size_t size, size_t controlled, ts_extrapolated_method *method,
                           void *user, double relative, double absolute, ts_arena *arena);

// The state after exactly h from (t, y) in x->trial, by `rows` rows (at least 2), whatever its error. Returns the
// estimated error over the tolerance (weighted root mean square), INFINITY where the method fails.
double ts_extrapolation_attempt(ts_extrapolation *x, double t, const double *y, double h, int rows);

// One step from (t, y) toward `end`, as long as the tolerance allows. On return y is unchanged, x->trial holds the new
// state, x->taken the number of rows, and the length of the step is returned; 0 when no step is short enough.
double ts_extrapolation_step(ts_extrapolation *x, double t, const double *y, double end);

#endif
