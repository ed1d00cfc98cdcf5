#include "record/run_format.h"

#include <stdbool.h>
#include <string.h>

// A name that is nothing but the suffix does not count.
static bool ends_with(const char *path, const char *suffix)
{
  const size_t length = strlen(path), tail = strlen(suffix);
  return length > tail && path[length - tail - 1] != '/' && strcmp(path + length - tail, suffix) == 0;
}

ts_run_format ts_run_format_of(const char *path)
{
  if (ends_with(path, ".h5") || ends_with(path, ".hdf5")) return TS_RUN_HDF5;
  return ends_with(path, ".csv") ? TS_RUN_CSV : TS_RUN_UNKNOWN;
}
