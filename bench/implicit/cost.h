// What the steps of a scene file cost.
#ifndef BENCH_IMPLICIT_COST_H
#define BENCH_IMPLICIT_COST_H

#include <stdbool.h>

// A scene file; steps of fixed length
typedef struct cost_scene {
  const char *name;
  const char *path;
  bool single;           // one body on a plane: a step has a target
  const char *parameter; // "NAME=VALUE" to set, or NULL
} cost_scene;

// NULL past the last one
const cost_scene *cost_scene_at(int i);

typedef struct cost {
  int steps;           // of a run
  bool whole;          // to the end of the scene, and not to the time limit alone
  double median, best; // CPU time of a step, of the runs [us]
  double worst;        // step of the last run [us]
  double unknowns;     // mean over the steps
  int most_unknowns;   // of a step
  double iterations;   // mean over the steps
  int most_iterations; // of a step
  double fell_back;    // share of steps with a problem that was solved from points or by points
  double cut;          // share of steps that were taken in parts
  int uncertified;     // steps of a run
  double deepest;      // overlap [m]
} cost;

typedef struct cost_options {
  int runs;
  double time_limit; // CPU time of a run [s]; where the first takes it all there is no other
} cost_options;

// `method`: the stepper, in place of the scene's
cost cost_measure(const cost_scene *scene, const char *method, const cost_options *options);

// One run between the marks that callgrind is told of, of `most` steps at most. Returns its steps.
int cost_instructions(const cost_scene *scene, const char *method, int most);

#endif
