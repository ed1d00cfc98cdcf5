// Tables of studies on disk: which format a name chooses, and what is where in an HDF5 table. docs/formats/table.md
// describes it for users.
#ifndef TS_STUDY_TABLE_FORMAT_H
#define TS_STUDY_TABLE_FORMAT_H

#include "touchstone/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { TS_TABLE_FORMAT = 1, TS_TIMES_FORMAT = 1 };

typedef enum ts_table_kind { TS_TABLE_HDF5, TS_TABLE_CSV, TS_TABLE_KIND_COUNT } ts_table_kind;

// TS_TABLE_KIND_COUNT: no format has names that end so.
ts_table_kind ts_table_kind_of(const char *path);
// How names of tables end.
ts_status ts_table_refuse_name(ts_error *error);

// The name of the times beside a table of such a name: NAME.times.h5. NULL: memory ran out. Release with free().
char *ts_table_times_name(const char *path);

enum { TS_TABLE_NAME_SIZE = 200 }; // bytes that the name of a column has at most, a zero byte included

// Whether every table has a column of that name, or its readers make one: neither parameters nor results can have it.
bool ts_table_has_name(const char *name);

// Whether a column may be called so: it is the name of a link in HDF5, and a word in sentences of one line.
bool ts_table_is_name(const char *name, size_t length);

// Attributes of the root.
#define TS_TABLE_ROOT     "touchstone_study" // TS_TABLE_FORMAT
#define TS_TIMES_ROOT     "touchstone_times" // TS_TIMES_FORMAT
#define TS_TABLE_VERSION  "version"
#define TS_TABLE_NAME     "name"
#define TS_TABLE_SAMPLING "sampling"
#define TS_TABLE_SEED     "seed"
#define TS_TABLE_SAMPLES  "samples"
#define TS_TABLE_CELLS    "cells"
#define TS_TABLE_TRIALS   "trials"

// What is said once.
#define TS_TABLE_STUDY           "study" // all that rows depend on, as text
#define TS_TABLE_AXES            "axes"  // how many points each axis of the grid has
#define TS_TABLE_PARAMETER_NAMES "parameter_names"
#define TS_TABLE_RESULT_NAMES    "result_names"
#define TS_TABLE_TEXTS           "texts"

// Groups with a dataset a column, and columns by themselves.
#define TS_TABLE_PARAMETERS "parameters"
#define TS_TABLE_RESULTS    "results"
#define TS_TABLE_TRIAL      "trial"
#define TS_TABLE_END        "end"
#define TS_TABLE_TEXT       "text"    // number of a row of TS_TABLE_TEXTS, or -1
#define TS_TABLE_OUTCOME    "outcome" // of CSV: end and text in one
#define TS_TABLE_SECONDS    "seconds"

// Attributes of parameters.
#define TS_TABLE_KIND "kind" // a word of TS_TABLE_KINDS
#define TS_TABLE_AXIS "axis" // of the grid: number of the axis, from 0 on

#define TS_TABLE_KINDS                                                                                                 \
  {                                                                                                                    \
    "grid", "random", "derived"                                                                                        \
  }

// Columns behind the outcome.
enum { TS_TABLE_STEPS, TS_TABLE_UNCERTIFIED, TS_TABLE_RESIDUAL, TS_TABLE_ATTEMPT, TS_TABLE_LAST_COUNT };
extern const char *const ts_table_last_names[TS_TABLE_LAST_COUNT];

#endif
