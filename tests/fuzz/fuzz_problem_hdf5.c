// libFuzzer target: any bytes, read as an FCLIB file that lies in memory. Whatever happens, nothing stays open.
#include "problemfile/reader.h"

#include <hdf5.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  ts_error error = {0};
  ts_pool keep = {0}, scratch = {0};
  ts_reading reading = {.keep = &keep, .scratch = &scratch};
  ts_scan_init(&reading.scan, (const char *)data, size, &error);
  const ts_status status = ts_read_fclib(&reading);
  if (status == TS_OK)
    ts_problem_check(&reading.problem, &error); // bounds of the arrays, under the sanitizer
  else if (status != TS_OUT_OF_MEMORY && error.text[0] == '\0')
    abort();
  if (H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0) abort();
  ts_pool_release(&keep);
  ts_pool_release(&scratch);
  return 0;
}
