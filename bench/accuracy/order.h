// What a series of errors says: the order of convergence, and what an error costs.
#ifndef BENCH_ACCURACY_ORDER_H
#define BENCH_ACCURACY_ORDER_H

#include "measure.h"

typedef struct fitted_order {
  double slope;    // of log error over log h; NAN: fewer than three sizes to fit
  double scatter;  // standard deviation of log2 error about the line
  int first, last; // sizes that it is fitted to
  bool irregular;  // errors scatter by more than a factor of 1.2
  bool at_floor;   // some errors are at the floor, of round-off or of the reference
} fitted_order;

fitted_order order_fit(const measurement *m);

// CPU time for a relative error, interpolated in the logarithms [s]; NAN where no size reaches it. `*at_most`: the
// largest size measured has it already.
double order_time_for(const measurement *m, double error, bool *at_most);

#endif
