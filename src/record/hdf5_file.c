#include "record/hdf5_file.h"

#include "record/seal.h"

#include "base/status.h"

#include <string.h>

ts_status ts_hdf5_file_cannot_write(const ts_hdf5_file *file, int reason, ts_error *error)
{
  if (file->output.failure) reason = file->output.failure;
  if (reason == 0) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  return ts_fail(error, TS_IO, "the file cannot be written: %s", strerror(reason));
}

ts_status ts_hdf5_file_create(const char *path, ts_hdf5_file *file, ts_error *error)
{
  *file = (ts_hdf5_file){.id = -1};
  TS_TRY(ts_atomic_file_create(path, &file->place, error));
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  if (creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
    file->id = ts_hdf5_output_create(file->place.temporary, creation, &file->output);
  if (creation >= 0) H5Pclose(creation);
  return file->id >= 0 ? TS_OK : ts_hdf5_file_cannot_write(file, 0, error);
}

bool ts_hdf5_file_close(ts_hdf5_file *file)
{
  if (file->id < 0) return false;
  const bool closed = H5Fclose(file->id) >= 0;
  file->id = -1;
  ts_hdf5_output_close(&file->output);
  return closed && file->output.failure == 0;
}

ts_status ts_hdf5_file_commit(ts_hdf5_file *file, ts_error *error)
{
  file->output.failure = ts_seal_write(file->place.temporary);
  if (file->output.failure != 0) return ts_hdf5_file_cannot_write(file, 0, error);
  return ts_atomic_file_commit(&file->place, error);
}

void ts_hdf5_file_discard(ts_hdf5_file *file)
{
  ts_hdf5_output_drop(&file->output);
  ts_hdf5_file_close(file);
  ts_atomic_file_discard(&file->place);
}
