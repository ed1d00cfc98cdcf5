// Runs of engines on a scene: how good they are, and what a step costs.
#ifndef BENCH_STEP_MEASURE_H
#define BENCH_STEP_MEASURE_H

#include "engine.h"

typedef struct measurement {
  const engine *engine;
  bool ran;
  int stopped_after;   // steps after which it was stopped, taking too long; 0: it was not. Then `median` is their mean
  double median, best; // CPU time of a step over the blocks [us]
  double contacts;     // mean of the steps looked at
  int failed_steps;    // as the engine says; -1: it does not
  quality quality;
} measurement;

typedef struct measure_options {
  int blocks;        // timed
  double time_limit; // CPU time for an engine to settle a scene and be judged, and once more for its blocks [s]
} measure_options;

// Measure `count` engines: each has its quality judged, then rounds are timed in which every engine takes a block of
// steps in turn, so that whatever else the machine does meets all of them.
void measure_scene(const scene *s, const engine *const *engines, int count, const measure_options *options,
                   measurement *results);

// One block after the scene has settled, between the marks that callgrind is told of. Returns its steps.
int measure_instructions(const scene *s, const engine *e);

#endif
