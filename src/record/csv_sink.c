// A run as comma-separated values (RFC 4180, lines end with a newline alone): one file a table.
#define _POSIX_C_SOURCE 200809L // locale_t, ftruncate
#include "record/sink.h"

#include "record/csv_ending.h"
#include "record/csv_name.h"
#include "text/number_text.h"
#include "record/atomic_file.h"

#include "text/c_locale.h"
#include "text/csv.h"

#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One file. Why it cannot be written is kept from the first failure on: later calls change errno.
typedef struct csv_table {
  ts_atomic_file file;
  FILE *stream;
  int failure; // errno, or 0
  char *stale; // of a table that the run does not have: what an earlier run may have left under its name
} csv_table;

typedef struct csv_sink {
  ts_sink base;
  const ts_run_layout *layout;
  csv_table tables[TS_RUN_TABLE_COUNT];
  csv_table results; // with parameters; written at the end
  char *results_path;
} csv_sink;

// Say in which file the trouble is.
static ts_status fail_in(const csv_table *table, const char *what, ts_error *error)
{
  const ts_status status = ts_fail(error, TS_IO, "the file %s: %s", what, strerror(table->failure));
  if (error) snprintf(error->file, sizeof error->file, "%s", table->file.path);
  return status;
}

static void put(csv_table *out, const char *text, size_t length)
{
  if (fwrite(text, 1, length, out->stream) != length && out->failure == 0) out->failure = errno;
}

static void put_char(csv_table *out, char c)
{
  put(out, &c, 1);
}

static void write_text(csv_table *out, const char *text)
{
  if (!ts_csv_write_text(out->stream, text) && out->failure == 0) out->failure = errno;
}

static void write_heading(const ts_run_layout *layout, ts_run_table table, csv_table *out)
{
  for (int k = 0; k < layout->column_count[table]; ++k) {
    if (k > 0) put_char(out, ',');
    write_text(out, layout->columns[table][k].name);
  }
  put_char(out, '\n');
}

static void write_value(const ts_run_layout *layout, const ts_column *column, double value, csv_table *out)
{
  const ts_vocabulary *words = &layout->words[column->kind];
  if (column->kind == TS_COLUMN_JOINT && value < 0.0) {
    write_text(out, ""); // none
    return;
  }
  if (words->count > 0) {
    write_text(out, words->names[(int)value]);
    return;
  }
  char text[TS_NUMBER_TEXT_SIZE];
  const size_t length = ts_number_text(value, text);
  put(out, text, length);
}

static void write_row(const ts_run_layout *layout, ts_run_table table, const double *row, csv_table *out)
{
  for (int k = 0; k < layout->column_count[table]; ++k) {
    if (k > 0) put_char(out, ',');
    write_value(layout, &layout->columns[table][k], row[k], out);
  }
  put_char(out, '\n');
}

static ts_status append(ts_sink *base, ts_run_table table, const double *row, ts_error *error)
{
  csv_sink *sink = (csv_sink *)base;
  csv_table *out = &sink->tables[table];
  ts_c_locale locale;
  for (int k = 0; k < TS_RUN_TABLE_COUNT; ++k) // a row must not come after one that is missing elsewhere
    if (sink->tables[k].failure != 0) return fail_in(&sink->tables[k], "cannot be written", error);
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  write_row(sink->layout, table, row, out);
  ts_c_locale_leave(&locale);
  return out->failure != 0 ? fail_in(out, "cannot be written", error) : TS_OK;
}

static void discard(ts_sink *base)
{
  csv_sink *sink = (csv_sink *)base;
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) {
    if (sink->tables[table].stream) fclose(sink->tables[table].stream);
    if (sink->layout->column_count[table] > 0) ts_atomic_file_discard(&sink->tables[table].file);
    free(sink->tables[table].stale);
  }
  if (sink->results.stream) fclose(sink->results.stream);
  ts_atomic_file_discard(&sink->results.file);
  free(sink->results_path);
  free(sink);
}

static void close_stream(csv_table *table)
{
  FILE *stream = table->stream;
  table->stream = NULL;
  if (fclose(stream) != 0 && table->failure == 0) table->failure = errno;
}

// The end of the last whole line, or 0.
static off_t end_of_lines(int descriptor)
{
  char block[4096];
  for (off_t end = lseek(descriptor, 0, SEEK_END); end > 0;) {
    const off_t start = end > (off_t)sizeof block ? end - (off_t)sizeof block : 0;
    const ssize_t count = pread(descriptor, block, (size_t)(end - start), start);
    for (ssize_t i = count; i > 0; --i)
      if (block[i - 1] == '\n') return start + i;
    end = start;
  }
  return 0;
}

// Take a line away that was cut off. False: there is not even the heading.
static bool cut_to_lines(const csv_table *table)
{
  const off_t end = end_of_lines(table->file.descriptor);
  return end > 0 && ftruncate(table->file.descriptor, end) == 0;
}

