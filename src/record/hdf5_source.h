// Attributes and datasets of a run file that may be hostile.
//
// libhdf5 trusts what it reads where there is no checksum. Only what we write is therefore let in: datasets in chunks
// with a checksum each, through none but the filters that we use. Nothing is allocated for a claim that what is stored
// for it is too small to keep, and nothing beyond a bound on the whole.
#ifndef TS_RECORD_HDF5_SOURCE_H
#define TS_RECORD_HDF5_SOURCE_H

#include "record/vocabulary.h"

#include "touchstone/status.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

enum { TS_LARGEST_PATH = 64 };

// What was opened so far.
typedef struct ts_account {
  uint64_t stored; // bytes in the file
  uint64_t taken;  // bytes in memory, as numbers
} ts_account;

typedef struct ts_source {
  hid_t file;
  uint64_t bytes;   // of the file
  uint64_t claimed; // what it says it has, without the seal
  ts_account *account;
  ts_error *error;
} ts_source;

typedef struct ts_dataset {
  hid_t id;
  hid_t type; // in the file
  hsize_t extent[2];
  hsize_t chunk[2];
  size_t size; // bytes of an element in the file
  const char *path;
} ts_dataset;

// What is wrong, as a status with a sentence.
ts_status ts_source_fail(const ts_source *s, const char *path, const char *what);
ts_status ts_source_out_of_memory(const ts_source *s);
ts_status ts_source_cannot_read(const ts_source *s, const char *path);

// Read a scalar attribute of a class; false when there is none, or one of another kind.
bool ts_source_number_attribute(hid_t object, const char *name, H5T_class_t wanted, hid_t memory, void *value);
// Add the texts of an attribute to a vocabulary.
bool ts_source_words_attribute(hid_t object, const char *name, ts_vocabulary *words);
// Texts of a fixed length, or a failure. *size is the length, without a zero byte behind it.
bool ts_source_is_fixed_text(hid_t type, size_t *size);

// Whether a path "name" or "group/name" exists, by hard links: the others may lead out of the file.
bool ts_source_has(const ts_source *s, const char *path);
// Open a dataset of one or two dimensions. Close it when TS_OK.
ts_status ts_source_open(const ts_source *s, const char *path, int rank, ts_dataset *d);
void ts_dataset_close(ts_dataset *d);
ts_status ts_source_check_numbers(const ts_source *s, const ts_dataset *d);
ts_status ts_source_check_rows(const ts_source *s, const ts_dataset *d, int rows);
// Texts of a one-dimensional dataset into a vocabulary.
ts_status ts_source_texts(const ts_source *s, const char *path, ts_vocabulary *words);

#endif
