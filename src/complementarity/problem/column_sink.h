// Writing a matrix column after column, rows ascending, by one traversal that serves every storage: dense, the pattern
// of compressed columns, their values, or only their number.
#ifndef TS_COMPLEMENTARITY_PROBLEM_COLUMN_SINK_H
#define TS_COMPLEMENTARITY_PROBLEM_COLUMN_SINK_H

#include <stddef.h>

typedef struct ts_column_sink {
  double *dense; // the column being written, or NULL
  int *index;    // of all columns, or NULL
  double *value; // of all columns, or NULL
  size_t count;  // entries written
} ts_column_sink;

static inline void ts_put(ts_column_sink *sink, int row, double value)
{
  if (sink->dense) sink->dense[row] = value;
  if (sink->index) sink->index[sink->count] = row;
  if (sink->value) sink->value[sink->count] = value;
  ++sink->count;
}

#endif
