// Measuring in a child process, so that a solver that crashes, prints or never ends costs one entry of the table.
#ifndef BENCH_SOLVERS_ISOLATED_H
#define BENCH_SOLVERS_ISOLATED_H

#include "measurement.h"

// Where a job hands over what it has so far; the last one before it ends or is ended counts.
typedef struct publisher {
  int pipe;
} publisher;

void publish(const publisher *to, const measurement *m);

// Called by a job: end this process after so many seconds of CPU time from now on.
void isolated_limit_time(double seconds);

// Run `job` in a child that may use `limit` seconds of CPU time, with its output discarded.
measurement isolated_measure(void (*job)(const void *context, const publisher *to), const void *context, double limit);

#endif
