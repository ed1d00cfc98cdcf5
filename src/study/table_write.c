// A table that was read, as comma-separated values.
#define _POSIX_C_SOURCE 200809L // locale_t
#include "touchstone/summary.h"

#include "study/table.h"
#include "study/table_fields.h"

#include "record/atomic_file.h"

#include "text/c_locale.h"
#include "text/csv.h"

#include "base/require.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// What stands in all columns up to the last of those that every table has; seconds come behind it.
static int column_count(const ts_table *table)
{
  return table->end_column + 1 + TS_TABLE_LAST_COUNT;
}

static bool put_heading(const ts_table *table, FILE *out)
{
  bool good = ts_csv_write_text(out, table->columns[0].name);
  for (int i = 1; good && i < column_count(table); ++i)
    good = ts_table_put_name(out, i == table->end_column ? TS_TABLE_OUTCOME : table->columns[i].name);
  return good && putc('\n', out) != EOF;
}

static bool put_row(const ts_table *table, int row, FILE *out)
{
  bool good = fprintf(out, "%.0f", ts_table_column_at(table, 0)[row]) > 0;
  for (int i = 1; good && i < column_count(table); ++i)
    good = i == table->end_column
               ? ts_table_put_outcome(out, ts_table_row_end(table, row), ts_table_row_text(table, row))
               : ts_table_put_number(out, ts_table_column_at(table, i)[row]);
  return good && putc('\n', out) != EOF;
}

static ts_status cannot_write(int reason, ts_error *error)
{
  return ts_fail(error, TS_IO, "the file cannot be written: %s", strerror(reason != 0 ? reason : EIO));
}

static ts_status write_table(const ts_table *table, const char *path, ts_error *error)
{
  FILE *out = fopen(path, "w");
  if (!out) return cannot_write(errno, error);
  errno = 0;
  bool good = put_heading(table, out);
  for (int row = 0; good && row < table->rows; ++row) good = put_row(table, row, out);
  const int reason = errno;
  if (fclose(out) == 0) return good ? TS_OK : cannot_write(reason, error);
  return cannot_write(good ? errno : reason, error);
}

ts_status ts_table_write_csv(const ts_table *table, const char *path, ts_error *error)
{
  TS_REFUSE_UNLESS(table, error);
  TS_REFUSE_UNLESS(path, error);
  ts_c_locale locale;
  ts_atomic_file file;
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_status status = ts_atomic_file_create(path, &file, error);
  if (status == TS_OK) status = write_table(table, file.temporary, error);
  if (status == TS_OK) status = ts_atomic_file_commit(&file, error);
  ts_atomic_file_discard(&file);
  ts_c_locale_leave(&locale);
  return status;
}
