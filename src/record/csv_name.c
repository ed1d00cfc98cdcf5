#include "record/csv_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *name_beside(const char *path, const char *what)
{
  static const char suffix[] = ".csv";
  const size_t stem = strlen(path) - strlen(suffix), size = strlen(path) + 16;
  char *name = malloc(size);
  if (!name) return NULL;
  if (!what)
    snprintf(name, size, "%s", path);
  else
    snprintf(name, size, "%.*s.%s%s", (int)stem, path, what, suffix);
  return name;
}

char *ts_csv_name(const char *path, ts_run_table table)
{
  return name_beside(path, table == TS_STATES ? NULL : ts_run_table_names[table]);
}

char *ts_csv_name_of_results(const char *path)
{
  return name_beside(path, "results");
}
