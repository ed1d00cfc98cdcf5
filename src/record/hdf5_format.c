// Runs as HDF5.
#include "record/run_format.h"

#include <string.h>

static bool recognizes(const char *path, const char *begin, size_t count)
{
  static const char mark[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  (void)path;
  return count >= sizeof mark && memcmp(begin, mark, sizeof mark) == 0;
}

static const char *const suffixes[] = {".h5", ".hdf5", NULL};

const ts_run_store ts_run_store_hdf5 = {
    .format = {"HDF5", suffixes, "", "HDF5: one file, with the scene and what is needed to resume", true},
    .known_by = "an HDF5 file",
    .create = ts_hdf5_sink_create,
    .recognizes = recognizes,
    .read = ts_record_read_hdf5};
