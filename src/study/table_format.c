#include "study/table_format.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ts_table_last_names[] = {"steps", "uncertified", "residual", "attempt"};

static const struct {
  const char *text;
  ts_table_kind kind;
} endings[] = {{".h5", TS_TABLE_HDF5}, {".hdf5", TS_TABLE_HDF5}, {".csv", TS_TABLE_CSV}};

enum { ENDING_COUNT = sizeof endings / sizeof *endings };

// Which ending, or -1. A name that is nothing but the ending does not count.
static int find_ending(const char *path)
{
  const size_t length = strlen(path);
  for (int i = 0; i < ENDING_COUNT; ++i) {
    const size_t tail = strlen(endings[i].text);
    if (length > tail && path[length - tail - 1] != '/' && strcmp(path + length - tail, endings[i].text) == 0) return i;
  }
  return -1;
}

bool ts_table_is_name(const char *name, size_t length)
{
  for (size_t i = 0; i < length; ++i)
    if ((unsigned char)name[i] < ' ' || name[i] == '\x7f' || name[i] == '/') return false;
  const bool leads = (length == 1 && name[0] == '.') || (length == 2 && name[0] == '.' && name[1] == '.');
  return length > 0 && length < TS_TABLE_NAME_SIZE && !leads;
}

bool ts_table_has_name(const char *name)
{
  static const char *const others[] = {TS_TABLE_TRIAL, TS_TABLE_OUTCOME, TS_TABLE_END, TS_TABLE_SECONDS};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    if (strcmp(others[i], name) == 0) return true;
  for (int i = 0; i < TS_TABLE_LAST_COUNT; ++i)
    if (strcmp(ts_table_last_names[i], name) == 0) return true;
  return false;
}

ts_table_kind ts_table_kind_of(const char *path)
{
  const int i = find_ending(path);
  return i >= 0 ? endings[i].kind : TS_TABLE_KIND_COUNT;
}

ts_status ts_table_refuse_name(ts_error *error)
{
  return ts_fail(error, TS_INVALID, "the name of a table must end in .h5, .hdf5 or .csv");
}

char *ts_table_times_name(const char *path)
{
  static const char middle[] = ".times";
  const int i = find_ending(path);
  const char *ending = i >= 0 ? endings[i].text : "";
  const size_t stem = strlen(path) - strlen(ending), size = strlen(path) + sizeof middle;
  char *name = malloc(size);
  if (name) snprintf(name, size, "%.*s%s%s", (int)stem, path, middle, ending);
  return name;
}
