// Attributes, datasets and groups of an HDF5 file that is being written. All functions return false, or a negative
// number, when libhdf5 fails.
#ifndef TS_RECORD_HDF5_WRITE_H
#define TS_RECORD_HDF5_WRITE_H

#include "record/vocabulary.h"

#include <hdf5.h>
#include <stdbool.h>

// Attributes: one number, one text, or several texts.
bool ts_hdf5_write_number(hid_t object, const char *name, hid_t type, const void *value);
bool ts_hdf5_write_text(hid_t object, const char *name, const char *text);
bool ts_hdf5_write_words(hid_t object, const char *name, const ts_vocabulary *words);

// Chunked, shuffled, deflated, with a checksum; no times of creation. `chunk` may be larger than the dataset.
hid_t ts_hdf5_create_dataset(hid_t place, const char *name, hid_t type, int rank, const hsize_t *extent,
                             const hsize_t *limit, const hsize_t *chunk);
// A dataset that is written once, of numbers or of texts. Nothing is created where there are no values.
bool ts_hdf5_write_dataset(hid_t file, const char *name, hid_t type, int rank, const hsize_t *extent,
                           const void *values);
bool ts_hdf5_write_names(hid_t file, const char *name, char *const *names, int count);

// Make a dataset longer by `count` rows from row `at` on, and write them. `width` is of the second dimension, if any.
bool ts_hdf5_append_rows(hid_t dataset, hid_t type, int rank, hsize_t at, hsize_t count, hsize_t width,
                         const void *values);

// UTF-8 in a fixed number of bytes; close it. Strings of varying length would lie in a heap that has no checksums.
hid_t ts_hdf5_text_type(size_t size);

bool ts_hdf5_create_group(hid_t file, const char *name);

#endif
