// Attributes and datasets of an HDF5 file that is being read, and may be hostile.
//
// libhdf5 trusts what it reads where there is no checksum. Only files of superblock 3 are let in, whose bookkeeping has
// checksums, and none whose own seal is broken; of these only datasets in chunks with a checksum each, through none but
// the filters that we use. Nothing is allocated for a claim that what is stored for it is too small to
// keep, and nothing beyond a bound on the whole.
#ifndef TS_RECORD_HDF5_SOURCE_H
#define TS_RECORD_HDF5_SOURCE_H

#include "record/vocabulary.h"

#include "hdf5/quiet.h"

#include "touchstone/status.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

enum { TS_HDF5_LARGEST_PATH = 320 };

// What was opened so far.
typedef struct ts_hdf5_account {
  uint64_t stored; // bytes in the file
  uint64_t taken;  // bytes in memory, as numbers
} ts_hdf5_account;

typedef struct ts_hdf5_source {
  hid_t file;
  const char *what; // it is to be, for sentences: "run"
  uint64_t bytes;   // of the file
  uint64_t claimed; // what it says it has, without the seal
  ts_hdf5_account *account;
  ts_hdf5_quiet before; // libhdf5 says nothing while a source is open
  ts_error *error;
} ts_hdf5_source;

typedef struct ts_hdf5_dataset {
  hid_t id;
  hid_t type; // in the file
  hsize_t extent[2];
  hsize_t chunk[2];
  size_t size; // bytes of an element in the file
  const char *path;
} ts_hdf5_dataset;

// `error` is not NULL and must stay. Nothing has to be closed where it is not TS_OK. `account` is what was opened.
ts_status ts_hdf5_source_open(const char *path, const char *what, ts_hdf5_account *account, ts_hdf5_source *s,
                              ts_error *error);
void ts_hdf5_source_close(ts_hdf5_source *s, ts_status status); // what came of reading it

// Sentences about what stands at a path.
ts_status ts_hdf5_refuse(const ts_hdf5_source *s, const char *path, const char *what);
ts_status ts_hdf5_cannot_read(const ts_hdf5_source *s, const char *path);
ts_status ts_hdf5_no_memory(const ts_hdf5_source *s);

// Read a scalar attribute of a class; false when there is none, or one of another kind.
bool ts_hdf5_read_number(hid_t object, const char *name, H5T_class_t wanted, hid_t memory, void *value);
// Add the texts of an attribute to a vocabulary.
bool ts_hdf5_read_words(hid_t object, const char *name, ts_vocabulary *words);

// Whether a path "name" or "group/name" exists, by hard links.
bool ts_hdf5_link_exists(const ts_hdf5_source *s, const char *path);
// Open a dataset of one or two dimensions. Close it when TS_OK.
ts_status ts_hdf5_open_dataset(const ts_hdf5_source *s, const char *path, int rank, ts_hdf5_dataset *d);
void ts_hdf5_close_dataset(ts_hdf5_dataset *d);
ts_status ts_hdf5_check_numbers(const ts_hdf5_source *s, const ts_hdf5_dataset *d);
ts_status ts_hdf5_check_rows(const ts_hdf5_source *s, const ts_hdf5_dataset *d, int rows);

// Texts of a fixed length; *size is the length, without a zero byte behind it.
bool ts_hdf5_is_fixed_text(hid_t type, size_t *size);
// The texts of a dataset of one dimension into a vocabulary.
ts_status ts_hdf5_read_text_dataset(const ts_hdf5_source *s, const char *path, ts_vocabulary *words);

#endif
