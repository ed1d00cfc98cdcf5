// A run as HDF5: its tables (hdf5_table.h) in a file of hdf5_file.h, and what is said once beside them.
#include "record/sink.h"

#include "record/hdf5_ending.h"
#include "record/hdf5_file.h"
#include "record/hdf5_names.h"
#include "record/hdf5_table.h"
#include "record/hdf5_write.h"

#include "hdf5/quiet.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

typedef struct hdf5_sink {
  ts_sink base;
  const ts_run_layout *layout;
  ts_hdf5_file file;
  ts_hdf5_table tables[TS_RUN_TABLE_COUNT];
  int refused; // errno: there was no room for what came last, which is not in the file. 0: all is
} hdf5_sink;

static ts_status out_of_memory(ts_error *error)
{
  return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
}

static ts_status cannot_write(const hdf5_sink *sink, ts_error *error)
{
  return ts_hdf5_file_cannot_write(&sink->file, sink->refused, error);
}

// ---- what is said once ---------------------------------------------------------------------------------------------

static bool write_about(hid_t file, const ts_run_layout *layout)
{
  const int format = TS_RUN_FORMAT;
  return ts_hdf5_write_number(file, TS_HDF5_FORMAT, H5T_NATIVE_INT, &format) &&
         ts_hdf5_write_text(file, TS_HDF5_VERSION, ts_version()) &&
         ts_hdf5_write_text(file, TS_HDF5_SPACE, layout->planar ? "2d" : "3d") &&
         ts_hdf5_write_number(file, TS_HDF5_STEP_SIZE, H5T_NATIVE_DOUBLE, &layout->step_size) &&
         ts_hdf5_write_number(file, TS_HDF5_TOLERANCE, H5T_NATIVE_DOUBLE, &layout->tolerance) &&
         ts_hdf5_write_text(file, TS_HDF5_METHOD, layout->method ? layout->method : "") &&
         ts_hdf5_write_text(file, TS_HDF5_SOLVER, layout->solver ? layout->solver : "") &&
         (!layout->scene || ts_hdf5_write_names(file, TS_HDF5_SCENE, &layout->scene, 1));
}

#define KIND_NAME(name, text, help) text,
static bool write_kinds(hid_t file, const ts_run_layout *layout)
{
  static char *const kinds[] = {TS_BODY_KIND_LIST(KIND_NAME)};
  const int count = ts_run_body_count(layout);
  char **names = calloc((size_t)count + 1, sizeof *names);
  if (!names) return false;
  for (int b = 0; b < count; ++b) names[b] = kinds[layout->kinds[b]];
  const bool written = ts_hdf5_write_names(file, TS_HDF5_BODY_KINDS, names, count);
  free(names);
  return written;
}
#undef KIND_NAME

// ts_pose is 7 doubles without gaps: x y z, qw qx qy qz.
static bool write_bodies(hid_t file, const ts_run_layout *layout)
{
  _Static_assert(sizeof(ts_pose) == 7 * sizeof(double), "poses are written as they lie in memory");
  const ts_vocabulary *bodies = &layout->words[TS_COLUMN_BODY];
  const hsize_t extent[2] = {(hsize_t)bodies->count, 7};
  return ts_hdf5_write_names(file, TS_HDF5_BODY_NAMES, bodies->names, bodies->count) && write_kinds(file, layout) &&
         ts_hdf5_write_dataset(file, TS_HDF5_BODY_POSES, H5T_NATIVE_DOUBLE, 2, extent, layout->poses) &&
         ts_hdf5_write_names(file, TS_HDF5_STATE_COLUMNS, layout->state_words.names + 1, layout->state_words.count - 1);
}

static bool write_measures(hid_t file, const ts_run_layout *layout)
{
  static char *const measures[] = TS_HDF5_MEASURES;
  char **names = calloc((size_t)layout->joint_count, sizeof *names);
  if (!names) return false;
  for (int j = 0; j < layout->joint_count; ++j) names[j] = measures[layout->measures[j]];
  const bool written = ts_hdf5_write_names(file, TS_HDF5_JOINT_KINDS, names, layout->joint_count);
  free(names);
  return written;
}

