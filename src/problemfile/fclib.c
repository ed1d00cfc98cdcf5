// FCLIB's HDF5 files: local problems (W, q, mu and optionally V, R, s) and global ones (M, H, f, w, mu and optionally
// G, b). Three things its documentation does not say, or says otherwise: in triplet matrices `i` holds rows and `p`
// columns; M may hold one triangle only; the group /solution is not a solution, so it is not read.
//
// The file lies in memory, so no claim in it can be larger than what it holds: a dataset must be stored in one piece
// within the file, and is read only after its size has been compared with the size of the file.
#include "problemfile/reader.h"

#include "problemfile/assemble.h"
#include "hdf5/image.h"
#include "hdf5/quiet.h"

#include "base/status.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct fclib {
  ts_reading *reading;
  hid_t file;
  size_t bytes;      // of the file
  const char *group; // "/fclib_local" or another
} fclib;

enum { PATH_SIZE = 96 }; // the longest of our paths has 40 characters

static ts_status fail(const fclib *f, ts_status status, const char *path, const char *what)
{
  return ts_fail(f->reading->scan.error, status, "%s %s", path, what);
}

static void make_path(const fclib *f, const char *folder, const char *name, char path[static PATH_SIZE])
{
  snprintf(path, PATH_SIZE, "%s/%s%s%s", f->group, folder, *folder ? "/" : "", name);
}

// Whether a path exists, by hard links all the way: the others may lead out of the file.
static bool link_exists(const fclib *f, const char *path)
{
  char part[PATH_SIZE];
  for (const char *end = strchr(path + 1, '/');; end = strchr(end + 1, '/')) {
    const size_t length = end ? (size_t)(end - path) : strlen(path);
    H5L_info_t info;
    memcpy(part, path, length);
    part[length] = '\0';
    if (H5Lexists(f->file, part, H5P_DEFAULT) <= 0) return false;
    if (H5Lget_info(f->file, part, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) return false;
    if (!end) return true;
  }
}

// A dataset that has been opened and measured.
typedef struct dataset {
  hid_t id;
  size_t count;
  char path[PATH_SIZE];
} dataset;

// Contiguous or compact, and inside this file.
static bool is_stored_plainly(hid_t id)
{
  const hid_t properties = H5Dget_create_plist(id);
  if (properties < 0) return false;
  const H5D_layout_t layout = H5Pget_layout(properties);
  const bool plain = (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties) == 0) || layout == H5D_COMPACT;
  H5Pclose(properties);
  return plain;
}

// Numbers in a one-dimensional (or scalar) dataset, or -1.
static hssize_t count_numbers(hid_t id)
{
  const hid_t space = H5Dget_space(id);
  if (space < 0) return -1;
  const bool flat = H5Sget_simple_extent_type(space) == H5S_SCALAR ||
                    (H5Sget_simple_extent_type(space) == H5S_SIMPLE && H5Sget_simple_extent_ndims(space) == 1);
  const hssize_t count = flat ? H5Sget_simple_extent_npoints(space) : -1;
  H5Sclose(space);
  return count;
}

// Bytes of one number when it is of the wanted class, else 0.
static size_t number_size(hid_t id, H5T_class_t wanted)
{
  const hid_t type = H5Dget_type(id);
  if (type < 0) return 0;
  const size_t size = H5Tget_class(type) == wanted ? H5Tget_size(type) : 0;
  H5Tclose(type);
  return size;
}

static ts_status measure_dataset(const fclib *f, H5T_class_t wanted, dataset *d)
{
  const size_t size = number_size(d->id, wanted);
  if (size == 0 || size > 16)
    return fail(f, TS_INVALID, d->path,
                wanted == H5T_INTEGER ? "does not hold whole numbers" : "does not hold numbers");
  const hssize_t count = count_numbers(d->id);
  if (count < 0) return fail(f, TS_INVALID, d->path, "is not a vector");
  if (!is_stored_plainly(d->id)) return fail(f, TS_INVALID, d->path, "is not stored in one piece within the file");
  if ((unsigned long long)count > f->bytes / size || H5Dget_storage_size(d->id) != (hsize_t)count * size)
    return fail(f, TS_INVALID, d->path, "is longer than the file can hold");
  d->count = (size_t)count;
  return TS_OK;
}

static ts_status open_dataset(const fclib *f, const char *folder, const char *name, H5T_class_t wanted, dataset *d)
{
  make_path(f, folder, name, d->path);
  if (!link_exists(f, d->path)) return fail(f, TS_INVALID, d->path, "is missing");
  d->id = H5Dopen2(f->file, d->path, H5P_DEFAULT);
  if (d->id < 0) return fail(f, TS_INVALID, d->path, "is not a dataset");
  const ts_status status = measure_dataset(f, wanted, d);
  if (status != TS_OK) H5Dclose(d->id);
  return status;
}

