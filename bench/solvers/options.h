// The command line of the benchmark.
#ifndef BENCH_SOLVERS_OPTIONS_H
#define BENCH_SOLVERS_OPTIONS_H

#include "measurement.h"

#include <stdbool.h>

typedef struct bench_options {
  const char *data;    // folder with lcp/, mlcp/, fc3d/, fclib/ and piles/
  const char *sets;    // comma separated, NULL: all
  const char *only;    // part of a problem's name, or a file; NULL: all
  const char *solvers; // comma separated parts of contenders' names, NULL: all
  const char *output;  // folder for the results
  criterion by;
  double tolerance;
  double time_limit; // [s] a problem and solver
  double prune;      // Siconos' solvers get at most this many times the best of them so far
  double repeat_for; // [s]
  int repeats;
  bool siconos;
} bench_options;

// Read the command line; prints help or what is wrong and ends the process where there is nothing to run.
bench_options bench_options_read(int argc, char **argv);

// Whether a contender of this name was asked for.
bool bench_options_want(const bench_options *options, const char *contender);

#endif
