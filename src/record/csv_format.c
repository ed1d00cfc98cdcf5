// Runs as comma-separated values. Nothing in such a file tells what it is: its name does.
#include "record/run_format.h"

static const char *const suffixes[] = {".csv", NULL};

static bool recognizes(const char *path, const char *begin, size_t count)
{
  (void)begin;
  (void)count;
  const ts_run_format *format = ts_run_format_of(path);
  return format && format->suffixes == suffixes;
}

const ts_run_store ts_run_store_csv = {
    .format = {"CSV", suffixes, "with .contacts.csv and .steps.csv beside it", "CSV: text, a file a table", false},
    .known_by = "one whose name ends in .csv",
    .create = ts_csv_sink_create,
    .recognizes = recognizes,
    .read = ts_record_read_csv};
