// libFuzzer target: any bytes, read as the two CSV files of a study's table (parted by a byte 0xff): rows and times.
#include "fuzz_files.h"
#include "table_demands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"table.csv", "table.times.csv"};
  fuzz_write_parts(names, 2, data, size);
  demand_table_or_sentence(fuzz_path("table.csv"));
  return 0;
}
