#define _POSIX_C_SOURCE 200809L // stat
#include "record/hdf5_source.h"

#include "record/seal.h"

#include "base/status.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
  LONGEST_ATTRIBUTE = 1 << 12, // bytes of a text
  LARGEST_CHUNK = 1 << 26,     // bytes in memory
  DEFLATE_BOUND = 1100         // deflate makes nothing more than 1032 times smaller
};

static const uint64_t MOST_BYTES = (uint64_t)16 << 30; // of all numbers of a file in memory

ts_status ts_hdf5_refuse(const ts_hdf5_source *s, const char *path, const char *what)
{
  return ts_fail(s->error, TS_INVALID, "%s of this %s %s", path, s->what, what);
}

ts_status ts_hdf5_no_memory(const ts_hdf5_source *s)
{
  return ts_fail(s->error, TS_OUT_OF_MEMORY, "memory ran out");
}

// ---- files ---------------------------------------------------------------------------------------------------------

static ts_status check_superblock(const char *path, ts_hdf5_source *s)
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
  return ts_fail(s->error, TS_INVALID, "this HDF5 file is no %s: it is of an older format than %ss are", s->what,
                 s->what);
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

ts_status ts_hdf5_source_open(const char *path, const char *what, ts_hdf5_account *account, ts_hdf5_source *s,
                              ts_error *error)
{
  *s = (ts_hdf5_source){.file = -1, .what = what, .account = account, .error = error};
  TS_TRY(check_superblock(path, s));
  if (ts_seal_check(path, s->claimed) == TS_SEAL_BROKEN)
    return ts_fail(error, TS_IO, "this HDF5 file is damaged: its checksum does not fit its content");
  s->before = ts_hdf5_be_quiet();
  s->file = open_file(path);
  if (s->file >= 0) return TS_OK;
  ts_hdf5_source_close(s, TS_IO);
  return ts_fail(error, TS_IO, "this HDF5 file is damaged or cut off");
}

void ts_hdf5_source_close(ts_hdf5_source *s, ts_status status)
{
  if (s->file >= 0) H5Fclose(s->file);
  if (status != TS_OK) ts_hdf5_end_quietly();
  ts_hdf5_speak_again(s->before);
}

// ---- attributes ----------------------------------------------------------------------------------------------------

bool ts_hdf5_read_number(hid_t object, const char *name, H5T_class_t wanted, hid_t memory, void *value)
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

bool ts_hdf5_is_fixed_text(hid_t type, size_t *size)
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
  if (!ts_hdf5_is_fixed_text(type, &size) || size > LONGEST_ATTRIBUTE || count < 0 || count > LONGEST_ATTRIBUTE)
    return false;
  char *text = calloc((size_t)count + 1, size);
  const bool read = text && H5Aread(attribute, type, text) >= 0 && add_words(text, size, (size_t)count, words);
  free(text);
  return read;
}

bool ts_hdf5_read_words(hid_t object, const char *name, ts_vocabulary *words)
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

void ts_hdf5_close_dataset(ts_hdf5_dataset *d)
{
  if (d->type >= 0) H5Tclose(d->type);
  if (d->id >= 0) H5Dclose(d->id);
}

// Soft and external links may lead out of the file.
bool ts_hdf5_link_exists(const ts_hdf5_source *s, const char *path)
{
  char part[TS_HDF5_LARGEST_PATH];
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
static bool is_plausible(const ts_hdf5_source *s, const ts_hdf5_dataset *d, bool deflates)
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

static ts_status measure_dataset(const ts_hdf5_source *s, int rank, ts_hdf5_dataset *d)
{
  d->id = H5Dopen2(s->file, d->path, H5P_DEFAULT);
  d->type = d->id >= 0 ? H5Dget_type(d->id) : -1;
  if (d->type < 0) return ts_hdf5_refuse(s, d->path, "is not a dataset");
  d->size = H5Tget_size(d->type);
  if (!measure_extent(d->id, rank, d->extent)) return ts_hdf5_refuse(s, d->path, "has a wrong number of dimensions");
  bool deflates;
  if (!is_chunked_as_ours(d->id, rank, d->chunk, &deflates))
    return ts_hdf5_refuse(s, d->path, "is not stored as Touchstone does");
  if (d->size == 0 || !is_plausible(s, d, deflates))
    return ts_hdf5_refuse(s, d->path, "is larger than the file can hold");
  const uint64_t element = d->size > sizeof(double) ? d->size : sizeof(double);
  s->account->taken += d->extent[0] * d->extent[1] * element;
  if (s->account->taken > 2 * MOST_BYTES)
    return ts_fail(s->error, TS_INVALID, "%s of this %s goes beyond the 16 GiB that a %s may have in memory", d->path,
                   s->what, s->what);
  return TS_OK;
}

ts_status ts_hdf5_open_dataset(const ts_hdf5_source *s, const char *path, int rank, ts_hdf5_dataset *d)
{
  *d = (ts_hdf5_dataset){.id = -1, .type = -1, .extent = {1, 1}, .chunk = {1, 1}, .path = path};
  if (!ts_hdf5_link_exists(s, path)) return ts_hdf5_refuse(s, path, "is missing");
  const ts_status status = measure_dataset(s, rank, d);
  if (status != TS_OK) ts_hdf5_close_dataset(d);
  return status;
}

ts_status ts_hdf5_check_numbers(const ts_hdf5_source *s, const ts_hdf5_dataset *d)
{
  const H5T_class_t class = H5Tget_class(d->type);
  if ((class == H5T_FLOAT || class == H5T_INTEGER) && d->size <= 8) return TS_OK;
  return ts_hdf5_refuse(s, d->path, "does not hold numbers");
}

ts_status ts_hdf5_check_rows(const ts_hdf5_source *s, const ts_hdf5_dataset *d, int rows)
{
  if (d->extent[0] == (hsize_t)rows) return TS_OK;
  return ts_fail(s->error, TS_INVALID, "%s of this %s has %llu rows, expected are %d", d->path, s->what,
                 (unsigned long long)d->extent[0], rows);
}

ts_status ts_hdf5_cannot_read(const ts_hdf5_source *s, const char *path)
{
  return ts_fail(s->error, TS_IO, "%s of this %s is damaged: it cannot be read", path, s->what);
}

// Texts of a one-dimensional dataset into a vocabulary.
static ts_status read_texts(const ts_hdf5_source *s, const ts_hdf5_dataset *d, ts_vocabulary *words)
{
  size_t size;
  if (!ts_hdf5_is_fixed_text(d->type, &size)) return ts_hdf5_refuse(s, d->path, "does not hold text");
  const size_t count = (size_t)d->extent[0];
  char *text = calloc(count + 1, size);
  if (!text) return ts_hdf5_no_memory(s);
  ts_status status = TS_OK;
  if (H5Dread(d->id, d->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
    status = ts_hdf5_cannot_read(s, d->path);
  else if (!add_words(text, size, count, words))
    status = ts_hdf5_refuse(s, d->path, "names something twice");
  free(text);
  return status;
}

ts_status ts_hdf5_read_text_dataset(const ts_hdf5_source *s, const char *path, ts_vocabulary *words)
{
  ts_hdf5_dataset d;
  TS_TRY(ts_hdf5_open_dataset(s, path, 1, &d));
  const ts_status status = read_texts(s, &d, words);
  ts_hdf5_close_dataset(&d);
  return status;
}