// The states come last: where they are, the other tables are too.
static ts_status put_in_place(csv_sink *sink, ts_error *error)
{
  for (int table = TS_RUN_TABLE_COUNT - 1; table >= 0; --table) {
    if (sink->tables[table].stale)
      unlink(sink->tables[table].stale);
    else
      TS_TRY(ts_atomic_file_commit(&sink->tables[table].file, error));
  }
  return TS_OK;
}

// What fits is kept; then it says so.
static ts_status keep(csv_sink *sink, ts_error *error)
{
  ts_status status = TS_OK;
  for (int k = 0; k < TS_RUN_TABLE_COUNT; ++k) {
    const csv_table *table = &sink->tables[k];
    if (table->failure == 0) continue;
    if (!cut_to_lines(table)) return fail_in(table, "cannot be written", error);
    if (status != TS_OK) continue;
    status = fail_in(table, "is not complete", error);
    if (error) strncat(error->text, "; what fits is kept", sizeof error->text - strlen(error->text) - 1);
  }
  TS_TRY(put_in_place(sink, status == TS_OK ? error : NULL));
  return status;
}

static void write_number(csv_table *out, double value)
{
  char text[TS_NUMBER_TEXT_SIZE];
  if (!isnan(value)) put(out, text, ts_number_text(value, text));
}

static void write_list(csv_table *out, const char *kind, const ts_run_numbers *list)
{
  for (int i = 0; i < list->count; ++i) {
    write_text(out, kind);
    put_char(out, ',');
    write_text(out, list->items[i].name);
    put_char(out, ',');
    write_number(out, list->items[i].value);
    put_char(out, ',');
    write_text(out, list->items[i].unit);
    put_char(out, '\n');
  }
}

static void write_results(csv_table *out, const ts_run_ending *ending)
{
  for (int k = 0; ts_csv_ending_columns[k]; ++k) {
    if (k > 0) put_char(out, ',');
    write_text(out, ts_csv_ending_columns[k]);
  }
  put_char(out, '\n');
  write_list(out, TS_CSV_PARAMETER, &ending->lists[TS_RUN_PARAMETERS]);
  write_list(out, TS_CSV_RESULT, &ending->lists[TS_RUN_RESULTS]);
}

// Where there is nothing to say, what an earlier run may have left goes.
static ts_status put_results(csv_sink *sink, const ts_run_ending *ending, ts_error *error)
{
  ts_c_locale locale;
  csv_table *out = &sink->results;
  if (!ending || (ending->lists[TS_RUN_PARAMETERS].count == 0 && ending->lists[TS_RUN_RESULTS].count == 0)) {
    unlink(sink->results_path);
    return TS_OK;
  }
  TS_TRY(ts_atomic_file_create(sink->results_path, &out->file, error));
  out->stream = fopen(out->file.temporary, "w");
  if (!out->stream) {
    out->failure = errno;
    return fail_in(out, "cannot be written", error);
  }
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  write_results(out, ending);
  ts_c_locale_leave(&locale);
  close_stream(out);
  return out->failure != 0 ? fail_in(out, "cannot be written", error) : ts_atomic_file_commit(&out->file, error);
}

static ts_status finish(ts_sink *base, const ts_run_rest *rest, ts_error *error)
{
  csv_sink *sink = (csv_sink *)base; // there is no place for a checkpoint
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table)
    if (sink->tables[table].stream) close_stream(&sink->tables[table]);
  ts_status status = keep(sink, error);
  if (status == TS_OK) status = put_results(sink, rest->ending, error);
  discard(base);
  return status;
}

static const ts_sink_functions functions = {append, finish, discard, NULL};

static ts_status open_table(csv_sink *sink, const char *path, ts_run_table number, ts_error *error)
{
  csv_table *table = &sink->tables[number];
  char *name = ts_csv_name(path, number);
  if (!name) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  if (sink->layout->column_count[number] == 0) {
    table->stale = name;
    return TS_OK;
  }
  const ts_status status = ts_atomic_file_create(name, &table->file, error);
  if (status != TS_OK && error && number != TS_STATES) snprintf(error->file, sizeof error->file, "%s", name);
  free(name);
  TS_TRY(status);
  table->stream = fopen(table->file.temporary, "w");
  if (!table->stream) {
    table->failure = errno;
    return fail_in(table, "cannot be written", error);
  }
  setvbuf(table->stream, NULL, _IOFBF, 1 << 16);
  write_heading(sink->layout, number, table);
  return TS_OK;
}

ts_status ts_csv_sink_create(const char *path, const ts_run_layout *layout, ts_sink **sink, ts_error *error)
{
  *sink = NULL;
  csv_sink *csv = calloc(1, sizeof *csv);
  if (!csv) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  csv->base.functions = &functions;
  csv->layout = layout;
  csv->results_path = ts_csv_name_of_results(path);
  if (!csv->results_path) {
    free(csv);
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  }
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) {
    const ts_status status = open_table(csv, path, (ts_run_table)table, error);
    if (status == TS_OK) continue;
    discard(&csv->base);
    return status;
  }
  *sink = &csv->base;
  return TS_OK;
}
