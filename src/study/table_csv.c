// Reading a table from CSV. The first column and the last ones are known by their names and places; all in between are
// parameters and results.
#define _POSIX_C_SOURCE 200809L // locale_t
#include "study/table.h"

#include "text/c_locale.h"
#include "text/csv.h"

#include "base/status.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { BEHIND = 1 + TS_TABLE_LAST_COUNT }; // the outcome, and what follows it

static bool is_called(const ts_csv_field *field, const char *name)
{
  return field->length == strlen(name) && memcmp(field->text, name, field->length) == 0;
}

// ---- the heading ---------------------------------------------------------------------------------------------------

static const char *name_behind(int i)
{
  return i == 0 ? TS_TABLE_OUTCOME : ts_table_last_names[i - 1];
}

// How many fields the heading has, and whether they are those of a table. The cursor is behind them then.
static ts_status count_columns(ts_csv *c, int *columns)
{
  ts_csv_field field;
  int matched = 0; // of the last ones, so far
  TS_TRY(ts_csv_read_field(c, &field));
  if (!is_called(&field, TS_TABLE_TRIAL)) return ts_csv_refuse(c, field.begin, "the first column of a table is trial");
  for (*columns = 1; ts_csv_next_field(c); ++*columns) {
    TS_TRY(ts_csv_read_field(c, &field));
    if (!ts_table_is_name(field.text, field.length))
      return ts_csv_refuse(c, field.begin, "a column cannot be called so");
    matched = matched < BEHIND && is_called(&field, name_behind(matched)) ? matched + 1
              : is_called(&field, name_behind(0))                         ? 1
                                                                          : 0;
  }
  if (matched == BEHIND) return TS_OK;
  return ts_csv_refuse(c, c->scan.at, "the last columns of a table are outcome, steps, uncertified, residual, attempt");
}

// A name that two columns have tells neither.
static bool is_taken(const ts_table *table, const ts_csv_field *field)
{
  for (int i = 0; i < table->column_count; ++i) {
    const char *name = table->columns[i].name;
    if (name && strlen(name) == field->length && memcmp(name, field->text, field->length) == 0) return true;
  }
  return false;
}

