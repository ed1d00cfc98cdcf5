// A scene stepped by a stepper, at one size after the other: error, and CPU time of the steps.
#ifndef BENCH_ACCURACY_MEASURE_H
#define BENCH_ACCURACY_MEASURE_H

#include "suite.h"

#include <stdbool.h>

typedef struct measure_options {
  int most_sizes;
  int runs;          // of which the fastest counts; 0: no times are taken
  double time_limit; // CPU time of a run [s]; sizes that would take longer are left out
} measure_options;

typedef struct measured_size {
  double h, error;
  double duration; // of the scene [s]
  double seconds;  // of all steps; NAN: not measured
  int uncertified; // steps
} measured_size;

typedef struct measurement {
  const suite_scene *scene;
  const suite_stepper *stepper;
  measured_size at[MOST_SIZES]; // from the largest on
  int count;
  char refusal[512]; // why there is nothing at all, or nothing more; else empty
} measurement;

void measure(const suite_scene *scene, const suite_stepper *stepper, const measure_options *options, measurement *m);

#endif
