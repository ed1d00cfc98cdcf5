/// Tables of studies read back: a row a trial, as ts_study_pack() leaves them, in HDF5 or CSV. docs/formats/table.md
/// describes the files.
///
/// A CSV table is numbers alone: of such a one units are "", nobody knows which columns are parameters and which are
/// results (TS_TABLE_ROLE_UNKNOWN), and there is no design.
#ifndef TOUCHSTONE_TABLE_H
#define TOUCHSTONE_TABLE_H

#include "touchstone/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A table in memory. Any number of threads may ask it.
typedef struct ts_table ts_table;

/// What a column is.
typedef enum ts_table_role {
  TS_TABLE_ROLE_TRIAL,   ///< the trial's number
  TS_TABLE_ROLE_GRID,    ///< a parameter that is an axis of the grid, or goes along with one
  TS_TABLE_ROLE_RANDOM,  ///< a parameter that is drawn
  TS_TABLE_ROLE_DERIVED, ///< a parameter that follows from others
  TS_TABLE_ROLE_RESULT,  ///< a result of the study
  TS_TABLE_ROLE_OTHER,   ///< what every table has: end, steps, uncertified, residual, attempt; and seconds
  TS_TABLE_ROLE_UNKNOWN  ///< a parameter or a result
} ts_table_role;

/// How the trials of a study were chosen.
typedef struct ts_table_design {
  ts_sampling sampling;
  uint64_t samples; ///< draws for every point of the grid
  uint64_t cells;   ///< points of the grid; 1 where nothing is one
  uint64_t trials;  ///< of the study; a table that was made before its end has fewer rows
  const char *seed; ///< a whole number as text
  int axis_count;
  const uint64_t *axis_sizes; ///< points of each axis (axis_count); the last one goes round first
} ts_table_design;

/// Whether a file is a table, by what it begins with: runs may have the same endings.
TS_API bool ts_table_recognizes(const char *path);

/// Read a table, and the times beside it where there are such. On failure *table is NULL. Release with
/// ts_table_close().
TS_API ts_status ts_table_open(const char *path, ts_table **table, ts_error *error);
/// Read the table of a study. Roles, axes and units of its columns are those of the study, also in CSV, which does not
/// hold them. Otherwise the same as ts_table_open().
TS_API ts_status ts_study_open_table(const ts_study *study, const char *path, ts_table **table, ts_error *error);
TS_API void ts_table_close(ts_table *table); ///< accepts NULL

TS_API const char *ts_table_name(const ts_table *table); ///< of the study; "" where it has none or nobody knows
TS_API int ts_table_row_count(const ts_table *table);    ///< in the order of trials; some may be missing
/// How the trials were chosen; NULL where nobody knows. Valid as long as the table.
TS_API const ts_table_design *ts_table_design_of(const ts_table *table);

/// trial, the parameters, the results, then end (a number of ts_trial_end), steps, uncertified, residual and attempt,
/// and seconds where the times are there.
TS_API int ts_table_column_count(const ts_table *table);
/// Name of a column; valid as long as the table.
TS_API const char *ts_table_column_name(const ts_table *table, int column);
/// Its unit; "" where there is none.
TS_API const char *ts_table_column_unit(const ts_table *table, int column);
/// What it is.
TS_API ts_table_role ts_table_column_role(const ts_table *table, int column);
/// Number of the axis that a parameter of the grid belongs to, from 0 on; -1 of all others.
TS_API int ts_table_column_axis(const ts_table *table, int column);
/// Its numbers (ts_table_row_count()); NAN where there is none. Valid as long as the table.
TS_API const double *ts_table_column_values(const ts_table *table, int column);
/// The first column of that name; -1: there is none.
TS_API int ts_table_find_column(const ts_table *table, const char *name);

/// How a trial ended.
TS_API ts_trial_end ts_table_row_end(const ts_table *table, int row);
/// What it was stopped by, which limit it met, or why it failed; "" where there is nothing to say. Valid as long as the
/// table.
TS_API const char *ts_table_row_text(const ts_table *table, int row);

#ifdef __cplusplus
}
#endif

#endif
