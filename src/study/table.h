// A table in memory, as its readers fill it in.
#ifndef TS_STUDY_TABLE_H
#define TS_STUDY_TABLE_H

#include "touchstone/table.h"

#include "study/table_format.h"

#include "record/vocabulary.h"

typedef struct ts_table_column {
  char *name, *unit;
  ts_table_role role;
  int axis;
} ts_table_column;

struct ts_table {
  char *path; // it was read from
  char *name, *seed;
  ts_table_design design;
  bool has_design;
  int rows, column_count;
  int end_column;           // where the ends are
  ts_table_column *columns; // room for one more
  double *values;           // column after column, `stride` numbers each; room for one more
  size_t stride;
  ts_vocabulary texts;
  int *row_texts; // number of a text, or -1 (rows)
};

// Columns of a table with so many parameters and results; names, units and roles of these are set by
// ts_table_set_column(). Both return false when memory runs out.
bool ts_table_make_columns(ts_table *table, int between);
bool ts_table_set_column(ts_table *table, int column, const char *name, size_t length, ts_table_role role);
// Room for rows.
bool ts_table_make_room(ts_table *table, size_t rows);

// What the first column has to hold: whole numbers that grow.
bool ts_table_trials_grow(const double *trials, int rows);

static inline double *ts_table_column_at(const ts_table *table, int column)
{
  return table->values + (size_t)column * table->stride;
}

// Where a column behind the outcome is, TS_TABLE_STEPS or another: parameters and results may have the same names.
static inline int ts_table_last_column(const ts_table *table, int which)
{
  return table->end_column + 1 + which;
}

// Times of trials: `seconds` (rows) of the trials in the table. NAN where there is none.
typedef struct ts_table_times {
  const double *trials; // (rows), growing
  int rows;
  double *seconds;
} ts_table_times;
void ts_table_take_times(const ts_table_times *to, const double *trials, const double *seconds, int count);

// Fill a zeroed table, which the caller releases whatever is returned. `error` is not NULL.
ts_status ts_table_read_hdf5(const char *path, ts_table *table, ts_error *error);
ts_status ts_table_read_csv(const char *path, ts_table *table, ts_error *error);
ts_status ts_table_read_times_hdf5(const char *path, const ts_table_times *to, ts_error *error);
ts_status ts_table_read_times_csv(const char *path, const ts_table_times *to, ts_error *error);

// Whether a file begins as a table.
bool ts_table_is_hdf5(const char *path);
bool ts_table_is_csv(const char *path);

#endif
