// The inside of a verification.
#ifndef TS_STUDY_VERIFICATION_H
#define TS_STUDY_VERIFICATION_H

#include "touchstone/verify.h"

#include "study/design.h"
#include "study/manifest.h"
#include "study/scene_trial.h"

// A level: an expression, or simulations.
typedef struct ts_level {
  const char *name;
  const ts_expression *when; // of the designs' columns and then of the scene's parameters; NULL: the level simulates
  bool asks_scene;           // the expression uses parameters of the scene
  ts_scene_trials trials;    // columns: those of designs, then those of what is uncertain; one result
  double share;              // of a design's runs that have to succeed
  int most_failures;         // after more of them a design is given up; -1: all runs are made
  ts_manifest manifest;      // what its runs depend on
} ts_level;

struct ts_verification {
  ts_arena memory;
  const char *name;
  ts_design designs, uncertain;
  ts_manifest uncertain_manifest; // what the second one depends on
  ts_level *levels;
  int level_count;
  uint64_t naive; // designs that levels are measured on without what comes before; 0: none
};

// Results of a design at a level: runs that were made, those that succeeded and their share of all, those that broke
// off with a sentence, and the first, from 0, that did not succeed (NAN: all did).
enum { TS_RUNS, TS_SUCCESSES, TS_SHARE, TS_BROKEN, TS_FIRST_FAILURE, TS_LEVEL_RESULTS };

// Columns of a level's table beside the parameters of designs: the number of the design, which is the first, and those
// results.
#define TS_LEVEL_DESIGN "design"
extern const char *const ts_level_result_names[TS_LEVEL_RESULTS];

#endif
