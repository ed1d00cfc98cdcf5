#include "record/csv_ending.h"

#include "text/csv.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KIND, NAME, VALUE, UNIT, COLUMNS };
const char *const ts_csv_ending_columns[] = {"kind", "name", "value", "unit", NULL};

static bool is_text(const ts_csv_field *field, const char *text)
{
  return field->length == strlen(text) && memcmp(field->text, text, field->length) == 0;
}

static ts_status read_kind(ts_csv *c, const ts_csv_field *field, ts_run_ending *ending, ts_run_numbers **list)
{
  *list = is_text(field, TS_CSV_PARAMETER) ? &ending->lists[TS_RUN_PARAMETERS] : &ending->lists[TS_RUN_RESULTS];
  if (is_text(field, TS_CSV_PARAMETER) || is_text(field, TS_CSV_RESULT)) return TS_OK;
  return ts_csv_refuse(c, field->begin, "column kind wants " TS_CSV_PARAMETER " or " TS_CSV_RESULT);
}

static ts_status read_value(ts_csv *c, const ts_csv_field *field, double *value)
{
  char *end = NULL;
  *value = NAN;
  if (field->length == 0) return TS_OK; // none
  if (field->text == field->begin && strchr("+-.0123456789i", *field->text)) *value = strtod(field->text, &end);
  return end == field->text + field->length ? TS_OK : ts_csv_refuse(c, field->begin, "column value wants a number");
}

static ts_status copy_field(ts_csv *c, const ts_csv_field *field, char **text)
{
  if (memchr(field->text, '\0', field->length)) return ts_csv_refuse(c, field->begin, "a name holds a zero byte");
  *text = calloc(1, field->length + 1);
  if (!*text) return ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
  memcpy(*text, field->text, field->length);
  return TS_OK;
}

// The texts are released by the caller.
static ts_status read_row(ts_csv *c, ts_run_ending *ending, char **name, char **unit)
{
  ts_run_numbers *list = NULL;
  double value = NAN;
  for (int k = 0; k < COLUMNS; ++k) {
    ts_csv_field field;
    if (k > 0 && !ts_csv_next_field(c)) return ts_csv_refuse(c, c->scan.at, "a row has kind, name, value and unit");
    TS_TRY(ts_csv_read_field(c, &field));
    if (k == KIND) TS_TRY(read_kind(c, &field, ending, &list));
    if (k == NAME) TS_TRY(copy_field(c, &field, name));
    if (k == VALUE) TS_TRY(read_value(c, &field, &value));
    if (k == UNIT) TS_TRY(copy_field(c, &field, unit));
  }
  if (ts_csv_next_field(c)) return ts_csv_refuse(c, c->scan.at, "a row has kind, name, value and unit");
  ts_csv_end_row(c);
  if (ts_run_numbers_add(list, *name, *unit, value)) return TS_OK;
  return ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
}

static ts_status read_heading(ts_csv *c)
{
  for (int k = 0; k < COLUMNS; ++k) {
    ts_csv_field field;
    if (k > 0 && !ts_csv_next_field(c)) return ts_csv_refuse(c, c->scan.at, "the columns are kind, name, value and unit");
    TS_TRY(ts_csv_read_field(c, &field));
    if (!is_text(&field, ts_csv_ending_columns[k]))
      return ts_csv_refuse(c, field.begin, "the columns are kind, name, value and unit");
  }
  ts_csv_end_row(c);
  return TS_OK;
}

static ts_status read_rows(ts_csv *c, ts_run_ending *ending)
{
  ts_status status = read_heading(c);
  while (status == TS_OK && c->scan.at < c->scan.end) {
    char *name = NULL, *unit = NULL;
    status = read_row(c, ending, &name, &unit);
    free(name);
    free(unit);
  }
  return status;
}

ts_status ts_csv_read_ending(const char *path, ts_run_ending *ending, ts_error *error)
{
  ts_csv c;
  TS_TRY(ts_csv_open(path, &c, error));
  const ts_status status = read_rows(&c, ending);
  ts_csv_close(&c);
  return status;
}
