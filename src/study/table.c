#define _POSIX_C_SOURCE 200809L // access, strndup
#include "study/table.h"

#include "study/study.h"

#include "base/require.h"
#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- making --------------------------------------------------------------------------------------------------------

bool ts_table_set_column(ts_table *table, int column, const char *name, size_t length, ts_table_role role)
{
  ts_table_column *to = &table->columns[column];
  *to = (ts_table_column){.name = strndup(name, length), .unit = strdup(""), .role = role, .axis = -1};
  return to->name && to->unit;
}

static bool set_column(ts_table *table, int column, const char *name, ts_table_role role)
{
  return ts_table_set_column(table, column, name, strlen(name), role);
}

bool ts_table_make_columns(ts_table *table, int between)
{
  const int count = 1 + between + 1 + TS_TABLE_LAST_COUNT;
  table->columns = calloc((size_t)count + 1, sizeof *table->columns);
  if (!table->columns) return false;
  table->column_count = count;
  table->end_column = 1 + between;
  bool set = set_column(table, 0, TS_TABLE_TRIAL, TS_TABLE_ROLE_TRIAL) &&
             set_column(table, table->end_column, TS_TABLE_END, TS_TABLE_ROLE_OTHER);
  for (int i = 0; i < TS_TABLE_LAST_COUNT; ++i)
    set = set && set_column(table, ts_table_last_column(table, i), ts_table_last_names[i], TS_TABLE_ROLE_OTHER);
  return set;
}

bool ts_table_make_room(ts_table *table, size_t rows)
{
  table->stride = rows;
  table->values = malloc((rows * ((size_t)table->column_count + 1) + 1) * sizeof *table->values);
  table->row_texts = malloc((rows + 1) * sizeof *table->row_texts);
  return table->values && table->row_texts;
}

bool ts_table_trials_grow(const double *trials, int rows)
{
  for (int i = 0; i < rows; ++i)
    if (!(trials[i] >= 0.0 && trials[i] < TS_MOST_TRIALS && trials[i] == trunc(trials[i]) &&
          (i == 0 || trials[i] > trials[i - 1])))
      return false;
  return true;
}

// ---- times ---------------------------------------------------------------------------------------------------------

void ts_table_take_times(const ts_table_times *to, const double *trials, const double *seconds, int count)
{
  int k = 0;
  for (int i = 0; i < to->rows; ++i) {
    while (k < count && trials[k] < to->trials[i]) ++k;
    to->seconds[i] = k < count && trials[k] == to->trials[i] ? seconds[k] : NAN;
  }
}

// The file may be older or younger than the table: each row has its own time, or none.
static ts_status add_seconds(const char *path, ts_table_kind kind, ts_table *table, ts_error *error)
{
  const int column = table->column_count;
  const ts_table_times to = {ts_table_column_at(table, 0), table->rows, ts_table_column_at(table, column)};
  TS_TRY(kind == TS_TABLE_HDF5 ? ts_table_read_times_hdf5(path, &to, error)
                               : ts_table_read_times_csv(path, &to, error));
  ++table->column_count;
  ts_table_column *seconds = &table->columns[column];
  if (!set_column(table, column, TS_TABLE_SECONDS, TS_TABLE_ROLE_OTHER))
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  free(seconds->unit);
  seconds->unit = strdup("s");
  return seconds->unit ? TS_OK : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
}

static ts_status read_times(const char *path, ts_table_kind kind, ts_table *table, ts_error *error)
{
  char *times = ts_table_times_name(path);
  if (!times) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_status status = TS_OK;
  if (access(times, F_OK) == 0) status = add_seconds(times, kind, table, error);
  if (status != TS_OK) snprintf(error->file, sizeof error->file, "%s", times);
  free(times);
  return status;
}

// ---- reading -------------------------------------------------------------------------------------------------------

