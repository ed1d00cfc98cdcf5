// Which parameters trial i has: points of a grid, random numbers beside them, and what follows from both.
//
// Trial i is sample i / cells at point i mod cells of the grid, so that more samples are more trials at the end. Its
// random numbers are functions of seed and i (or of seed, point and sample, where sequences are of samples).
#ifndef TS_STUDY_DESIGN_H
#define TS_STUDY_DESIGN_H

#include "touchstone/study.h"

#include "base/arena.h"
#include "expression/expression.h"
#include "sampling/distribution.h"
#include "study/manifest.h"

enum { TS_DESIGN_MOST_COLUMNS = 256 };

typedef struct ts_design_column {
  const char *name, *unit;
  ts_variation_kind kind;
  int axis;             // of values: number of the axis
  const double *values; // (size of the axis)
  int dimension;        // of random ones: which random number
  ts_distribution distribution;
  ts_expression *expression; // of other columns
} ts_design_column;

typedef struct ts_design {
  ts_design_column *columns;
  int column_count;
  int *order;          // in which columns are computed: what others follow from comes first (column_count)
  uint64_t *axis_size; // (axis_count); the last axis goes round first
  int axis_count;
  int dimensions; // random numbers of a trial
  ts_sampling sampling;
  uint64_t samples, seed;
  uint64_t cells;      // points of the grid
  uint64_t per_sample; // trials at a point for each sample: 1, of Saltelli's designs more
  uint64_t trials;
} ts_design;

extern const char *const ts_sampling_names[TS_SAMPLING_COUNT]; // in files

// Everything is copied into the arena. `column` (may be NULL) is which variation a failure is about, or -1.
ts_status ts_design_make(const ts_study_def *def, ts_arena *arena, ts_design *design, int *column, ts_error *error);

// The numbers of all columns (column_count).
ts_status ts_design_row(const ts_design *design, uint64_t trial, double *values, ts_error *error);

// Lines for all that the numbers depend on, with `prefix` before their keys. Returned is the one of the samples. Called
// in the C locale.
ts_manifest_line *ts_design_describe(const ts_study_def *def, const char *prefix, ts_manifest *manifest,
                                     ts_arena *arena);

// Whether more samples leave the trials that there are as they are.
bool ts_design_can_grow(const ts_design *design);

#endif