static bool write_joint_columns(hid_t file, const ts_run_layout *layout)
{
  const int count = layout->column_count[TS_JOINTS] - 1;
  char **names = calloc((size_t)count, sizeof *names);
  if (!names) return false;
  for (int k = 0; k < count; ++k) names[k] = (char *)layout->joint_columns[1 + k].name;
  const bool written = ts_hdf5_write_names(file, TS_HDF5_JOINT_COLUMNS, names, count);
  free(names);
  return written;
}

static bool write_joints(hid_t file, const ts_run_layout *layout)
{
  const ts_vocabulary *named = &layout->words[TS_COLUMN_JOINT];
  if (layout->joint_count > 0 &&
      !(ts_hdf5_write_names(file, TS_HDF5_JOINT_NAMES, layout->joint_names.names, layout->joint_count) &&
        write_measures(file, layout) && write_joint_columns(file, layout)))
    return false;
  return layout->column_count[TS_IMPACTS] == 0 || named->count == 0 ||
         ts_hdf5_write_names(file, TS_HDF5_IMPACT_JOINTS, named->names, named->count);
}

// ---- tables --------------------------------------------------------------------------------------------------------

// Every column is a dataset of its own, but those of states and joints: bodies may be many.
static bool create_fields(hid_t group, const ts_run_layout *layout, ts_run_table table, ts_hdf5_table *t)
{
  const int separate = ts_run_table_is_wide(table) ? 1 : t->columns;
  for (int k = 0; k < separate; ++k) {
    const ts_column *column = &layout->columns[table][k];
    const hid_t type = ts_column_is_whole(column) ? H5T_STD_I32LE : H5T_IEEE_F64LE;
    if (!ts_hdf5_table_add_column(t, group, column->name, type, column->unit)) return false;
  }
  return separate == t->columns || ts_hdf5_table_add_matrix(t, group, TS_HDF5_VALUES, H5T_IEEE_F64LE);
}

static bool create_table(hid_t file, const ts_run_layout *layout, ts_run_table table, ts_hdf5_table *t)
{
  if (layout->column_count[table] == 0) return true;
  if (!ts_hdf5_table_init(t, layout->column_count[table])) return false;
  const hid_t group = H5Gopen2(file, ts_run_table_names[table], H5P_DEFAULT);
  const bool created = group >= 0 && create_fields(group, layout, table, t);
  if (group >= 0) H5Gclose(group);
  return created && ts_hdf5_table_make_buffers(t);
}

// ---- the sink ------------------------------------------------------------------------------------------------------

static ts_status append(ts_sink *base, ts_run_table table, const double *row, ts_error *error)
{
  hdf5_sink *sink = (hdf5_sink *)base;
  ts_hdf5_table *t = &sink->tables[table];
  if (sink->refused != 0) return cannot_write(sink, error); // a row must not come after one that is missing
  if (!ts_hdf5_table_append(t, row)) return TS_OK;
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  const bool written = ts_hdf5_table_flush(t, &sink->file.output, &sink->refused);
  ts_hdf5_speak_again(before);
  return written ? TS_OK : cannot_write(sink, error);
}

// Close the file. Whatever fails, the handles are gone.
static bool close_file(hdf5_sink *sink)
{
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) ts_hdf5_table_release(&sink->tables[table]);
  return ts_hdf5_file_close(&sink->file);
}

static void discard(ts_sink *base)
{
  hdf5_sink *sink = (hdf5_sink *)base;
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  ts_hdf5_output_drop(&sink->file.output);
  close_file(sink);
  ts_hdf5_file_discard(&sink->file);
  ts_hdf5_speak_again(before);
  free(sink);
}