// Read, unless `status` says that something is wrong already; close in any case.
static ts_status read_and_close(const fclib *f, const dataset *d, ts_status status, hid_t type, void *values)
{
  if (status == TS_OK && H5Dread(d->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    status = fail(f, TS_IO, d->path, "cannot be read");
  H5Dclose(d->id);
  return status;
}

static ts_status check_length(const fclib *f, const dataset *d, size_t length, bool at_least)
{
  if (d->count == length || (at_least && d->count > length)) return TS_OK;
  return ts_fail(f->reading->scan.error, TS_INVALID, "%s holds %zu numbers, expected are %zu", d->path, d->count,
                 length);
}

static ts_status read_scalar(const fclib *f, const char *folder, const char *name, int low, int *value)
{
  dataset d;
  TS_TRY(open_dataset(f, folder, name, H5T_INTEGER, &d));
  TS_TRY(read_and_close(f, &d, check_length(f, &d, 1, false), H5T_NATIVE_INT, value));
  if (*value >= low) return TS_OK;
  return ts_fail(f->reading->scan.error, TS_INVALID, "%s is %d, it must be at least %d", d.path, *value, low);
}

static ts_status read_ints(const fclib *f, const char *folder, const char *name, size_t length, int low, int high,
                           int **values)
{
  dataset d;
  TS_TRY(open_dataset(f, folder, name, H5T_INTEGER, &d));
  *values = NULL;
  ts_status status = check_length(f, &d, length, true);
  if (status == TS_OK) status = ts_pool_ints(f->reading->scratch, d.count, values);
  TS_TRY(read_and_close(f, &d, status, H5T_NATIVE_INT, *values));
  for (size_t k = 0; k < length; ++k)
    if ((*values)[k] < low || (*values)[k] > high)
      return ts_fail(f->reading->scan.error, TS_INVALID, "entry %zu of %s is %d, allowed are %d to %d", k, d.path,
                     (*values)[k], low, high);
  return TS_OK;
}

// SIZE_MAX for `length`: as many as there are.
static ts_status read_doubles(const fclib *f, const char *folder, const char *name, size_t length, bool at_least,
                              ts_pool *memory, size_t *count, double **values)
{
  dataset d;
  TS_TRY(open_dataset(f, folder, name, H5T_FLOAT, &d));
  *values = NULL;
  ts_status status = length == SIZE_MAX ? TS_OK : check_length(f, &d, length, at_least);
  if (status == TS_OK) status = ts_pool_doubles(memory, d.count, values);
  TS_TRY(read_and_close(f, &d, status, H5T_NATIVE_DOUBLE, *values));
  if (count) *count = d.count;
  for (size_t k = 0; k < d.count; ++k)
    if (!isfinite((*values)[k]))
      return ts_fail(f->reading->scan.error, TS_INVALID, "entry %zu of %s is not a finite number", k, d.path);
  return TS_OK;
}

static ts_status read_vector(const fclib *f, const char *name, int length, const double **values)
{
  double *v;
  TS_TRY(read_doubles(f, "vectors", name, (size_t)length, false, f->reading->keep, NULL, &v));
  *values = v;
  return TS_OK;
}

enum { COLUMNS = -1, ROWS = -2 }; // nz of compressed matrices; 0 or more: triplets

static ts_status read_triplets(const fclib *f, const char *name, int count, ts_triplets *entries)
{
  int *row, *column;
  double *value;
  TS_TRY(read_ints(f, name, "i", (size_t)count, 0, entries->rows - 1, &row));
  TS_TRY(read_ints(f, name, "p", (size_t)count, 0, entries->columns - 1, &column));
  TS_TRY(read_doubles(f, name, "x", (size_t)count, true, f->reading->scratch, NULL, &value));
  TS_TRY(ts_triplets_init(entries, f->reading->scratch, entries->rows, entries->columns, (size_t)count));
  for (int e = 0; e < count; ++e) ts_triplets_add(entries, row[e], column[e], value[e]);
  return TS_OK;
}

// Compressed by columns or by rows; the other index stands in `i`.
static ts_status read_compressed(const fclib *f, const char *name, bool by_columns, ts_triplets *entries)
{
  const int lines = by_columns ? entries->columns : entries->rows;
  const int others = by_columns ? entries->rows : entries->columns;
  int *start, *index;
  double *value;
  TS_TRY(read_ints(f, name, "p", (size_t)lines + 1, 0, INT_MAX, &start));
  char path[PATH_SIZE];
  make_path(f, name, "p", path);
  if (start[0] != 0) return fail(f, TS_INVALID, path, "does not begin with 0");
  for (int k = 0; k < lines; ++k)
    if (start[k + 1] < start[k]) return ts_fail(f->reading->scan.error, TS_INVALID, "%s falls after entry %d", path, k);
  const size_t count = (size_t)start[lines];
  TS_TRY(read_ints(f, name, "i", count, 0, others - 1, &index));
  TS_TRY(read_doubles(f, name, "x", count, true, f->reading->scratch, NULL, &value));
  TS_TRY(ts_triplets_init(entries, f->reading->scratch, entries->rows, entries->columns, count));
  for (int line = 0; line < lines; ++line)
    for (int k = start[line]; k < start[line + 1]; ++k)
      ts_triplets_add(entries, by_columns ? index[k] : line, by_columns ? line : index[k], value[k]);
  return TS_OK;
}

// A row and a column of a matrix always have a number elsewhere in the file: in a vector, or as an offset.
static ts_status read_extent(const fclib *f, const char *name, const char *which, int *extent)
{
  TS_TRY(read_scalar(f, name, which, 0, extent));
  if ((size_t)*extent <= f->bytes) return TS_OK;
  char path[PATH_SIZE];
  make_path(f, name, which, path);
  return fail(f, TS_INVALID, path, "is larger than the file can hold");
}

static ts_status read_entries(const fclib *f, const char *name, ts_triplets *entries)
{
  int nz;
  TS_TRY(read_extent(f, name, "m", &entries->rows));
  TS_TRY(read_extent(f, name, "n", &entries->columns));
  TS_TRY(read_scalar(f, name, "nz", ROWS, &nz));
  return nz >= 0 ? read_triplets(f, name, nz, entries) : read_compressed(f, name, nz == COLUMNS, entries);
}

static ts_status check_shape(const fclib *f, const char *name, const ts_triplets *entries, int rows, int columns)
{
  if (entries->rows == rows && entries->columns == columns) return TS_OK;
  return ts_fail(f->reading->scan.error, TS_INVALID, "%s/%s is %d x %d, expected is %d x %d", f->group, name,
                 entries->rows, entries->columns, rows, columns);
}

static ts_status read_matrix(const fclib *f, const char *name, int rows, int columns, ts_matrix *A)
{
  ts_triplets entries;
  TS_TRY(read_entries(f, name, &entries));
  TS_TRY(check_shape(f, name, &entries, rows, columns));
  return ts_triplets_compress(&entries, f->reading->keep, f->reading->scratch, A, NULL);
}

// Columns of V or G: the bilateral rows, 0 where the group is missing.
static ts_status read_bilaterals(const fclib *f, const char *name, int *bilaterals)
{
  char path[PATH_SIZE];
  make_path(f, "", name, path);
  *bilaterals = 0;
  return link_exists(f, path) ? read_extent(f, name, "n", bilaterals) : TS_OK;
}

enum { ROLLING = 5 }; // components of a contact with rolling friction

static ts_status refuse_rolling(const fclib *f)
{
  return fail(f, TS_UNSUPPORTED, f->group, "is a problem with rolling friction, which is not supported");
}

static ts_status read_contacts(const fclib *f, int *dimension, int *contacts, const double **mu)
{
  char path[PATH_SIZE];
  double *values;
  size_t count;
  make_path(f, "", "spacedim", path);
  TS_TRY(read_scalar(f, "", "spacedim", 2, dimension));
  if (*dimension == ROLLING) return refuse_rolling(f);
  if (*dimension > 3)
    return ts_fail(f->reading->scan.error, TS_INVALID, "%s is %d, allowed are 2 and 3", path, *dimension);
  TS_TRY(read_doubles(f, "vectors", "mu", SIZE_MAX, false, f->reading->keep, &count, &values));
  make_path(f, "vectors", "mu", path);
  for (size_t i = 0; i < count; ++i)
    if (values[i] < 0.0) return ts_fail(f->reading->scan.error, TS_INVALID, "entry %zu of %s is negative", i, path);
  *contacts = (int)count; // at most TS_LARGEST_TEXT / 8
  *mu = values;
  return TS_OK;
}

static ts_status read_local(const fclib *f)
{
  ts_friction p = {0};
  TS_TRY(read_contacts(f, &p.dimension, &p.contacts, &p.mu));
  const int m = p.dimension * p.contacts;
  ts_matrix W;
  TS_TRY(read_matrix(f, "W", m, m, &W));
  TS_TRY(ts_assemble_blocks(&W, p.dimension, f->reading->keep, f->reading->scratch, &p.W));
  TS_TRY(read_vector(f, "q", m, &p.q));
  TS_TRY(read_bilaterals(f, "V", &p.bilaterals));
  if (p.bilaterals > 0) {
    TS_TRY(read_matrix(f, "V", m, p.bilaterals, &p.V));
    TS_TRY(read_matrix(f, "R", p.bilaterals, p.bilaterals, &p.R));
    TS_TRY(read_vector(f, "s", p.bilaterals, &p.s));
  }
  f->reading->problem = ts_problem_friction(p);
  f->reading->format = p.dimension == 2 ? "FCLIB HDF5, 2D friction" : "FCLIB HDF5, 3D friction";
  return TS_OK;
}

// M must be square, and is filled up where only one triangle is stored.
static ts_status read_mass(const fclib *f, ts_matrix *M)
{
  ts_triplets entries;
  TS_TRY(read_entries(f, "M", &entries));
  TS_TRY(check_shape(f, "M", &entries, entries.rows, entries.rows));
  TS_TRY(ts_mirror_triangle(&entries, f->reading->scratch));
  return ts_triplets_compress(&entries, f->reading->keep, f->reading->scratch, M, NULL);
}

static ts_status read_global(const fclib *f)
{
  ts_global_friction p = {0};
  TS_TRY(read_contacts(f, &p.dimension, &p.contacts, &p.mu));
  const int m = p.dimension * p.contacts;
  TS_TRY(read_mass(f, &p.M));
  TS_TRY(read_matrix(f, "H", p.M.rows, m, &p.H));
  TS_TRY(read_vector(f, "f", p.M.rows, &p.f));
  TS_TRY(read_vector(f, "w", m, &p.w));
  TS_TRY(read_bilaterals(f, "G", &p.bilaterals));
  if (p.bilaterals > 0) {
    TS_TRY(read_matrix(f, "G", p.M.rows, p.bilaterals, &p.G));
    TS_TRY(read_vector(f, "b", p.bilaterals, &p.b));
  }
  f->reading->problem = ts_problem_global_friction(p);
  f->reading->format = p.dimension == 2 ? "FCLIB HDF5, global 2D friction" : "FCLIB HDF5, global 3D friction";
  return TS_OK;
}

// The one problem that a file holds.
static ts_status read_problem(fclib *f)
{
  static const struct {
    const char *group;
    ts_status (*read)(const fclib *);
  } kinds[] = {{"/fclib_local", read_local},
               {"/fclib_global", read_global},
               {"/fclib_global_rolling", refuse_rolling},
               {"/fclib_local_rolling", refuse_rolling},
               {"/fclib_rolling", refuse_rolling}};
  ts_status (*read)(const fclib *) = NULL;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    if (!link_exists(f, kinds[k].group)) continue;
    if (read) return ts_fail(f->reading->scan.error, TS_INVALID, "this HDF5 file holds more than one problem");
    f->group = kinds[k].group;
    read = kinds[k].read;
  }
  if (read) return read(f);
  return ts_fail(f->reading->scan.error, TS_INVALID, "this HDF5 file has no group fclib_local or fclib_global");
}

// HDF5 opens an image as if it were a file of this name, which is never written.
static hid_t open_image(const void *image, size_t bytes)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0) return -1;
  hid_t file = -1;
  // The image is copied before the library looks at it: it asks for a pointer that is not const.
  if (H5Pset_fapl_core(access, 1 << 16, false) >= 0 && H5Pset_file_image(access, (void *)image, bytes) >= 0)
    file = H5Fopen("touchstone-image", H5F_ACC_RDONLY, access);
  H5Pclose(access);
  return file;
}

ts_status ts_read_fclib(ts_reading *reading)
{
  const char *image = reading->scan.begin;
  const size_t bytes = (size_t)(reading->scan.end - image);
  TS_TRY(ts_check_hdf5_image(image, bytes, reading->scan.error));
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  fclib f = {.reading = reading, .file = open_image(image, bytes), .bytes = bytes};
  ts_status status;
  if (f.file >= 0) {
    status = read_problem(&f);
    H5Fclose(f.file);
  } else {
    status = ts_fail(reading->scan.error, TS_IO, "this HDF5 file is damaged or cut off: the library cannot open it");
  }
  if (status != TS_OK) ts_hdf5_end_quietly();
  ts_hdf5_speak_again(before);
  return status;
}
