// libFuzzer target: any bytes, read as CSV files of a run (parted by bytes 0xff).
#include "fuzz_files.h"
#include "run_demands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"run.csv", "run.contacts.csv", "run.steps.csv", "run.results.csv"};
  fuzz_write_parts(names, 4, data, size);
  demand_run_or_sentence(fuzz_path("run.csv"));
  return 0;
}
