// A run as HDF5. Rows are buffered until they fill a chunk of every column, which is then compressed and written at
// once: adding a row is a copy.
//
// The file is of the format of HDF5 1.10, whose bookkeeping has checksums, every chunk has one too (Fletcher 32), and
// the whole is sealed (seal.h): a damaged file is found out when it is read. Times of creation are not kept, so that
// equal runs are equal files.
#include "record/sink.h"

#include "record/hdf5_ending.h"
#include "record/hdf5_names.h"
#include "record/hdf5_output.h"
#include "record/hdf5_write.h"
#include "record/atomic_file.h"
#include "record/seal.h"

#include "hdf5/quiet.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  LARGEST_BUFFER = 1 << 19, // numbers of one table: 4 MiB
  MOST_ROWS = 4096,         // of a chunk
  FEWEST_ROWS = 16,
  CHUNK_NUMBERS = 1 << 13 // of a chunk of the state matrix: 64 KiB
};

// A dataset that grows by rows: one column of a table, or several as a matrix.
typedef struct field {
  hid_t dataset;
  int first, width; // columns
  bool matrix;
} field;

typedef struct buffered_table {
  field *fields;
  int field_count;
  int columns, rows_per_chunk, buffered;
  hsize_t written;
  double *rows;   // rows_per_chunk * columns
  double *packed; // one field of them, the widest fits
} buffered_table;

typedef struct hdf5_sink {
  ts_sink base;
  const ts_run_layout *layout;
  ts_atomic_file file;
  hid_t id; // of the file, or -1
  ts_hdf5_output output;
  buffered_table tables[TS_RUN_TABLE_COUNT];
  int refused; // errno: there was no room for what came last, which is not in the file. 0: all is
} hdf5_sink;

static ts_status out_of_memory(ts_error *error)
{
  return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
}

