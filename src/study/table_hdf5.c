// Reading a table from HDF5; hdf5_source.h says what is let in.
#include "study/table.h"

#include "study/design.h"

#include "record/hdf5_names.h"
#include "record/hdf5_source.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ts_status no_table(const ts_hdf5_source *s, const char *attribute)
{
  return ts_fail(s->error, TS_INVALID, "this HDF5 file is no %s: it has no attribute %s", s->what, attribute);
}

// ---- what is said once ---------------------------------------------------------------------------------------------

static ts_status check_format(const ts_hdf5_source *s, const char *attribute, int wanted)
{
  int format;
  if (!ts_hdf5_read_number(s->file, attribute, H5T_INTEGER, H5T_NATIVE_INT, &format)) return no_table(s, attribute);
  if (format == wanted) return TS_OK;
  return ts_fail(s->error, TS_UNSUPPORTED, "this %s is of format %d; only format %d can be read", s->what, format,
                 wanted);
}

// A text of an attribute; false where there is none. Free it.
static bool read_text(hid_t object, const char *name, char **text)
{
  ts_vocabulary words = {0};
  const bool read = ts_hdf5_read_words(object, name, &words) && words.count == 1;
  if (read) {
    *text = words.names[0];
    words.names[0] = NULL;
  }
  ts_vocabulary_release(&words);
  return read;
}

static bool read_whole(const ts_hdf5_source *s, const char *name, uint64_t *value)
{
  return ts_hdf5_read_number(s->file, name, H5T_INTEGER, H5T_NATIVE_UINT64, value);
}

static int find_word(const char *const *words, int count, const char *text)
{
  for (int i = 0; i < count; ++i)
    if (strcmp(words[i], text) == 0) return i;
  return -1;
}

static ts_status read_about(const ts_hdf5_source *s, ts_table *table)
{
  ts_table_design *design = &table->design;
  char *sampling = NULL;
  const bool read =
      read_text(s->file, TS_TABLE_NAME, &table->name) && read_text(s->file, TS_TABLE_SEED, &table->seed) &&
      read_text(s->file, TS_TABLE_SAMPLING, &sampling) && read_whole(s, TS_TABLE_SAMPLES, &design->samples) &&
      read_whole(s, TS_TABLE_CELLS, &design->cells) && read_whole(s, TS_TABLE_TRIALS, &design->trials);
  const int number = read ? find_word(ts_sampling_names, TS_SAMPLING_COUNT, sampling) : -1;
  free(sampling);
  if (number < 0 || design->samples < 1 || design->cells < 1 || design->trials > TS_MOST_TRIALS)
    return ts_fail(s->error, TS_INVALID, "an attribute of this table is missing or damaged");
  design->sampling = (ts_sampling)number;
  design->seed = table->seed;
  table->has_design = true;
  return TS_OK;
}

static ts_status read_open_axes(const ts_hdf5_source *s, const ts_hdf5_dataset *d, ts_table_design *design)
{
  TS_TRY(ts_hdf5_check_numbers(s, d));
  uint64_t cells = 1, *sizes = calloc((size_t)d->extent[0] + 1, sizeof *sizes);
  if (!sizes) return ts_hdf5_no_memory(s);
  design->axis_sizes = sizes;
  if (H5Dread(d->id, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, sizes) < 0)
    return ts_hdf5_cannot_read(s, d->path);
  design->axis_count = (int)d->extent[0];
  for (int i = 0; i < design->axis_count; ++i) {
    if (sizes[i] < 1 || sizes[i] > TS_MOST_TRIALS / cells)
      return ts_hdf5_refuse(s, d->path, "does not fit the points of the grid");
    cells *= sizes[i];
  }
  return cells == design->cells ? TS_OK : ts_hdf5_refuse(s, d->path, "does not fit the points of the grid");
}

static ts_status read_axes(const ts_hdf5_source *s, ts_table_design *design)
{
  ts_hdf5_dataset d;
  if (!ts_hdf5_link_exists(s, TS_TABLE_AXES) && design->cells == 1) return TS_OK;
  TS_TRY(ts_hdf5_open_dataset(s, TS_TABLE_AXES, 1, &d));
  const ts_status status = read_open_axes(s, &d, design);
  ts_hdf5_close_dataset(&d);
  return status;
}

