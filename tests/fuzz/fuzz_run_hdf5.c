// libFuzzer target: any bytes, read as the HDF5 file of a run. Whatever happens, nothing stays open.
#include "fuzz_files.h"
#include "run_demands.h"

#include <hdf5.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_write("run.h5", data, size);
  demand_run_or_sentence(fuzz_path("run.h5"));
  if (H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0) abort();
  return 0;
}