// Why it went wrong: the disk's reason, or else memory, for libhdf5 never hears of the former.
static ts_status cannot_write(const hdf5_sink *sink, ts_error *error)
{
  const int reason = sink->output.failure ? sink->output.failure : sink->refused;
  if (reason == 0) return out_of_memory(error);
  return ts_fail(error, TS_IO, "the file cannot be written: %s", strerror(reason));
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

static int smaller(int a, int b)
{
  return a < b ? a : b;
}

static int rows_per_chunk(int columns)
{
  const int rows = smaller(LARGEST_BUFFER / columns, MOST_ROWS);
  return rows > FEWEST_ROWS ? rows : FEWEST_ROWS;
}

// Columns of a chunk of a matrix, such that the chunks are about equal.
static int chunk_width(int columns, int rows)
{
  const int most = smaller(columns, CHUNK_NUMBERS / rows > 1 ? CHUNK_NUMBERS / rows : 1);
  const int chunks = (columns + most - 1) / most;
  return (columns + chunks - 1) / chunks;
}

static bool create_field(hid_t group, const char *name, hid_t type, int rows, field *f)
{
  const hsize_t width = (hsize_t)f->width, extent[2] = {0, width}, limit[2] = {H5S_UNLIMITED, width},
                chunk[2] = {(hsize_t)rows, (hsize_t)chunk_width(f->width, rows)};
  f->dataset = ts_hdf5_create_dataset(group, name, type, f->matrix ? 2 : 1, extent, limit, chunk);
  return f->dataset >= 0;
}

static bool create_column(hid_t group, const ts_column *column, int rows, field *f)
{
  const hid_t type = ts_column_is_whole(column) ? H5T_STD_I32LE : H5T_IEEE_F64LE;
  return create_field(group, column->name, type, rows, f) &&
         (!*column->unit || ts_hdf5_write_text(f->dataset, TS_HDF5_UNIT, column->unit));
}

// Every column is a dataset of its own, but those of states and joints: bodies may be many.
static bool create_fields(hid_t group, const ts_run_layout *layout, ts_run_table table, buffered_table *t)
{
  const int separate = ts_run_table_is_wide(table) ? 1 : t->columns;
  for (int k = 0; k < separate; ++k) {
    field *f = &t->fields[t->field_count++];
    *f = (field){.dataset = -1, .first = k, .width = 1};
    if (!create_column(group, &layout->columns[table][k], t->rows_per_chunk, f)) return false;
  }
  if (separate == t->columns) return true;
  field *f = &t->fields[t->field_count++];
  *f = (field){.dataset = -1, .first = separate, .width = t->columns - separate, .matrix = true};
  return create_field(group, TS_HDF5_VALUES, H5T_IEEE_F64LE, t->rows_per_chunk, f);
}

// Memory of a table whose fields stand.
static bool make_buffers(buffered_table *t)
{
  int widest = 0;
  for (int k = 0; k < t->field_count; ++k)
    if (t->fields[k].width > widest) widest = t->fields[k].width;
  t->rows = malloc((size_t)t->rows_per_chunk * (size_t)t->columns * sizeof *t->rows);
  t->packed = malloc((size_t)t->rows_per_chunk * (size_t)widest * sizeof *t->packed);
  return t->rows && t->packed;
}

static bool create_table(hid_t file, const ts_run_layout *layout, ts_run_table table, buffered_table *t)
{
  t->columns = layout->column_count[table];
  if (t->columns == 0) return true;
  t->rows_per_chunk = rows_per_chunk(t->columns);
  t->fields = calloc((size_t)t->columns, sizeof *t->fields);
  if (!t->fields) return false;
  const hid_t group = H5Gopen2(file, ts_run_table_names[table], H5P_DEFAULT);
  const bool created = group >= 0 && create_fields(group, layout, table, t);
  if (group >= 0) H5Gclose(group);
  return created && make_buffers(t);
}

static bool write_rows(const field *f, hsize_t at, hsize_t count, const double *values)
{
  const hsize_t width = (hsize_t)f->width, extent[2] = {at + count, width}, start[2] = {at, 0},
                size[2] = {count, width};
  if (H5Dset_extent(f->dataset, extent) < 0) return false;
  const hid_t place = H5Dget_space(f->dataset), memory = H5Screate_simple(f->matrix ? 2 : 1, size, NULL);
  const bool written = place >= 0 && memory >= 0 &&
                       H5Sselect_hyperslab(place, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                       H5Dwrite(f->dataset, H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (place >= 0) H5Sclose(place);
  return written;
}

static void pack_field(const buffered_table *t, const field *f)
{
  const size_t width = (size_t)f->width;
  for (int row = 0; row < t->buffered; ++row)
    memcpy(t->packed + (size_t)row * width, t->rows + (size_t)row * (size_t)t->columns + f->first,
           width * sizeof *t->packed);
}

static bool flush_table(buffered_table *t)
{
  if (t->buffered == 0) return true;
  for (int k = 0; k < t->field_count; ++k) {
    pack_field(t, &t->fields[k]);
    if (!write_rows(&t->fields[k], t->written, (hsize_t)t->buffered, t->packed)) return false;
  }
  t->written += (hsize_t)t->buffered;
  t->buffered = 0;
  return true;
}

static void release_table(buffered_table *t)
{
  for (int k = 0; k < t->field_count; ++k)
    if (t->fields[k].dataset >= 0) H5Dclose(t->fields[k].dataset);
  free(t->fields);
  free(t->rows);
  free(t->packed);
  *t = (buffered_table){0};
}

// ---- room on the disk ----------------------------------------------------------------------------------------------

// libhdf5 gives room in the file away before it writes there, and cannot complete a file when that room does not exist.
// So rows are handed to it only when there is room for them, as if they could not be compressed, and for the end of the
// file: what came before can then be kept whatever happens.
enum { ROOM_TO_END = 1 << 15, ROOM_A_FIELD = 1 << 11 };

// A chunk is written whole; behind the rows it is zeros, of which next to nothing is left.
static haddr_t room_for(const buffered_table *t, int rows)
{
  const double chunks = (double)t->written / t->rows_per_chunk + 1.0;
  const haddr_t width = (haddr_t)t->columns * sizeof(double), numbers = (haddr_t)rows * width;
  const haddr_t zeros = (haddr_t)(t->rows_per_chunk - rows) * width;
  const haddr_t index = (haddr_t)t->field_count * (ROOM_A_FIELD + (haddr_t)(64.0 * sqrt(chunks)));
  return rows > 0 ? ROOM_TO_END + numbers + numbers / 128 + zeros / 256 + index : 0;
}

// Write the first of the buffered rows, all of them or as many as there is room for. False: some had to stay out
// (`refused`), or memory ran out.
static bool flush_where_room(hdf5_sink *sink, buffered_table *t)
{
  if (t->columns == 0) return true; // the run has no such table
  int rows = t->buffered, reason;
  while ((reason = ts_hdf5_output_reserve(&sink->output, room_for(t, rows))) != 0 && rows > 0) {
    if (sink->refused == 0) sink->refused = reason;
    rows /= 2;
  }
  const bool all = rows == t->buffered;
  t->buffered = rows;
  return flush_table(t) && sink->output.failure == 0 && all;
}

// ---- the sink ------------------------------------------------------------------------------------------------------

static ts_status append(ts_sink *base, ts_run_table table, const double *row, ts_error *error)
{
  hdf5_sink *sink = (hdf5_sink *)base;
  buffered_table *t = &sink->tables[table];
  if (sink->refused != 0) return cannot_write(sink, error); // a row must not come after one that is missing
  memcpy(t->rows + (size_t)t->buffered * (size_t)t->columns, row, (size_t)t->columns * sizeof *row);
  if (++t->buffered < t->rows_per_chunk) return TS_OK;
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  const bool written = flush_where_room(sink, t);
  ts_hdf5_speak_again(before);
  return written ? TS_OK : cannot_write(sink, error);
}

// Close the file. Whatever fails, the handles are gone.
static bool close_file(hdf5_sink *sink)
{
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) release_table(&sink->tables[table]);
  if (sink->id < 0) return false;
  const bool closed = H5Fclose(sink->id) >= 0;
  sink->id = -1;
  ts_hdf5_output_close(&sink->output);
  return closed && sink->output.failure == 0;
}

static void discard(ts_sink *base)
{
  hdf5_sink *sink = (hdf5_sink *)base;
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  ts_hdf5_output_drop(&sink->output);
  close_file(sink);
  ts_hdf5_speak_again(before);
  ts_atomic_file_discard(&sink->file);
  free(sink);
}

// Names of the numbers in a column, known only at the end: solvers are numbered as they are met.
static bool name_numbers(const hdf5_sink *sink)
{
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table)
    for (int k = 0; k < sink->tables[table].field_count; ++k) {
      const field *f = &sink->tables[table].fields[k];
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
    if (!flush_where_room(sink, &sink->tables[table]) && sink->refused == 0) return false;
  if (sink->refused == 0)
    sink->refused = ts_hdf5_output_reserve(&sink->output, ROOM_TO_END + 2 * extent * sizeof(double) +
                                                              ts_hdf5_room_for_ending(rest->ending));
  if (!name_numbers(sink)) return false;
  if (sink->refused == 0 &&
      !(ts_hdf5_write_dataset(sink->id, TS_HDF5_CHECKPOINT, H5T_NATIVE_DOUBLE, 1, &extent, rest->checkpoint) &&
        ts_hdf5_write_ending(sink->id, rest->ending)))
    return false;
  return close_file(sink);
}

// Seal the file that has been closed, and put it in place. One that is not all that was to be in it is kept too.
static ts_status keep(hdf5_sink *sink, ts_error *error)
{
  const int refused = sink->refused;
  sink->output.failure = ts_seal_write(sink->file.temporary);
  if (sink->output.failure != 0) return cannot_write(sink, error);
  TS_TRY(ts_atomic_file_commit(&sink->file, error));
  if (refused == 0) return TS_OK;
  return ts_fail(error, TS_IO, "the file is not complete: %s; what fits is kept, but cannot be resumed",
                 strerror(refused));
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
  return ts_atomic_file_redirect(&((hdf5_sink *)base)->file, path, error);
}

static const ts_sink_functions functions = {append, finish, discard, redirect};

static bool create_file(hdf5_sink *sink)
{
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  if (creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
    sink->id = ts_hdf5_output_create(sink->file.temporary, creation, &sink->output);
  if (creation >= 0) H5Pclose(creation);
  return sink->id >= 0;
}

static bool fill_file(hdf5_sink *sink)
{
  bool written = create_file(sink) && ts_hdf5_create_group(sink->id, TS_HDF5_BODIES);
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table)
    if (sink->layout->column_count[table] > 0)
      written = written && ts_hdf5_create_group(sink->id, ts_run_table_names[table]);
  written = written && write_about(sink->id, sink->layout) && write_bodies(sink->id, sink->layout) &&
            write_joints(sink->id, sink->layout);
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table)
    written = written && create_table(sink->id, sink->layout, (ts_run_table)table, &sink->tables[table]);
  sink->refused = ts_hdf5_output_reserve(&sink->output, ROOM_TO_END);
  return written && sink->refused == 0 && sink->output.failure == 0;
}

ts_status ts_hdf5_sink_create(const char *path, const ts_run_layout *layout, ts_sink **sink, ts_error *error)
{
  *sink = NULL;
  hdf5_sink *hdf5 = calloc(1, sizeof *hdf5);
  if (!hdf5) return out_of_memory(error);
  *hdf5 = (hdf5_sink){.base.functions = &functions, .layout = layout, .id = -1};
  ts_status status = ts_atomic_file_create(path, &hdf5->file, error);
  if (status == TS_OK) {
    const ts_hdf5_quiet before = ts_hdf5_be_quiet();
    if (!fill_file(hdf5)) status = cannot_write(hdf5, error);
    ts_hdf5_speak_again(before);
  }
  if (status == TS_OK)
    *sink = &hdf5->base;
  else
    discard(&hdf5->base);
  return status;
}
