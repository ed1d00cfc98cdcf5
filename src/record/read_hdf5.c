// Reading a run from HDF5.
//
// libhdf5 trusts what it reads where there is no checksum. Only files of the format that we write are therefore let
// in: superblock 3, whose bookkeeping has checksums, and datasets in chunks with a checksum each, through none but the
// filters that we use; and none whose own seal is broken. Nothing is allocated for a claim that what is stored for it
// is too small to keep, and nothing beyond a bound on the whole.
#define _POSIX_C_SOURCE 200809L // stat
#include "record/record.h"

#include "record/hdf5_names.h"
#include "record/seal.h"

#include "hdf5/quiet.h"

#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
  LONGEST_ATTRIBUTE = 1 << 12, // bytes of a text
  LARGEST_CHUNK = 1 << 26,     // bytes in memory
  DEFLATE_BOUND = 1100,        // deflate makes nothing more than 1032 times smaller
  LARGEST_PATH = 64
};

static const uint64_t MOST_BYTES = (uint64_t)16 << 30; // of all numbers of a run in memory

// What was opened so far.
typedef struct account {
  uint64_t stored; // bytes in the file
  uint64_t taken;  // bytes in memory, as numbers
} account;

typedef struct source {
  hid_t file;
  uint64_t bytes;   // of the file
  uint64_t claimed; // what it says it has, without the seal
  account *account;
  ts_error *error;
} source;

static ts_status fail(const source *s, const char *path, const char *what)
{
  return ts_fail(s->error, TS_INVALID, "%s of this run %s", path, what);
}

static ts_status out_of_memory(const source *s)
{
  return ts_fail(s->error, TS_OUT_OF_MEMORY, "memory ran out");
}

// ---- attributes ----------------------------------------------------------------------------------------------------

// Read a scalar attribute of a class; false when there is none, or one of another kind.
static bool read_number_attribute(hid_t object, const char *name, H5T_class_t wanted, hid_t memory, void *value)
{
  if (H5Aexists(object, name) <= 0) return false;
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return false;
  const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const bool read = type >= 0 && space >= 0 && H5Tget_class(type) == wanted && H5Tget_size(type) <= 8 &&
                    H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, memory, value) >= 0;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  H5Aclose(attribute);
  return read;
}

// Texts of a fixed length, or a failure. *size is the length, without a zero byte behind it.
static bool is_fixed_text(hid_t type, size_t *size)
{
  if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return false;
  *size = H5Tget_size(type);
  return *size > 0;
}

// Texts side by side, each filled up with zeros: add them to a vocabulary. They must all be different.
static bool add_words(const char *text, size_t size, size_t count, ts_vocabulary *words)
{
  for (size_t i = 0; i < count; ++i) {
    const char *begin = text + i * size, *end = memchr(begin, '\0', size);
    const int before = words->count;
    if (ts_vocabulary_add(words, begin, end ? (size_t)(end - begin) : size) != before) return false;
  }
  return true;
}

static bool read_words(hid_t attribute, hid_t type, hid_t space, ts_vocabulary *words)
{
  size_t size;
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (!is_fixed_text(type, &size) || size > LONGEST_ATTRIBUTE || count < 0 || count > LONGEST_ATTRIBUTE) return false;
  char *text = calloc((size_t)count + 1, size);
  const bool read = text && H5Aread(attribute, type, text) >= 0 && add_words(text, size, (size_t)count, words);
  free(text);
  return read;
}

// Add the texts of an attribute to a vocabulary.
static bool read_words_attribute(hid_t object, const char *name, ts_vocabulary *words)
{
  if (H5Aexists(object, name) <= 0) return false;
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return false;
  const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const bool read = type >= 0 && space >= 0 && read_words(attribute, type, space, words);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  H5Aclose(attribute);
  return read;
}

// ---- datasets ------------------------------------------------------------------------------------------------------

typedef struct dataset {
  hid_t id;
  hid_t type; // in the file
  hsize_t extent[2];
  hsize_t chunk[2];
  size_t size; // bytes of an element in the file
  const char *path;
} dataset;