static ts_status read_heading(ts_csv *c, ts_table *table)
{
  int columns;
  TS_TRY(count_columns(c, &columns));
  c->scan.at = c->scan.begin;
  const int between = columns - 1 - BEHIND;
  bool made = ts_table_make_columns(table, between);
  ts_csv_field field;
  TS_TRY(ts_csv_read_field(c, &field));
  for (int i = 1; i < columns && ts_csv_next_field(c) && made; ++i) {
    TS_TRY(ts_csv_read_field(c, &field));
    if (i <= between && is_taken(table, &field)) return ts_csv_refuse(c, field.begin, "a column is given twice");
    if (i <= between) made = ts_table_set_column(table, i, field.text, field.length, TS_TABLE_ROLE_UNKNOWN);
  }
  ts_csv_end_row(c);
  return made ? TS_OK : ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static ts_status read_number(ts_csv *c, const char *name, double *value)
{
  ts_csv_field field;
  TS_TRY(ts_csv_read_field(c, &field));
  if (ts_csv_field_is_number(&field, value)) return TS_OK;
  return ts_scan_fail(&c->scan, field.begin, TS_INVALID, "column %s wants a number", name);
}

#define END_TEXT(enumerator, text) text,
static const char *const ends[] = {TS_TRIAL_END_LIST(END_TEXT)};
#undef END_TEXT

// Which end a text begins with, and what follows it; -1: with none.
static int split_outcome(const ts_csv_field *field, const char **text, size_t *length)
{
  for (int end = 0; end < TS_TRIAL_END_COUNT; ++end) {
    const size_t begin = strlen(ends[end]);
    if (field->length < begin || memcmp(field->text, ends[end], begin) != 0) continue;
    if (field->length > begin && field->text[begin] != ' ') continue;
    *text = field->text + begin + (field->length > begin);
    *length = field->length - begin - (field->length > begin);
    return end;
  }
  return -1;
}

static ts_status read_outcome(ts_csv *c, ts_table *table, int row)
{
  ts_csv_field field;
  const char *text;
  size_t length;
  TS_TRY(ts_csv_read_field(c, &field));
  const int end = memchr(field.text, '\0', field.length) ? -1 : split_outcome(&field, &text, &length);
  if (end < 0)
    return ts_csv_refuse(c, field.begin, "an outcome begins with 'finished', 'stopped by', 'limit of' or 'failed:'");
  ts_table_column_at(table, table->end_column)[row] = end;
  table->row_texts[row] = length > 0 ? ts_vocabulary_add(&table->texts, text, length) : -1;
  if (length > 0 && table->row_texts[row] < 0) return ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
  return TS_OK;
}

static ts_status read_row(ts_csv *c, ts_table *table, int row)
{
  const char *begin = c->scan.at;
  const int columns = table->column_count;
  for (int k = 0; k < columns; ++k) {
    if (k > 0 && !ts_csv_next_field(c))
      return ts_scan_fail(&c->scan, begin, TS_INVALID, "this row has %d fields, there are %d columns", k, columns);
    if (k == table->end_column)
      TS_TRY(read_outcome(c, table, row));
    else
      TS_TRY(read_number(c, table->columns[k].name, &ts_table_column_at(table, k)[row]));
  }
  if (ts_csv_next_field(c))
    return ts_scan_fail(&c->scan, begin, TS_INVALID, "this row has more than %d fields", columns);
  ts_csv_end_row(c);
  return TS_OK;
}

// Rows that the rest of the text can hold at most: lines, each with a character and a separator a field.
static size_t most_rows(const ts_csv *c, int columns)
{
  const size_t bytes = (size_t)(c->scan.end - c->scan.at), wide = bytes / (2 * (size_t)columns) + 1;
  size_t lines = 1;
  for (const char *at = c->scan.at; (at = memchr(at, '\n', (size_t)(c->scan.end - at))) != NULL; ++at) ++lines;
  return lines < wide ? lines : wide;
}

static ts_status read_rows(ts_csv *c, ts_table *table)
{
  const size_t most = most_rows(c, table->column_count);
  if (!ts_table_make_room(table, most)) return ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
  while (c->scan.at < c->scan.end) {
    if ((size_t)table->rows == most) return ts_csv_refuse(c, c->scan.at, "this row has empty fields");
    TS_TRY(read_row(c, table, table->rows));
    ++table->rows;
  }
  return TS_OK;
}

// ---- files ---------------------------------------------------------------------------------------------------------

static ts_status read_open_table(ts_csv *c, ts_table *table)
{
  TS_TRY(read_heading(c, table));
  return read_rows(c, table);
}

ts_status ts_table_read_csv(const char *path, ts_table *table, ts_error *error)
{
  ts_c_locale locale;
  ts_csv c;
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_status status = ts_csv_open(path, &c, error);
  if (status == TS_OK) status = read_open_table(&c, table);
  ts_csv_close(&c);
  ts_c_locale_leave(&locale);
  return status;
}

// The heading alone, of a file that may be large.
bool ts_table_is_csv(const char *path)
{
  enum { LONGEST_HEADING = 1 << 20 };
  ts_error error;
  ts_csv c = {.content = calloc(LONGEST_HEADING + 1, 1)};
  FILE *file = c.content ? fopen(path, "rb") : NULL;
  int columns;
  bool is_table = false;
  if (file) {
    ts_scan_init(&c.scan, c.content, fread(c.content, 1, LONGEST_HEADING, file), &error);
    is_table = count_columns(&c, &columns) == TS_OK;
    fclose(file);
  }
  ts_csv_close(&c);
  return is_table;
}

// ---- times ---------------------------------------------------------------------------------------------------------

static ts_status read_times(ts_csv *c, double *trials, double *seconds, size_t most, size_t *count)
{
  ts_csv_field first, second = {0};
  TS_TRY(ts_csv_read_field(c, &first));
  const bool begins = is_called(&first, TS_TABLE_TRIAL);
  if (ts_csv_next_field(c)) TS_TRY(ts_csv_read_field(c, &second));
  if (!begins || !second.text || !is_called(&second, TS_TABLE_SECONDS) || ts_csv_next_field(c))
    return ts_csv_refuse(c, first.begin, "the columns of a file of times are trial and seconds");
  ts_csv_end_row(c);
  for (*count = 0; c->scan.at < c->scan.end; ++*count) {
    if (*count == most) return ts_csv_refuse(c, c->scan.at, "this row has empty fields");
    TS_TRY(read_number(c, TS_TABLE_TRIAL, &trials[*count]));
    if (!ts_csv_next_field(c)) return ts_csv_refuse(c, c->scan.at, "this row has no seconds");
    TS_TRY(read_number(c, TS_TABLE_SECONDS, &seconds[*count]));
    if (ts_csv_next_field(c)) return ts_csv_refuse(c, c->scan.at, "this row has more than 2 fields");
    ts_csv_end_row(c);
  }
  if (*count <= INT_MAX && ts_table_trials_grow(trials, (int)*count)) return TS_OK;
  return ts_fail(c->scan.error, TS_INVALID, "the trials are not whole numbers that grow");
}

static ts_status read_open_times(ts_csv *c, const ts_table_times *to)
{
  const size_t most = most_rows(c, 2);
  size_t count = 0;
  double *values = malloc(2 * most * sizeof *values);
  if (!values) return ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = read_times(c, values, values + most, most, &count);
  if (status == TS_OK) ts_table_take_times(to, values, values + most, (int)count);
  free(values);
  return status;
}

ts_status ts_table_read_times_csv(const char *path, const ts_table_times *to, ts_error *error)
{
  ts_c_locale locale;
  ts_csv c;
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_status status = ts_csv_open(path, &c, error);
  if (status == TS_OK) status = read_open_times(&c, to);
  ts_csv_close(&c);
  ts_c_locale_leave(&locale);
  return status;
}