// Names of the numbers in a column, known only at the end: solvers are numbered as they are met.
static bool name_numbers(const hdf5_sink *sink)
{
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table)
    for (int k = 0; k < sink->tables[table].field_count; ++k) {
      const ts_hdf5_field *f = &sink->tables[table].fields[k];
      const ts_column_kind kind = sink->layout->columns[table][f->first].kind;
      if (kind != TS_COLUMN_MODE && kind != TS_COLUMN_SOLVER) continue; // bodies have their names elsewhere
      const ts_vocabulary *words = &sink->layout->words[kind];
      if (words->count > 0 && !ts_hdf5_write_words(f->dataset, TS_HDF5_NAMES, words)) return false;
    }
  return true;
}

// The rest of the rows and the checkpoint, as far as there is room; a state that belongs to rows which are missing is
// not one to resume from. False: the file cannot be completed.
static bool complete(hdf5_sink *sink, const ts_run_rest *rest)
{
  const hsize_t extent = (hsize_t)rest->checkpoint_size;
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table)
    if (!ts_hdf5_table_flush(&sink->tables[table], &sink->file.output, &sink->refused) && sink->refused == 0)
      return false;
  if (sink->refused == 0)
    sink->refused =
        ts_hdf5_output_reserve(&sink->file.output, TS_HDF5_ROOM_TO_END + 2 * extent * sizeof(double) +
                                                       ts_hdf5_room_for_ending(rest->ending));
  if (!name_numbers(sink)) return false;
  if (sink->refused == 0 &&
      !(ts_hdf5_write_dataset(sink->file.id, TS_HDF5_CHECKPOINT, H5T_NATIVE_DOUBLE, 1, &extent, rest->checkpoint) &&
        ts_hdf5_write_ending(sink->file.id, rest->ending)))
    return false;
  return close_file(sink);
}

// Seal the file that has been closed, and put it in place. One that is not all that was to be in it is kept too.
static ts_status keep(hdf5_sink *sink, ts_error *error)
{
  TS_TRY(ts_hdf5_file_commit(&sink->file, error));
  if (sink->refused == 0) return TS_OK;
  return ts_fail(error, TS_IO, "the file is not complete: %s; what fits is kept, but cannot be resumed",
                 strerror(sink->refused));
}

static ts_status finish(ts_sink *base, const ts_run_rest *rest, ts_error *error)
{
  hdf5_sink *sink = (hdf5_sink *)base;
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  const bool completed = complete(sink, rest);
  ts_hdf5_speak_again(before);
  const ts_status status = completed ? keep(sink, error) : cannot_write(sink, error);
  discard(base);
  return status;
}

static ts_status redirect(ts_sink *base, const char *path, ts_error *error)
{
  return ts_atomic_file_redirect(&((hdf5_sink *)base)->file.place, path, error);
}

static const ts_sink_functions functions = {append, finish, discard, redirect};

static bool fill_file(hdf5_sink *sink)
{
  const hid_t id = sink->file.id;
  bool written = ts_hdf5_create_group(id, TS_HDF5_BODIES);
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table)
    if (sink->layout->column_count[table] > 0) written = written && ts_hdf5_create_group(id, ts_run_table_names[table]);
  written =
      written && write_about(id, sink->layout) && write_bodies(id, sink->layout) && write_joints(id, sink->layout);
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table)
    written = written && create_table(id, sink->layout, (ts_run_table)table, &sink->tables[table]);
  sink->refused = ts_hdf5_output_reserve(&sink->file.output, TS_HDF5_ROOM_TO_END);
  return written && sink->refused == 0 && sink->file.output.failure == 0;
}

ts_status ts_hdf5_sink_create(const char *path, const ts_run_layout *layout, ts_sink **sink, ts_error *error)
{
  *sink = NULL;
  hdf5_sink *hdf5 = calloc(1, sizeof *hdf5);
  if (!hdf5) return out_of_memory(error);
  *hdf5 = (hdf5_sink){.base.functions = &functions, .layout = layout};
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  ts_status status = ts_hdf5_file_create(path, &hdf5->file, error);
  if (status == TS_OK && !fill_file(hdf5)) status = cannot_write(hdf5, error);
  ts_hdf5_speak_again(before);
  if (status == TS_OK)
    *sink = &hdf5->base;
  else
    discard(&hdf5->base);
  return status;
}
