// A whole run of an engine: fall, impact, creep and rest.
#ifndef BENCH_SCALE_FALL_H
#define BENCH_SCALE_FALL_H

#include "engine.h"

enum { FALL_PHASES = 5 }; // fifths of the run

typedef struct fall {
  bool complete;             // else it was stopped, taking too long
  int steps;                 // taken
  double mean, worst;        // CPU time of a step [s]
  double phase[FALL_PHASES]; // mean of each fifth of the run [s]
  double contacts;           // mean
  double early, late;        // deepest overlap in the first and in the second half of the run [m]
  int failed;                // steps that the engine says are not solved; -1: it does not say
} fall;

// Run `steps` steps, for at most `limit` seconds of CPU time.
fall fall_run(const scene *s, const engine *e, int steps, double limit);

#endif