static void close_dataset(dataset *d)
{
  if (d->type >= 0) H5Tclose(d->type);
  if (d->id >= 0) H5Dclose(d->id);
}

// Whether a path "name" or "group/name" exists, by hard links: the others may lead out of the file.
static bool link_exists(const source *s, const char *path)
{
  char part[LARGEST_PATH];
  H5L_info_t info;
  const size_t group = strcspn(path, "/");
  snprintf(part, sizeof part, "%.*s", (int)group, path);
  if (H5Lexists(s->file, part, H5P_DEFAULT) <= 0 || H5Lget_info(s->file, part, &info, H5P_DEFAULT) < 0) return false;
  if (info.type != H5L_TYPE_HARD) return false;
  if (!path[group]) return true;
  if (H5Lexists(s->file, path, H5P_DEFAULT) <= 0 || H5Lget_info(s->file, path, &info, H5P_DEFAULT) < 0) return false;
  return info.type == H5L_TYPE_HARD;
}

// Also whether the filters make anything smaller.
static bool has_our_filters(hid_t properties, bool *deflates)
{
  const int count = H5Pget_nfilters(properties);
  bool checked = false;
  *deflates = false;
  for (int i = 0; i < count; ++i) {
    unsigned flags, settings;
    size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties, (unsigned)i, &flags, &values, NULL, 0, NULL, &settings);
    if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_FLETCHER32) return false;
    checked = checked || filter == H5Z_FILTER_FLETCHER32;
    *deflates = *deflates || filter == H5Z_FILTER_DEFLATE;
  }
  return checked;
}

static bool is_chunked_as_ours(hid_t id, int rank, hsize_t *chunk, bool *deflates)
{
  const hid_t properties = H5Dget_create_plist(id);
  if (properties < 0) return false;
  const bool ours = H5Pget_layout(properties) == H5D_CHUNKED && H5Pget_chunk(properties, rank, chunk) == rank &&
                    has_our_filters(properties, deflates);
  H5Pclose(properties);
  return ours;
}

static bool measure_extent(hid_t id, int rank, hsize_t *extent)
{
  const hid_t space = H5Dget_space(id);
  if (space < 0) return false;
  const bool measured = H5Sget_simple_extent_type(space) == H5S_SIMPLE && H5Sget_simple_extent_ndims(space) == rank &&
                        H5Sget_simple_extent_dims(space, extent, NULL) == rank;
  H5Sclose(space);
  return measured;
}

// No dataset is larger than what is stored for it could be, and no chunk larger than ours are. Several datasets may not
// claim the same bytes: each is opened twice at most.
static bool is_plausible(const source *s, const dataset *d, bool deflates)
{
  const uint64_t stored = (uint64_t)H5Dget_storage_size(d->id);
  s->account->stored += stored;
  if (s->account->stored > 2 * s->bytes) return false;
  const uint64_t most = stored * (deflates ? DEFLATE_BOUND : 1) / d->size;
  const bool fits =
      d->extent[0] <= INT_MAX && d->extent[1] <= INT_MAX && (d->extent[0] == 0 || d->extent[1] <= most / d->extent[0]);
  return fits && d->chunk[0] > 0 && d->chunk[1] > 0 && d->chunk[0] <= LARGEST_CHUNK / d->size &&
         d->chunk[1] <= LARGEST_CHUNK / d->size / d->chunk[0];
}

static ts_status measure_dataset(const source *s, int rank, dataset *d)
{
  d->id = H5Dopen2(s->file, d->path, H5P_DEFAULT);
  d->type = d->id >= 0 ? H5Dget_type(d->id) : -1;
  if (d->type < 0) return fail(s, d->path, "is not a dataset");
  d->size = H5Tget_size(d->type);
  if (!measure_extent(d->id, rank, d->extent)) return fail(s, d->path, "has a wrong number of dimensions");
  bool deflates;
  if (!is_chunked_as_ours(d->id, rank, d->chunk, &deflates))
    return fail(s, d->path, "is not stored as Touchstone does");
  if (d->size == 0 || !is_plausible(s, d, deflates)) return fail(s, d->path, "is larger than the file can hold");
  const uint64_t element = d->size > sizeof(double) ? d->size : sizeof(double);
  s->account->taken += d->extent[0] * d->extent[1] * element;
  if (s->account->taken > 2 * MOST_BYTES)
    return fail(s, d->path, "goes beyond the 16 GiB that a run may have in memory");
  return TS_OK;
}

