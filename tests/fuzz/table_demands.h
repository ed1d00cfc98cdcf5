// What fuzz targets demand of a table that was read: every number of it can be, and a refusal has a sentence.
#ifndef TS_TESTS_FUZZ_TABLE_DEMANDS_H
#define TS_TESTS_FUZZ_TABLE_DEMANDS_H

#include "touchstone/table.h"

#include <stdlib.h>
#include <string.h>

static inline double sum_of_table(const ts_table *table)
{
  double sum = 0.0;
  const int rows = ts_table_row_count(table);
  for (int i = 0; i < ts_table_column_count(table); ++i) {
    const double *values = ts_table_column_values(table, i);
    for (int row = 0; row < rows; ++row) sum += values[row];
    sum += (double)strlen(ts_table_column_name(table, i)) + (double)strlen(ts_table_column_unit(table, i));
    if (ts_table_column_axis(table, i) >= 0)
      sum += (double)ts_table_design_of(table)->axis_sizes[ts_table_column_axis(table, i)];
  }
  for (int row = 0; row < rows; ++row) {
    if ((unsigned)ts_table_row_end(table, row) >= TS_TRIAL_END_COUNT) abort();
    sum += (double)strlen(ts_table_row_text(table, row));
  }
  return sum;
}

static inline void demand_table_or_sentence(const char *path)
{
  ts_table *table;
  ts_error error = {0};
  (void)ts_table_recognizes(path);
  const ts_status status = ts_table_open(path, &table, &error);
  if (status != TS_OK) {
    if (table || error.status != status || !error.text[0] || strchr(error.text, '\n')) abort();
    return;
  }
  volatile double sum = sum_of_table(table);
  (void)sum;
  ts_table_close(table);
}

#endif
