// libFuzzer target: any bytes, read as the HDF5 file of a study's table. Whatever happens, nothing stays open.
#include "fuzz_files.h"
#include "table_demands.h"

#include <hdf5.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_write("table.h5", data, size);
  demand_table_or_sentence(fuzz_path("table.h5"));
  if (H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0) abort();
  return 0;
}
