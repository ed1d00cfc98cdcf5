// An HDF5 file that is written under another name, sealed when it is complete, and put in place.
//
// It is of the format of HDF5 1.10, whose bookkeeping has checksums, and sealed as a whole (seal.h); datasets have
// checksums of their own (hdf5_write.h): damage is found out when it is read. Times of creation are not kept, so that
// equal content makes equal files.
#ifndef TS_RECORD_HDF5_FILE_H
#define TS_RECORD_HDF5_FILE_H

#include "record/atomic_file.h"
#include "record/hdf5_output.h"

#include <stdbool.h>

typedef struct ts_hdf5_file {
  ts_atomic_file place;
  hid_t id; // or -1
  ts_hdf5_output output;
} ts_hdf5_file;

// libhdf5 is to be quiet (hdf5/quiet.h) when any of these is called. Release with ts_hdf5_file_discard(), whatever is
// returned.
ts_status ts_hdf5_file_create(const char *path, ts_hdf5_file *file, ts_error *error);
// Close what must be whole in the end. False: it is not, and `output.failure` says why.
bool ts_hdf5_file_close(ts_hdf5_file *file);
// Seal the file that has been closed, and put it in place.
ts_status ts_hdf5_file_commit(ts_hdf5_file *file, ts_error *error);
// Close it if it is open, remove what was not committed. Accepts a file that could not be created.
void ts_hdf5_file_discard(ts_hdf5_file *file);

// The sentence about a file that could not be written: the disk's reason, or `reason` (errno), or else memory, for
// libhdf5 never hears of the disk.
ts_status ts_hdf5_file_cannot_write(const ts_hdf5_file *file, int reason, ts_error *error);

#endif
