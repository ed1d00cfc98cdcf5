// Where a run goes: rows of the three tables, then the end. One file a format.
#ifndef TS_RECORD_SINK_H
#define TS_RECORD_SINK_H

#include "record/layout.h"
#include "record/outcome.h"

typedef struct ts_sink ts_sink;

// What is written when all rows are.
typedef struct ts_run_rest {
  const double *checkpoint; // of the simulation; kept where the format can
  size_t checkpoint_size;
  const ts_run_ending *ending; // or NULL
} ts_run_rest;

typedef struct ts_sink_functions {
  // Append a row (column_count[table] numbers).
  ts_status (*append)(ts_sink *sink, ts_run_table table, const double *row, ts_error *error);
  // Complete the files and put them in place. The sink is gone after it.
  ts_status (*finish)(ts_sink *sink, const ts_run_rest *rest, ts_error *error);
  void (*discard)(ts_sink *sink); // remove everything; the sink is gone after it
  // From now on the file goes to another name in the same folder. NULL where a format has several.
  ts_status (*redirect)(ts_sink *sink, const char *path, ts_error *error);
} ts_sink_functions;

struct ts_sink {
  const ts_sink_functions *functions;
};

// The layout must outlive the sink; its vocabularies may grow. On failure *sink is NULL and nothing is left behind.
ts_status ts_hdf5_sink_create(const char *path, const ts_run_layout *layout, ts_sink **sink, ts_error *error);
ts_status ts_csv_sink_create(const char *path, const ts_run_layout *layout, ts_sink **sink, ts_error *error);

#endif
