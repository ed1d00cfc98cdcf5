// Reading a run from HDF5.
#include "record/record.h"

#include "record/hdf5_ending.h"
#include "record/hdf5_names.h"
#include "record/hdf5_source.h"

#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what is said once ---------------------------------------------------------------------------------------------

// Words of a list that texts may be.
typedef struct word_list {
  const char *const *words;
  int count;
  const char *complaint; // about others
} word_list;

#define KIND_NAME(name, text, help) text,
static const char *const kind_names[] = {TS_BODY_KIND_LIST(KIND_NAME)}, *const measure_names[] = TS_HDF5_MEASURES;
#undef KIND_NAME
static const word_list kinds = {kind_names, TS_BODY_KIND_COUNT, "names a kind that bodies cannot be of"};
static const word_list measures = {measure_names, sizeof measure_names / sizeof *measure_names,
                                   "names something that coordinates of joints cannot be"};

static int find_word(const word_list *list, const char *text, size_t size)
{
  for (int k = 0; k < list->count; ++k)
    if (strlen(list->words[k]) <= size && strncmp(list->words[k], text, size) == 0) return k;
  return -1;
}

// Numbers of the words in the list (count).
static ts_status read_open_words(const ts_hdf5_source *s, const ts_hdf5_dataset *d, const word_list *list, int *numbers,
                                 int count)
{
  size_t size;
  if (!ts_hdf5_is_fixed_text(d->type, &size)) return ts_hdf5_refuse(s, d->path, "does not hold text");
  TS_TRY(ts_hdf5_check_rows(s, d, count));
  char *text = calloc((size_t)count + 1, size);
  if (!text) return ts_hdf5_no_memory(s);
  ts_status status = TS_OK;
  if (H5Dread(d->id, d->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) status = ts_hdf5_cannot_read(s, d->path);
  for (int i = 0; i < count && status == TS_OK; ++i) {
    numbers[i] = find_word(list, text + (size_t)i * size, size);
    if (numbers[i] < 0) status = ts_hdf5_refuse(s, d->path, list->complaint);
  }
  free(text);
  return status;
}

static ts_status read_word_numbers(const ts_hdf5_source *s, const char *path, const word_list *list, int *numbers,
                                   int count)
{
  ts_hdf5_dataset d;
  TS_TRY(ts_hdf5_open_dataset(s, path, 1, &d));
  const ts_status status = read_open_words(s, &d, list, numbers, count);
  ts_hdf5_close_dataset(&d);
  return status;
}

static ts_status read_kinds(const ts_hdf5_source *s, ts_run_body *bodies, int count)
{
  int *numbers = calloc((size_t)count + 1, sizeof *numbers);
  if (!numbers) return ts_hdf5_no_memory(s);
  const ts_status status = read_word_numbers(s, TS_HDF5_BODY_KINDS, &kinds, numbers, count);
  for (int b = 0; b < count; ++b) bodies[b].kind = (ts_body_kind)numbers[b];
  free(numbers);
  return status;
}

static ts_status read_joints(const ts_hdf5_source *s, const ts_vocabulary *names, ts_run_joint *joints)
{
  int *numbers = calloc((size_t)names->count + 1, sizeof *numbers);
  if (!numbers) return ts_hdf5_no_memory(s);
  const ts_status status = read_word_numbers(s, TS_HDF5_JOINT_KINDS, &measures, numbers, names->count);
  for (int j = 0; j < names->count; ++j)
    joints[j] = (ts_run_joint){names->names[j], (ts_joint_measure)numbers[j], false};
  free(numbers);
  return status;
}

static ts_status read_poses(const ts_hdf5_source *s, const ts_hdf5_dataset *d, ts_run_body *bodies, int count)
{
  TS_TRY(ts_hdf5_check_numbers(s, d));
  TS_TRY(ts_hdf5_check_rows(s, d, count));
  if (d->extent[1] != 7) return ts_hdf5_refuse(s, d->path, "does not hold 7 numbers a body");
  ts_pose *poses = calloc((size_t)count + 1, sizeof *poses);
  if (!poses) return ts_hdf5_no_memory(s);
  ts_status status = TS_OK;
  if (H5Dread(d->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, poses) < 0)
    status = ts_hdf5_cannot_read(s, d->path);
  for (int b = 0; b < count; ++b) bodies[b].pose = poses[b];
  free(poses);
  return status;
}

static ts_status read_bodies(const ts_hdf5_source *s, const ts_vocabulary *names, ts_run_body *bodies)
{
  ts_hdf5_dataset d;
  for (int b = 0; b < names->count; ++b) bodies[b].name = names->names[b];
  TS_TRY(read_kinds(s, bodies, names->count));
  TS_TRY(ts_hdf5_open_dataset(s, TS_HDF5_BODY_POSES, 2, &d));
  const ts_status status = read_poses(s, &d, bodies, names->count);
  ts_hdf5_close_dataset(&d);
  return status;
}

// The attributes of the root; the texts go to `words`, in a fixed order.
enum { SPACE, METHOD, SOLVER };

static ts_status read_about(const ts_hdf5_source *s, ts_run_setup *setup, ts_vocabulary words[static 3])
{
  int format;
  if (!ts_hdf5_read_number(s->file, TS_HDF5_FORMAT, H5T_INTEGER, H5T_NATIVE_INT, &format))
    return ts_fail(s->error, TS_INVALID, "this HDF5 file is no run: it has no attribute " TS_HDF5_FORMAT);
  if (format != TS_RUN_FORMAT)
    return ts_fail(s->error, TS_UNSUPPORTED, "this run is of format %d; only format %d can be read", format,
                   TS_RUN_FORMAT);
  if (!ts_hdf5_read_words(s->file, TS_HDF5_SPACE, &words[SPACE]) || words[SPACE].count != 1 ||
      !ts_hdf5_read_words(s->file, TS_HDF5_METHOD, &words[METHOD]) || words[METHOD].count != 1 ||
      !ts_hdf5_read_words(s->file, TS_HDF5_SOLVER, &words[SOLVER]) || words[SOLVER].count != 1 ||
      !ts_hdf5_read_number(s->file, TS_HDF5_STEP_SIZE, H5T_FLOAT, H5T_NATIVE_DOUBLE, &setup->step_size) ||
      !ts_hdf5_read_number(s->file, TS_HDF5_TOLERANCE, H5T_FLOAT, H5T_NATIVE_DOUBLE, &setup->tolerance))
    return ts_fail(s->error, TS_INVALID, "an attribute of this run is missing or damaged");
  setup->planar = strcmp(words[SPACE].names[0], "2d") == 0;
  setup->method = words[METHOD].names[0];
  setup->solver = words[SOLVER].names[0];
  return TS_OK;
}

static ts_status make_layout(const ts_hdf5_source *s, ts_run_setup *setup, const ts_vocabulary *names,
                             const ts_vocabulary *joint_names, ts_run_layout *layout)
{
  ts_run_body *bodies = calloc((size_t)names->count + 1, sizeof *bodies);
  ts_run_joint *joints = calloc((size_t)joint_names->count + 1, sizeof *joints);
  setup->body_count = names->count;
  setup->bodies = bodies;
  setup->joint_count = joint_names->count;
  setup->joints = joints;
  setup->locates_impacts = ts_hdf5_link_exists(s, ts_run_table_names[TS_IMPACTS]);
  ts_status status = bodies && joints ? TS_OK : ts_hdf5_no_memory(s);
  if (status == TS_OK && names->count > 0) status = read_bodies(s, names, bodies);
  if (status == TS_OK && joint_names->count > 0) status = read_joints(s, joint_names, joints);
  if (status == TS_OK) status = ts_run_layout_init(layout, setup, s->error);
  if (status == TS_OK && ts_hdf5_link_exists(s, TS_HDF5_IMPACT_JOINTS))
    status = ts_hdf5_read_text_dataset(s, TS_HDF5_IMPACT_JOINTS, &layout->words[TS_COLUMN_JOINT]);
  free(bodies);
  free(joints);
  return status;
}

static ts_status read_setup(const ts_hdf5_source *s, ts_run_layout *layout)
{
  ts_run_setup setup = {0};
  ts_vocabulary about[3] = {{0}}, scene = {0}, names = {0}, joints = {0};
  ts_status status = read_about(s, &setup, about);
  if (status == TS_OK && ts_hdf5_link_exists(s, TS_HDF5_SCENE))
    status = ts_hdf5_read_text_dataset(s, TS_HDF5_SCENE, &scene);
  if (status == TS_OK && ts_hdf5_link_exists(s, TS_HDF5_BODY_NAMES))
    status = ts_hdf5_read_text_dataset(s, TS_HDF5_BODY_NAMES, &names);
  if (status == TS_OK && ts_hdf5_link_exists(s, ts_run_table_names[TS_JOINTS]))
    status = ts_hdf5_read_text_dataset(s, TS_HDF5_JOINT_NAMES, &joints);
  if (scene.count > 0) setup.scene = scene.names[0];
  if (status == TS_OK) status = make_layout(s, &setup, &names, &joints, layout);
  for (int k = 0; k < 3; ++k) ts_vocabulary_release(&about[k]);
  ts_vocabulary_release(&scene);
  ts_vocabulary_release(&names);
  ts_vocabulary_release(&joints);
  return status;
}

// ---- tables --------------------------------------------------------------------------------------------------------

// Numbers of names must have one.
static ts_status check_column(const ts_hdf5_source *s, const ts_run_layout *layout, const ts_column *column,
                              const ts_hdf5_dataset *d, const double *values, int rows)
{
  if (!ts_column_is_whole(column) || column->kind == TS_COLUMN_WHOLE) return TS_OK;
  const double least = column->kind == TS_COLUMN_JOINT ? -1.0 : 0.0;
  for (int i = 0; i < rows; ++i)
    if (!(values[i] >= least && values[i] < layout->words[column->kind].count && values[i] == trunc(values[i])))
      return ts_hdf5_refuse(s, d->path, "holds a number that has no name");
  return TS_OK;
}

static ts_status read_open_column(const ts_hdf5_source *s, const ts_column *column, const ts_hdf5_dataset *d,
                                  ts_record *record, ts_run_table table, double *values)
{
  TS_TRY(ts_hdf5_check_numbers(s, d));
  TS_TRY(ts_hdf5_check_rows(s, d, record->rows[table]));
  if (column->kind == TS_COLUMN_SOLVER && record->rows[table] > 0 &&
      !ts_hdf5_read_words(d->id, TS_HDF5_NAMES, &record->layout.words[TS_COLUMN_SOLVER]))
    return ts_hdf5_refuse(s, d->path, "has no names");
  if (H5Dread(d->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    return ts_hdf5_cannot_read(s, d->path);
  return check_column(s, &record->layout, column, d, values, record->rows[table]);
}

static ts_status read_column(const ts_hdf5_source *s, ts_run_table table, int k, ts_record *record)
{
  char path[TS_HDF5_LARGEST_PATH];
  const ts_column *column = &record->layout.columns[table][k];
  snprintf(path, sizeof path, "%s/%s", ts_run_table_names[table], column->name);
  ts_hdf5_dataset d;
  TS_TRY(ts_hdf5_open_dataset(s, path, 1, &d));
  double *values = record->values[table] + (size_t)k * (size_t)record->rows[table];
  const ts_status status = read_open_column(s, column, &d, record, table, values);
  ts_hdf5_close_dataset(&d);
  return status;
}

// The first column of a table says how many rows there are.
static ts_status make_table(const ts_hdf5_source *s, ts_run_table table, ts_record *record)
{
  char path[TS_HDF5_LARGEST_PATH];
  if (record->layout.column_count[table] == 0) return ts_record_make_room(record, table, 0, s->error);
  snprintf(path, sizeof path, "%s/%s", ts_run_table_names[table], record->layout.columns[table][0].name);
  ts_hdf5_dataset d;
  TS_TRY(ts_hdf5_open_dataset(s, path, 1, &d));
  const int rows = (int)d.extent[0];
  ts_hdf5_close_dataset(&d);
  return ts_record_make_room(record, table, rows, s->error);
}

// `width` columns of the matrix from column `first` on.
static bool read_columns(const ts_hdf5_dataset *d, hsize_t first, hsize_t width, double *rows)
{
  const hsize_t start[2] = {0, first}, size[2] = {d->extent[0], width};
  const hid_t place = H5Dget_space(d->id), memory = H5Screate_simple(2, size, NULL);
  const bool read = place >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(place, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                    H5Dread(d->id, H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, rows) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (place >= 0) H5Sclose(place);
  return read;
}

// Rows in the file, columns in memory: turned over one chunk's width at a time.
static ts_status transpose_matrix(const ts_hdf5_source *s, const ts_hdf5_dataset *d, double *values)
{
  const size_t rows = (size_t)d->extent[0], columns = (size_t)d->extent[1], width = (size_t)d->chunk[1];
  double *strip = malloc((rows * width + 1) * sizeof *strip);
  if (!strip) return ts_hdf5_no_memory(s);
  ts_status status = TS_OK;
  for (size_t first = 0; first < columns && status == TS_OK; first += width) {
    const size_t count = columns - first < width ? columns - first : width;
    if (!read_columns(d, (hsize_t)first, (hsize_t)count, strip)) status = ts_hdf5_cannot_read(s, d->path);
    for (size_t i = 0; i < rows; ++i)
      for (size_t k = 0; k < count; ++k) values[(first + k) * rows + i] = strip[i * count + k];
  }
  free(strip);
  return status;
}

static ts_status read_open_matrix(const ts_hdf5_source *s, const ts_hdf5_dataset *d, ts_run_table table,
                                  ts_record *record)
{
  const int rows = record->rows[table];
  TS_TRY(ts_hdf5_check_numbers(s, d));
  TS_TRY(ts_hdf5_check_rows(s, d, rows));
  if (d->extent[1] != (hsize_t)(record->layout.column_count[table] - 1) || d->chunk[1] > d->extent[1])
    return ts_hdf5_refuse(s, d->path,
                          table == TS_STATES ? "does not have a column for every quantity of every body"
                                             : "does not have a column for every quantity of every joint");
  return rows > 0 ? transpose_matrix(s, d, record->values[table] + rows) : TS_OK;
}

static ts_status read_wide_table(const ts_hdf5_source *s, ts_run_table table, ts_record *record)
{
  char path[TS_HDF5_LARGEST_PATH];
  TS_TRY(read_column(s, table, 0, record));
  if (record->layout.column_count[table] == 1) return TS_OK; // nothing moves
  snprintf(path, sizeof path, "%s/%s", ts_run_table_names[table], TS_HDF5_VALUES);
  ts_hdf5_dataset d;
  TS_TRY(ts_hdf5_open_dataset(s, path, 2, &d));
  const ts_status status = read_open_matrix(s, &d, table, record);
  ts_hdf5_close_dataset(&d);
  return status;
}

static ts_status read_table(const ts_hdf5_source *s, ts_run_table table, ts_record *record)
{
  if (record->layout.column_count[table] == 0) return TS_OK;
  if (ts_run_table_is_wide(table)) return read_wide_table(s, table, record);
  for (int k = 0; k < record->layout.column_count[table]; ++k) TS_TRY(read_column(s, table, k, record));
  return TS_OK;
}

// Joints are recorded with every state.
static ts_status check_joint_rows(const ts_hdf5_source *s, const ts_record *record)
{
  if (record->layout.joint_count == 0 || record->rows[TS_JOINTS] == record->rows[TS_STATES]) return TS_OK;
  return ts_hdf5_refuse(s, ts_run_table_names[TS_JOINTS], "does not have a row for every state");
}

static ts_status read_checkpoint(const ts_hdf5_source *s, ts_record *record)
{
  if (!ts_hdf5_link_exists(s, TS_HDF5_CHECKPOINT)) return TS_OK;
  ts_hdf5_dataset d;
  TS_TRY(ts_hdf5_open_dataset(s, TS_HDF5_CHECKPOINT, 1, &d));
  ts_status status = ts_hdf5_check_numbers(s, &d);
  if (status == TS_OK) {
    record->checkpoint_size = (size_t)d.extent[0];
    record->checkpoint = calloc(record->checkpoint_size + 1, sizeof *record->checkpoint);
    if (!record->checkpoint)
      status = ts_hdf5_no_memory(s);
    else if (H5Dread(d.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, record->checkpoint) < 0)
      status = ts_hdf5_cannot_read(s, d.path);
  }
  ts_hdf5_close_dataset(&d);
  return status;
}

static ts_status read_run(const ts_hdf5_source *s, ts_record *record)
{
  TS_TRY(read_setup(s, &record->layout));
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) TS_TRY(make_table(s, (ts_run_table)table, record));
  TS_TRY(check_joint_rows(s, record));
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) TS_TRY(read_table(s, (ts_run_table)table, record));
  TS_TRY(read_checkpoint(s, record));
  return ts_hdf5_read_ending(s, &record->ending);
}

// ---- the file ------------------------------------------------------------------------------------------------------

ts_status ts_record_read_hdf5(const char *path, ts_record *record, ts_error *error)
{
  ts_hdf5_account opened = {0};
  ts_hdf5_source s;
  TS_TRY(ts_hdf5_source_open(path, "run", &opened, &s, error));
  const ts_status status = read_run(&s, record);
  ts_hdf5_source_close(&s, status);
  return status;
}
