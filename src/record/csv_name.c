#include "record/csv_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ts_csv_name(const char *path, ts_run_table table)
{
  static const char suffix[] = ".csv";
  const size_t stem = strlen(path) - strlen(suffix), size = strlen(path) + 16;
  char *name = malloc(size);
  if (!name) return NULL;
  if (table == TS_STATES)
    snprintf(name, size, "%s", path);
  else
    snprintf(name, size, "%.*s.%s%s", (int)stem, path, ts_run_table_names[table], suffix);
  return name;
}
