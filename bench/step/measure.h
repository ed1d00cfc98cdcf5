// Runs of engines on a scene: how good they are, and what a step costs.
#ifndef BENCH_STEP_MEASURE_H
#define BENCH_STEP_MEASURE_H

#include "engine.h"

typedef struct measurement {
  const engine *engine;
  bool ran;
  double median, best; // CPU time of a step over the blocks [us]
  double contacts;     // mean of the steps looked at
  int failed_steps;    // as the engine says; -1: it does not
  quality quality;
} measurement;

// Measure `count` engines: each has its quality judged, then `blocks` rounds are timed in which every engine takes a
// block of steps in turn, so that whatever else the machine does meets all of them.
void measure_scene(const scene *s, const engine *const *engines, int count, int blocks, measurement *results);

// One block after the scene has settled, between the marks that callgrind is told of. Returns its steps.
int measure_instructions(const scene *s, const engine *e);

#endif
