// Points of an axis from a CSV file: the first line has names of parameters, each other one a number for each.
#ifndef TS_STUDY_PARAMETER_TABLE_H
#define TS_STUDY_PARAMETER_TABLE_H

#include "document/node.h"

typedef struct ts_parameter_table {
  const char **names;    // (columns)
  ts_place *name_places; // (columns)
  double **values;       // of each column (rows)
  int **starts;          // of each column: which column of the file a value begins in (rows)
  int *lines;            // of each row: its line
  int columns, rows;
} ts_parameter_table;

// `name` is the value that has the file's name. Arrays are in the arena of `in`.
ts_status ts_parameter_table_read(ts_document_input *in, const ts_node *name, ts_parameter_table *table);

// Where a value stands.
ts_place ts_parameter_table_place(const ts_parameter_table *table, int column, int row);

#endif