// By what a file begins with, and not by its name alone.
static ts_table_kind kind_of_file(const char *path)
{
  static const char mark[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  char begin[sizeof mark];
  FILE *file = fopen(path, "rb");
  const bool is_hdf5 =
      file && fread(begin, 1, sizeof begin, file) == sizeof begin && memcmp(begin, mark, sizeof mark) == 0;
  if (file) fclose(file);
  return is_hdf5 ? TS_TABLE_HDF5 : ts_table_kind_of(path);
}

bool ts_table_recognizes(const char *path)
{
  TS_REQUIRE(path);
  switch (kind_of_file(path)) {
  case TS_TABLE_HDF5:
    return ts_table_is_hdf5(path);
  case TS_TABLE_CSV:
    return ts_table_is_csv(path);
  default:
    return false;
  }
}

static ts_status read_table(const char *path, ts_table *table, ts_error *error)
{
  const ts_table_kind kind = kind_of_file(path);
  if (access(path, R_OK) != 0) return ts_fail(error, TS_IO, "the file cannot be opened: %s", strerror(errno));
  if (kind == TS_TABLE_KIND_COUNT) return ts_table_refuse_name(error);
  TS_TRY(kind == TS_TABLE_HDF5 ? ts_table_read_hdf5(path, table, error) : ts_table_read_csv(path, table, error));
  if (!ts_table_trials_grow(ts_table_column_at(table, 0), table->rows))
    return ts_fail(error, TS_INVALID, "the trials of this table are not whole numbers that grow");
  return read_times(path, kind, table, error);
}

ts_status ts_table_open(const char *path, ts_table **table, ts_error *error)
{
  ts_error unused;
  TS_REFUSE_UNLESS(table, error);
  *table = NULL;
  TS_REFUSE_UNLESS(path, error);
  if (!error) error = &unused;
  *error = (ts_error){0};
  ts_table *made = calloc(1, sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  made->path = strdup(path);
  const ts_status status =
      made->path ? read_table(path, made, error) : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  if (status == TS_OK)
    *table = made;
  else
    ts_table_close(made);
  return status;
}

// The role that pack_hdf5.c writes.
static ts_table_role role_of(const ts_design_column *column)
{
  return column->kind == TS_VARY_VALUES       ? TS_TABLE_ROLE_GRID
         : column->kind == TS_VARY_EXPRESSION ? TS_TABLE_ROLE_DERIVED
                                              : TS_TABLE_ROLE_RANDOM;
}

static bool describe_column(ts_table_column *to, const char *name, const char *unit, ts_table_role role, int axis)
{
  if (to->role != TS_TABLE_ROLE_UNKNOWN || strcmp(to->name, name) != 0) return true;
  char *copy = strdup(unit);
  if (!copy) return false;
  free(to->unit);
  *to = (ts_table_column){to->name, copy, role, axis};
  return true;
}

// Parameters come first, then results.
static bool describe_columns(const ts_study *study, ts_table *table)
{
  const ts_design *design = &study->design;
  const int between = table->end_column - 1;
  bool described = true;
  for (int i = 0; i < between && i < design->column_count + study->result_count; ++i) {
    const int result = i - design->column_count;
    const ts_design_column *from = result < 0 ? &design->columns[i] : NULL;
    described =
        described && (from ? describe_column(&table->columns[1 + i], from->name, from->unit, role_of(from), from->axis)
                           : describe_column(&table->columns[1 + i], study->results[result], study->units[result],
                                             TS_TABLE_ROLE_RESULT, -1));
  }
  return described;
}

ts_status ts_study_open_table(const ts_study *study, const char *path, ts_table **table, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  TS_TRY(ts_table_open(path, table, error));
  if (describe_columns(study, *table)) return TS_OK;
  ts_table_close(*table);
  *table = NULL;
  return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
}

void ts_table_close(ts_table *table)
{
  if (!table) return;
  for (int i = 0; i < table->column_count; ++i) {
    free(table->columns[i].name);
    free(table->columns[i].unit);
  }
  ts_vocabulary_release(&table->texts);
  free((uint64_t *)table->design.axis_sizes);
  free(table->columns);
  free(table->values);
  free(table->row_texts);
  free(table->path);
  free(table->name);
  free(table->seed);
  free(table);
}

// ---- asking --------------------------------------------------------------------------------------------------------

const char *ts_table_name(const ts_table *table)
{
  TS_REQUIRE(table);
  return table->name ? table->name : "";
}

int ts_table_row_count(const ts_table *table)
{
  TS_REQUIRE(table);
  return table->rows;
}

const ts_table_design *ts_table_design_of(const ts_table *table)
{
  TS_REQUIRE(table);
  return table->has_design ? &table->design : NULL;
}

int ts_table_column_count(const ts_table *table)
{
  TS_REQUIRE(table);
  return table->column_count;
}

const char *ts_table_column_name(const ts_table *table, int column)
{
  TS_REQUIRE(table);
  TS_REQUIRE(column >= 0 && column < table->column_count);
  return table->columns[column].name;
}

const char *ts_table_column_unit(const ts_table *table, int column)
{
  TS_REQUIRE(table);
  TS_REQUIRE(column >= 0 && column < table->column_count);
  return table->columns[column].unit;
}

ts_table_role ts_table_column_role(const ts_table *table, int column)
{
  TS_REQUIRE(table);
  TS_REQUIRE(column >= 0 && column < table->column_count);
  return table->columns[column].role;
}

int ts_table_column_axis(const ts_table *table, int column)
{
  TS_REQUIRE(table);
  TS_REQUIRE(column >= 0 && column < table->column_count);
  return table->columns[column].axis;
}

const double *ts_table_column_values(const ts_table *table, int column)
{
  TS_REQUIRE(table);
  TS_REQUIRE(column >= 0 && column < table->column_count);
  return ts_table_column_at(table, column);
}

int ts_table_find_column(const ts_table *table, const char *name)
{
  TS_REQUIRE(table);
  TS_REQUIRE(name);
  for (int i = 0; i < table->column_count; ++i)
    if (strcmp(table->columns[i].name, name) == 0) return i;
  return -1;
}

ts_trial_end ts_table_row_end(const ts_table *table, int row)
{
  TS_REQUIRE(table);
  TS_REQUIRE(row >= 0 && row < table->rows);
  return (ts_trial_end)ts_table_column_at(table, table->end_column)[row];
}

const char *ts_table_row_text(const ts_table *table, int row)
{
  TS_REQUIRE(table);
  TS_REQUIRE(row >= 0 && row < table->rows);
  return table->row_texts[row] >= 0 ? table->texts.names[table->row_texts[row]] : "";
}