// Open a dataset of one or two dimensions. Close it when TS_OK.
static ts_status open_dataset(const source *s, const char *path, int rank, dataset *d)
{
  *d = (dataset){.id = -1, .type = -1, .extent = {1, 1}, .chunk = {1, 1}, .path = path};
  if (!link_exists(s, path)) return fail(s, path, "is missing");
  const ts_status status = measure_dataset(s, rank, d);
  if (status != TS_OK) close_dataset(d);
  return status;
}

static ts_status check_numbers(const source *s, const dataset *d)
{
  const H5T_class_t class = H5Tget_class(d->type);
  if ((class == H5T_FLOAT || class == H5T_INTEGER) && d->size <= 8) return TS_OK;
  return fail(s, d->path, "does not hold numbers");
}

static ts_status check_rows(const source *s, const dataset *d, int rows)
{
  if (d->extent[0] == (hsize_t)rows) return TS_OK;
  return ts_fail(s->error, TS_INVALID, "%s of this run has %llu rows, expected are %d", d->path,
                 (unsigned long long)d->extent[0], rows);
}

static ts_status cannot_read(const source *s, const char *path)
{
  return ts_fail(s->error, TS_IO, "%s of this run is damaged: it cannot be read", path);
}

// Texts of a one-dimensional dataset into a vocabulary.
static ts_status read_texts(const source *s, const dataset *d, ts_vocabulary *words)
{
  size_t size;
  if (!is_fixed_text(d->type, &size)) return fail(s, d->path, "does not hold text");
  const size_t count = (size_t)d->extent[0];
  char *text = calloc(count + 1, size);
  if (!text) return out_of_memory(s);
  ts_status status = TS_OK;
  if (H5Dread(d->id, d->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
    status = cannot_read(s, d->path);
  else if (!add_words(text, size, count, words))
    status = fail(s, d->path, "names something twice");
  free(text);
  return status;
}

static ts_status read_text_dataset(const source *s, const char *path, ts_vocabulary *words)
{
  dataset d;
  TS_TRY(open_dataset(s, path, 1, &d));
  const ts_status status = read_texts(s, &d, words);
  close_dataset(&d);
  return status;
}

// ---- what is said once ---------------------------------------------------------------------------------------------

#define KIND_NAME(name, text, help) text,
static int find_kind(const char *text, size_t size)
{
  static const char *const kinds[] = {TS_BODY_KIND_LIST(KIND_NAME)};
  for (int k = 0; k < TS_BODY_KIND_COUNT; ++k)
    if (strlen(kinds[k]) <= size && strncmp(kinds[k], text, size) == 0) return k;
  return -1;
}
#undef KIND_NAME

static ts_status read_kinds(const source *s, const dataset *d, ts_run_body *bodies, int count)
{
  size_t size;
  if (!is_fixed_text(d->type, &size)) return fail(s, d->path, "does not hold text");
  TS_TRY(check_rows(s, d, count));
  char *text = calloc((size_t)count + 1, size);
  if (!text) return out_of_memory(s);
  ts_status status = TS_OK;
  if (H5Dread(d->id, d->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) status = cannot_read(s, d->path);
  for (int b = 0; b < count && status == TS_OK; ++b) {
    const int kind = find_kind(text + (size_t)b * size, size);
    if (kind < 0) status = fail(s, d->path, "names a kind that bodies cannot be of");
    bodies[b].kind = (ts_body_kind)kind;
  }
  free(text);
  return status;
}

static ts_status read_poses(const source *s, const dataset *d, ts_run_body *bodies, int count)
{
  TS_TRY(check_numbers(s, d));
  TS_TRY(check_rows(s, d, count));
  if (d->extent[1] != 7) return fail(s, d->path, "does not hold 7 numbers a body");
  ts_pose *poses = calloc((size_t)count + 1, sizeof *poses);
  if (!poses) return out_of_memory(s);
  ts_status status = TS_OK;
  if (H5Dread(d->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, poses) < 0) status = cannot_read(s, d->path);
  for (int b = 0; b < count; ++b) bodies[b].pose = poses[b];
  free(poses);
  return status;
}

static ts_status read_bodies(const source *s, const ts_vocabulary *names, ts_run_body *bodies)
{
  dataset d;
  for (int b = 0; b < names->count; ++b) bodies[b].name = names->names[b];
  TS_TRY(open_dataset(s, TS_HDF5_BODY_KINDS, 1, &d));
  ts_status status = read_kinds(s, &d, bodies, names->count);
  close_dataset(&d);
  TS_TRY(status);
  TS_TRY(open_dataset(s, TS_HDF5_BODY_POSES, 2, &d));
  status = read_poses(s, &d, bodies, names->count);
  close_dataset(&d);
  return status;
}

// The attributes of the root; the texts go to `words`, in a fixed order.
enum { SPACE, METHOD, SOLVER };

static ts_status read_about(const source *s, ts_run_setup *setup, ts_vocabulary words[static 3])
{
  int format;
  if (!read_number_attribute(s->file, TS_HDF5_FORMAT, H5T_INTEGER, H5T_NATIVE_INT, &format))
    return ts_fail(s->error, TS_INVALID, "this HDF5 file is no run: it has no attribute " TS_HDF5_FORMAT);
  if (format != TS_RUN_FORMAT)
    return ts_fail(s->error, TS_UNSUPPORTED, "this run is of format %d; only format %d can be read", format,
                   TS_RUN_FORMAT);
  if (!read_words_attribute(s->file, TS_HDF5_SPACE, &words[SPACE]) || words[SPACE].count != 1 ||
      !read_words_attribute(s->file, TS_HDF5_METHOD, &words[METHOD]) || words[METHOD].count != 1 ||
      !read_words_attribute(s->file, TS_HDF5_SOLVER, &words[SOLVER]) || words[SOLVER].count != 1 ||
      !read_number_attribute(s->file, TS_HDF5_STEP_SIZE, H5T_FLOAT, H5T_NATIVE_DOUBLE, &setup->step_size) ||
      !read_number_attribute(s->file, TS_HDF5_TOLERANCE, H5T_FLOAT, H5T_NATIVE_DOUBLE, &setup->tolerance))
    return ts_fail(s->error, TS_INVALID, "an attribute of this run is missing or damaged");
  setup->planar = strcmp(words[SPACE].names[0], "2d") == 0;
  setup->method = words[METHOD].names[0];
  setup->solver = words[SOLVER].names[0];
  return TS_OK;
}

static ts_status make_layout(const source *s, ts_run_setup *setup, const ts_vocabulary *names, ts_run_layout *layout)
{
  ts_run_body *bodies = calloc((size_t)names->count + 1, sizeof *bodies);
  if (!bodies) return out_of_memory(s);
  setup->body_count = names->count;
  setup->bodies = bodies;
  ts_status status = names->count > 0 ? read_bodies(s, names, bodies) : TS_OK;
  if (status == TS_OK) status = ts_run_layout_init(layout, setup, s->error);
  free(bodies);
  return status;
}

static ts_status read_setup(const source *s, ts_run_layout *layout)
{
  ts_run_setup setup = {0};
  ts_vocabulary about[3] = {{0}}, scene = {0}, names = {0};
  ts_status status = read_about(s, &setup, about);
  if (status == TS_OK && link_exists(s, TS_HDF5_SCENE)) status = read_text_dataset(s, TS_HDF5_SCENE, &scene);
  if (status == TS_OK && link_exists(s, TS_HDF5_BODY_NAMES)) status = read_text_dataset(s, TS_HDF5_BODY_NAMES, &names);
  if (scene.count > 0) setup.scene = scene.names[0];
  if (status == TS_OK) status = make_layout(s, &setup, &names, layout);
  for (int k = 0; k < 3; ++k) ts_vocabulary_release(&about[k]);
  ts_vocabulary_release(&scene);
  ts_vocabulary_release(&names);
  return status;
}

// ---- tables --------------------------------------------------------------------------------------------------------

// Numbers of names must have one.
static ts_status check_column(const source *s, const ts_run_layout *layout, const ts_column *column, const dataset *d,
                              const double *values, int rows)
{
  if (!ts_column_is_whole(column) || column->kind == TS_COLUMN_WHOLE) return TS_OK;
  for (int i = 0; i < rows; ++i)
    if (!(values[i] >= 0.0 && values[i] < layout->words[column->kind].count && values[i] == trunc(values[i])))
      return fail(s, d->path, "holds a number that has no name");
  return TS_OK;
}

static ts_status read_open_column(const source *s, const ts_column *column, const dataset *d, ts_record *record,
                                  ts_run_table table, double *values)
{
  TS_TRY(check_numbers(s, d));
  TS_TRY(check_rows(s, d, record->rows[table]));
  if (column->kind == TS_COLUMN_SOLVER && record->rows[table] > 0 &&
      !read_words_attribute(d->id, TS_HDF5_NAMES, &record->layout.words[TS_COLUMN_SOLVER]))
    return fail(s, d->path, "has no names");
  if (H5Dread(d->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) return cannot_read(s, d->path);
  return check_column(s, &record->layout, column, d, values, record->rows[table]);
}

static ts_status read_column(const source *s, ts_run_table table, int k, ts_record *record)
{
  char path[LARGEST_PATH];
  const ts_column *column = &record->layout.columns[table][k];
  snprintf(path, sizeof path, "%s/%s", ts_run_table_names[table], column->name);
  dataset d;
  TS_TRY(open_dataset(s, path, 1, &d));
  double *values = record->values[table] + (size_t)k * (size_t)record->rows[table];
  const ts_status status = read_open_column(s, column, &d, record, table, values);
  close_dataset(&d);
  return status;
}

// The first column of a table says how many rows there are.
static ts_status make_table(const source *s, ts_run_table table, ts_record *record)
{
  char path[LARGEST_PATH];
  snprintf(path, sizeof path, "%s/%s", ts_run_table_names[table], record->layout.columns[table][0].name);
  dataset d;
  TS_TRY(open_dataset(s, path, 1, &d));
  const int rows = (int)d.extent[0];
  close_dataset(&d);
  return ts_record_make_room(record, table, rows, s->error);
}

// `width` columns of the matrix from column `first` on.
static bool read_columns(const dataset *d, hsize_t first, hsize_t width, double *rows)
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
static ts_status transpose_matrix(const source *s, const dataset *d, double *values)
{
  const size_t rows = (size_t)d->extent[0], columns = (size_t)d->extent[1], width = (size_t)d->chunk[1];
  double *strip = malloc((rows * width + 1) * sizeof *strip);
  if (!strip) return out_of_memory(s);
  ts_status status = TS_OK;
  for (size_t first = 0; first < columns && status == TS_OK; first += width) {
    const size_t count = columns - first < width ? columns - first : width;
    if (!read_columns(d, (hsize_t)first, (hsize_t)count, strip)) status = cannot_read(s, d->path);
    for (size_t i = 0; i < rows; ++i)
      for (size_t k = 0; k < count; ++k) values[(first + k) * rows + i] = strip[i * count + k];
  }
  free(strip);
  return status;
}

static ts_status read_open_matrix(const source *s, const dataset *d, ts_record *record)
{
  const int rows = record->rows[TS_STATES];
  TS_TRY(check_numbers(s, d));
  TS_TRY(check_rows(s, d, rows));
  if (d->extent[1] != (hsize_t)(record->layout.column_count[TS_STATES] - 1) || d->chunk[1] > d->extent[1])
    return fail(s, d->path, "does not have a column for every quantity of every body");
  return rows > 0 ? transpose_matrix(s, d, record->values[TS_STATES] + rows) : TS_OK;
}

static ts_status read_states(const source *s, ts_record *record)
{
  TS_TRY(read_column(s, TS_STATES, 0, record));
  if (record->layout.column_count[TS_STATES] == 1) return TS_OK; // nothing moves
  dataset d;
  TS_TRY(open_dataset(s, "states/" TS_HDF5_VALUES, 2, &d));
  const ts_status status = read_open_matrix(s, &d, record);
  close_dataset(&d);
  return status;
}

static ts_status read_checkpoint(const source *s, ts_record *record)
{
  if (!link_exists(s, TS_HDF5_CHECKPOINT)) return TS_OK;
  dataset d;
  TS_TRY(open_dataset(s, TS_HDF5_CHECKPOINT, 1, &d));
  ts_status status = check_numbers(s, &d);
  if (status == TS_OK) {
    record->checkpoint_size = (size_t)d.extent[0];
    record->checkpoint = calloc(record->checkpoint_size + 1, sizeof *record->checkpoint);
    if (!record->checkpoint)
      status = out_of_memory(s);
    else if (H5Dread(d.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, record->checkpoint) < 0)
      status = cannot_read(s, d.path);
  }
  close_dataset(&d);
  return status;
}

static ts_status read_run(const source *s, ts_record *record)
{
  TS_TRY(read_setup(s, &record->layout));
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) TS_TRY(make_table(s, (ts_run_table)table, record));
  TS_TRY(read_states(s, record));
  for (int k = 0; k < TS_CONTACT_COLUMN_COUNT; ++k) TS_TRY(read_column(s, TS_CONTACTS, k, record));
  for (int k = 0; k < TS_STEP_COLUMN_COUNT; ++k) TS_TRY(read_column(s, TS_STEPS, k, record));
  return read_checkpoint(s, record);
}

// ---- the file ------------------------------------------------------------------------------------------------------

static ts_status check_superblock(const char *path, source *s)
{
  enum { VERSION = 8, WITH_CHECKSUMS = 3, END = 28 };
  struct stat about;
  unsigned char begin[END + 8] = {0};
  FILE *file = fopen(path, "rb");
  const size_t count = file ? fread(begin, 1, sizeof begin, file) : 0;
  if (file) fclose(file);
  if (count < sizeof begin || stat(path, &about) != 0) return ts_fail(s->error, TS_IO, "this HDF5 file is cut off");
  s->bytes = (uint64_t)about.st_size;
  for (int k = 7; k >= 0; --k) s->claimed = s->claimed << 8 | begin[END + k];
  if (begin[VERSION] >= WITH_CHECKSUMS) return TS_OK;
  return ts_fail(s->error, TS_INVALID, "this HDF5 file is no run: it is of an older format than runs are");
}

// Without locks: a folder that cannot be written must not keep anybody from reading.
static hid_t open_file(const char *path)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  hid_t file = -1;
  if (access >= 0 && H5Pset_file_locking(access, false, true) >= 0 &&
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
  if (access >= 0) H5Pclose(access);
  return file;
}

ts_status ts_record_read_hdf5(const char *path, ts_record *record, ts_error *error)
{
  account opened = {0};
  source s = {.file = -1, .account = &opened, .error = error};
  TS_TRY(check_superblock(path, &s));
  if (ts_seal_check(path, s.claimed) == TS_SEAL_BROKEN)
    return ts_fail(error, TS_IO, "this HDF5 file is damaged: its checksum does not fit its content");
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  s.file = open_file(path);
  ts_status status;
  if (s.file >= 0) {
    status = read_run(&s, record);
    H5Fclose(s.file);
  } else {
    status = ts_fail(error, TS_IO, "this HDF5 file is damaged or cut off");
  }
  if (status != TS_OK) ts_hdf5_end_quietly();
  ts_hdf5_speak_again(before);
  return status;
}
