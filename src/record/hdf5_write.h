// Attributes and datasets of a run file, written such that a damaged one is found out: text in a fixed number of bytes,
// chunks with checksums, no times of creation. False, or a handle below 0, where libhdf5 refuses.
#ifndef TS_RECORD_HDF5_WRITE_H
#define TS_RECORD_HDF5_WRITE_H

#include "record/vocabulary.h"

#include <hdf5.h>
#include <stdbool.h>

// Attributes of an object: a number, a text, several texts.
bool ts_hdf5_write_number(hid_t object, const char *name, hid_t type, const void *value);
bool ts_hdf5_write_text(hid_t object, const char *name, const char *text);
bool ts_hdf5_write_words(hid_t object, const char *name, const ts_vocabulary *words);

// A dataset that grows up to `limit`, in chunks, which may be larger than the dataset.
hid_t ts_hdf5_create_dataset(hid_t place, const char *name, hid_t type, int rank, const hsize_t *extent,
                             const hsize_t *limit, const hsize_t *chunk);
// A dataset that is written once. Nothing is created where there are no values.
bool ts_hdf5_write_dataset(hid_t file, const char *name, hid_t type, int rank, const hsize_t *extent,
                           const void *values);
bool ts_hdf5_write_names(hid_t file, const char *name, char *const *names, int count);

#endif