// ---- columns -------------------------------------------------------------------------------------------------------

// Names of columns are names of links: nothing that leads elsewhere.
static ts_status read_names(const ts_hdf5_source *s, const char *path, ts_vocabulary *names)
{
  if (!ts_hdf5_link_exists(s, path)) return TS_OK;
  TS_TRY(ts_hdf5_read_text_dataset(s, path, names));
  for (int i = 0; i < names->count; ++i)
    if (!ts_table_is_name(names->names[i], strlen(names->names[i])))
      return ts_hdf5_refuse(s, path, "has a name that columns cannot have");
  return TS_OK;
}

static ts_status make_columns(const ts_hdf5_source *s, const ts_vocabulary *parameters, const ts_vocabulary *results,
                              ts_table *table)
{
  bool made = ts_table_make_columns(table, parameters->count + results->count);
  int column = 1;
  for (int i = 0; i < parameters->count && made; ++i)
    made = ts_table_set_column(table, column++, parameters->names[i], TS_TABLE_NAME_SIZE, TS_TABLE_ROLE_UNKNOWN);
  for (int i = 0; i < results->count && made; ++i)
    made = ts_table_set_column(table, column++, results->names[i], TS_TABLE_NAME_SIZE, TS_TABLE_ROLE_RESULT);
  return made ? TS_OK : ts_hdf5_no_memory(s);
}

static ts_status read_unit(const ts_hdf5_source *s, const ts_hdf5_dataset *d, ts_table_column *column)
{
  char *unit;
  if (H5Aexists(d->id, TS_HDF5_UNIT) <= 0) return TS_OK;
  if (!read_text(d->id, TS_HDF5_UNIT, &unit)) return ts_hdf5_refuse(s, d->path, "has a unit that is no text");
  free(column->unit);
  column->unit = unit;
  return TS_OK;
}

static ts_status read_role(const ts_hdf5_source *s, const ts_hdf5_dataset *d, const ts_table_design *design,
                           ts_table_column *column)
{
  static const char *const kinds[] = TS_TABLE_KINDS;
  static const ts_table_role roles[] = {TS_TABLE_ROLE_GRID, TS_TABLE_ROLE_RANDOM, TS_TABLE_ROLE_DERIVED};
  char *kind = NULL;
  const int number = read_text(d->id, TS_TABLE_KIND, &kind) ? find_word(kinds, 3, kind) : -1;
  free(kind);
  if (number < 0) return ts_hdf5_refuse(s, d->path, "does not say what kind of parameter it is");
  column->role = roles[number];
  if (column->role != TS_TABLE_ROLE_GRID) return TS_OK;
  if (!ts_hdf5_read_number(d->id, TS_TABLE_AXIS, H5T_INTEGER, H5T_NATIVE_INT, &column->axis) || column->axis < 0 ||
      column->axis >= design->axis_count)
    return ts_hdf5_refuse(s, d->path, "is of an axis that there is not");
  return TS_OK;
}

