// Curves that wait until it is known which of them are worth showing: those that vary most.
#ifndef TS_PLOT_CONTENDERS_H
#define TS_PLOT_CONTENDERS_H

#include "plot/figure.h"

#define TS_TIME_LABEL "time [s]"

typedef struct ts_contender {
  char *name;
  double *values; // own memory
  double variation;
  int rank; // in the order they came
} ts_contender;

// A zeroed struct has none.
typedef struct ts_contenders {
  ts_contender *list;
  int count;
} ts_contenders;

// Takes `values` over; does nothing without.
void ts_contenders_add(ts_contenders *c, const char *name, double *values, int count, ts_heap *heap);
// For it. NULL: memory ran out.
double *ts_contender_copy(const double *values, int count, ts_heap *heap);

// Move the contenders into a panel of their own, if there are any.
void ts_contenders_show(ts_contenders *c, const char *label, const double *times, int count, ts_figure *figure);

#endif
