// One solver on one problem: what it reached, and the time of its fastest solve.
#ifndef BENCH_SOLVERS_MEASUREMENT_H
#define BENCH_SOLVERS_MEASUREMENT_H

#include "touchstone/problem.h"

#include <stdbool.h>

// The residual of a friction problem that solvers are compared at: FCLIB's figure, which is what Siconos stops at, or
// the larger of it and the scaled one, which is what the library certifies. Other problems have one residual.
typedef enum criterion { BY_FCLIB, BY_CERTIFICATE } criterion;

typedef enum measurement_end { ENDED, TIMED_OUT, CRASHED } measurement_end;

typedef struct measurement {
  measurement_end end;
  bool reached;   // `figure` is within the tolerance asked for
  double seconds; // what counts, see stopwatch; INFINITY as long as no solve ended
  double wall;    // of the fastest solve [s]
  double cpu;     // mean over the solves [s]: the clock may tick in milliseconds, so single ones say little
  double figure;  // the residual of the criterion
  double scaled;  // ts_problem_residual()
  double setting; // the tolerance the solver was given to get there
  int iterations; // as the solver counts them
  int solves;     // solves behind `wall` and `cpu`
} measurement;

measurement measurement_none(void);

// Forget the solves so far, keep what they reached.
void measurement_forget_times(measurement *m);

// Fill in the residuals of the point z, and whether `by` puts it within `tolerance`.
void measurement_certify(measurement *m, const ts_problem *problem, const double *z, criterion by, double tolerance);

// Reads the clocks at the start of a solve, and at its end enters the times in the measurement. What counts is the
// smallest wall time, or the mean CPU time where that is smaller and the solves together long enough for the ticks of
// its clock: on a machine that others use too, no repeat of a long solve goes undisturbed.
typedef struct stopwatch {
  double wall, cpu;
} stopwatch;

stopwatch stopwatch_start(void);
// Returns the CPU seconds of this solve, which is what the time for repeats is counted in.
double stopwatch_stop(const stopwatch *watch, measurement *m);

#endif