static ts_status read_numbers(const ts_hdf5_source *s, const ts_hdf5_dataset *d, int rows, double *values)
{
  TS_TRY(ts_hdf5_check_numbers(s, d));
  TS_TRY(ts_hdf5_check_rows(s, d, rows));
  if (H5Dread(d->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    return ts_hdf5_cannot_read(s, d->path);
  return TS_OK;
}

static ts_status read_column(const ts_hdf5_source *s, const char *path, ts_table *table, int column)
{
  ts_hdf5_dataset d;
  ts_table_column *about = &table->columns[column];
  TS_TRY(ts_hdf5_open_dataset(s, path, 1, &d));
  ts_status status = read_numbers(s, &d, table->rows, ts_table_column_at(table, column));
  if (status == TS_OK) status = read_unit(s, &d, about);
  if (status == TS_OK && about->role == TS_TABLE_ROLE_UNKNOWN) status = read_role(s, &d, &table->design, about);
  ts_hdf5_close_dataset(&d);
  return status;
}

static ts_status read_columns(const ts_hdf5_source *s, ts_table *table)
{
  for (int i = 0; i < table->column_count; ++i) {
    char path[TS_HDF5_LARGEST_PATH];
    const ts_table_column *column = &table->columns[i];
    const char *group = column->role == TS_TABLE_ROLE_UNKNOWN  ? TS_TABLE_PARAMETERS "/"
                        : column->role == TS_TABLE_ROLE_RESULT ? TS_TABLE_RESULTS "/"
                                                               : "";
    snprintf(path, sizeof path, "%s%s", group, column->name);
    TS_TRY(read_column(s, path, table, i));
  }
  return TS_OK;
}

// ---- outcomes ------------------------------------------------------------------------------------------------------

static ts_status check_ends(const ts_hdf5_source *s, const ts_table *table)
{
  const double *ends = ts_table_column_at(table, table->end_column);
  for (int i = 0; i < table->rows; ++i)
    if (!(ends[i] >= 0.0 && ends[i] < TS_TRIAL_END_COUNT && ends[i] == trunc(ends[i])))
      return ts_hdf5_refuse(s, TS_TABLE_END, "holds a number that is no end");
  return TS_OK;
}

// `count` texts from row `first` on, side by side.
static bool read_block(const ts_hdf5_dataset *d, hsize_t first, hsize_t count, char *block)
{
  const hid_t place = H5Dget_space(d->id), memory = H5Screate_simple(1, &count, NULL);
  const bool read = place >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(place, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
                    H5Dread(d->id, d->type, memory, place, H5P_DEFAULT, block) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (place >= 0) H5Sclose(place);
  return read;
}

// Texts go into the vocabulary of the table; numbers of the file lead to numbers there.
static ts_status read_texts(const ts_hdf5_source *s, const ts_hdf5_dataset *d, ts_vocabulary *words, int *numbers)
{
  size_t size;
  if (!ts_hdf5_is_fixed_text(d->type, &size)) return ts_hdf5_refuse(s, d->path, "does not hold text");
  const hsize_t most = d->chunk[0];
  char *block = malloc((size_t)most * size);
  ts_status status = block ? TS_OK : ts_hdf5_no_memory(s);
  for (hsize_t first = 0; first < d->extent[0] && status == TS_OK; first += most) {
    const hsize_t count = d->extent[0] - first < most ? d->extent[0] - first : most;
    if (!read_block(d, first, count, block)) status = ts_hdf5_cannot_read(s, d->path);
    for (size_t i = 0; i < count && status == TS_OK; ++i) {
      const char *text = block + i * size, *end = memchr(text, '\0', size);
      const int number = ts_vocabulary_add(words, text, end ? (size_t)(end - text) : size);
      if (number < 0) status = ts_hdf5_no_memory(s);
      numbers[first + i] = number;
    }
  }
  free(block);
  return status;
}

// Which text each row has: `values` (rows) are numbers of the file.
static ts_status number_rows(const ts_hdf5_source *s, const double *values, const int *numbers, hsize_t count,
                             ts_table *table)
{
  for (int i = 0; i < table->rows; ++i) {
    if (!(values[i] >= -1.0 && values[i] < (double)count && values[i] == trunc(values[i])))
      return ts_hdf5_refuse(s, TS_TABLE_TEXT, "holds a number that has no text");
    table->row_texts[i] = values[i] < 0.0 ? -1 : numbers[(int)values[i]];
  }
  return TS_OK;
}

static ts_status read_outcomes(const ts_hdf5_source *s, ts_table *table)
{
  ts_hdf5_dataset texts, column;
  TS_TRY(check_ends(s, table));
  TS_TRY(ts_hdf5_open_dataset(s, TS_TABLE_TEXTS, 1, &texts));
  int *numbers = calloc((size_t)texts.extent[0] + 1, sizeof *numbers);
  double *values = ts_table_column_at(table, table->column_count); // where seconds come later
  ts_status status = numbers ? read_texts(s, &texts, &table->texts, numbers) : ts_hdf5_no_memory(s);
  if (status == TS_OK) status = ts_hdf5_open_dataset(s, TS_TABLE_TEXT, 1, &column);
  if (status == TS_OK) {
    status = read_numbers(s, &column, table->rows, values);
    if (status == TS_OK) status = number_rows(s, values, numbers, texts.extent[0], table);
    ts_hdf5_close_dataset(&column);
  }
  ts_hdf5_close_dataset(&texts);
  free(numbers);
  return status;
}

// ---- the whole -----------------------------------------------------------------------------------------------------

// The first column says how many rows there are.
static ts_status count_rows(const ts_hdf5_source *s, int *rows)
{
  ts_hdf5_dataset d;
  TS_TRY(ts_hdf5_open_dataset(s, TS_TABLE_TRIAL, 1, &d));
  *rows = (int)d.extent[0];
  ts_hdf5_close_dataset(&d);
  return TS_OK;
}

static ts_status read_layout(const ts_hdf5_source *s, ts_table *table)
{
  ts_vocabulary parameters = {0}, results = {0};
  ts_status status = read_names(s, TS_TABLE_PARAMETER_NAMES, &parameters);
  if (status == TS_OK) status = read_names(s, TS_TABLE_RESULT_NAMES, &results);
  if (status == TS_OK) status = make_columns(s, &parameters, &results, table);
  ts_vocabulary_release(&parameters);
  ts_vocabulary_release(&results);
  return status;
}

static ts_status read_table(const ts_hdf5_source *s, ts_table *table)
{
  TS_TRY(check_format(s, TS_TABLE_ROOT, TS_TABLE_FORMAT));
  TS_TRY(read_about(s, table));
  TS_TRY(read_axes(s, &table->design));
  TS_TRY(read_layout(s, table));
  TS_TRY(count_rows(s, &table->rows));
  if (!ts_table_make_room(table, (size_t)table->rows)) return ts_hdf5_no_memory(s);
  TS_TRY(read_columns(s, table));
  return read_outcomes(s, table);
}

ts_status ts_table_read_hdf5(const char *path, ts_table *table, ts_error *error)
{
  ts_hdf5_account opened = {0};
  ts_hdf5_source s;
  TS_TRY(ts_hdf5_source_open(path, "table", &opened, &s, error));
  const ts_status status = read_table(&s, table);
  ts_hdf5_source_close(&s, status);
  return status;
}

bool ts_table_is_hdf5(const char *path)
{
  ts_hdf5_account opened = {0};
  ts_hdf5_source s;
  ts_error error;
  if (ts_hdf5_source_open(path, "table", &opened, &s, &error) != TS_OK) return false;
  const htri_t exists = H5Aexists(s.file, TS_TABLE_ROOT);
  ts_hdf5_source_close(&s, exists < 0 ? TS_IO : TS_OK); // below 0: the file is damaged
  return exists > 0;
}

// ---- times ---------------------------------------------------------------------------------------------------------

static ts_status read_time_column(const ts_hdf5_source *s, const char *path, int rows, double *values)
{
  ts_hdf5_dataset d;
  TS_TRY(ts_hdf5_open_dataset(s, path, 1, &d));
  const ts_status status = read_numbers(s, &d, rows, values);
  ts_hdf5_close_dataset(&d);
  return status;
}

static ts_status read_times(const ts_hdf5_source *s, const ts_table_times *to)
{
  int rows;
  TS_TRY(check_format(s, TS_TIMES_ROOT, TS_TIMES_FORMAT));
  TS_TRY(count_rows(s, &rows));
  double *values = malloc((2 * (size_t)rows + 1) * sizeof *values);
  if (!values) return ts_hdf5_no_memory(s);
  ts_status status = read_time_column(s, TS_TABLE_TRIAL, rows, values);
  if (status == TS_OK) status = read_time_column(s, TS_TABLE_SECONDS, rows, values + rows);
  if (status == TS_OK && !ts_table_trials_grow(values, rows))
    status = ts_hdf5_refuse(s, TS_TABLE_TRIAL, "does not hold whole numbers that grow");
  if (status == TS_OK) ts_table_take_times(to, values, values + rows, rows);
  free(values);
  return status;
}

ts_status ts_table_read_times_hdf5(const char *path, const ts_table_times *to, ts_error *error)
{
  ts_hdf5_account opened = {0};
  ts_hdf5_source s;
  TS_TRY(ts_hdf5_source_open(path, "file of times", &opened, &s, error));
  const ts_status status = read_times(&s, to);
  ts_hdf5_source_close(&s, status);
  return status;
}
