// A run as comma-separated values (RFC 4180, lines end with a newline alone): one file a table.
#define _POSIX_C_SOURCE 200809L // locale_t
#include "record/sink.h"

#include "record/csv_name.h"
#include "record/number_text.h"
#include "record/part_file.h"

#include "problemfile/c_locale.h"

#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct csv_sink {
  ts_sink base;
  const ts_run_layout *layout;
  ts_part_file files[TS_RUN_TABLE_COUNT];
  FILE *streams[TS_RUN_TABLE_COUNT];
} csv_sink;

// Say in which file the trouble is.
static ts_status fail_in(const csv_sink *sink, ts_run_table table, ts_error *error)
{
  const ts_status status = ts_fail(error, TS_IO, "the file cannot be written: %s", strerror(errno));
  if (error) snprintf(error->file, sizeof error->file, "%s", sink->files[table].path);
  return status;
}

static void write_quoted(FILE *out, const char *text)
{
  fputc('"', out);
  for (const char *c = text; *c; ++c) {
    if (*c == '"') fputc('"', out);
    fputc(*c, out);
  }
  fputc('"', out);
}

static void write_text(FILE *out, const char *text)
{
  if (*text && !strpbrk(text, ",\"\r\n"))
    fputs(text, out);
  else
    write_quoted(out, text);
}

static void write_heading(const ts_run_layout *layout, ts_run_table table, FILE *out)
{
  for (int k = 0; k < layout->column_count[table]; ++k) {
    if (k > 0) fputc(',', out);
    write_text(out, layout->columns[table][k].name);
  }
  fputc('\n', out);
}

static void write_value(const ts_run_layout *layout, const ts_column *column, double value, FILE *out)
{
  const ts_vocabulary *words = &layout->words[column->kind];
  if (words->count > 0) {
    write_text(out, words->names[(int)value]);
    return;
  }
  char text[TS_NUMBER_TEXT_SIZE];
  const size_t length = ts_number_text(value, text);
  fwrite(text, 1, length, out);
}

static void write_row(const ts_run_layout *layout, ts_run_table table, const double *row, FILE *out)
{
  for (int k = 0; k < layout->column_count[table]; ++k) {
    if (k > 0) fputc(',', out);
    write_value(layout, &layout->columns[table][k], row[k], out);
  }
  fputc('\n', out);
}

static ts_status append(ts_sink *base, ts_run_table table, const double *row, ts_error *error)
{
  csv_sink *sink = (csv_sink *)base;
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  errno = 0;
  write_row(sink->layout, table, row, sink->streams[table]);
  ts_c_locale_leave(&locale);
  return ferror(sink->streams[table]) ? fail_in(sink, table, error) : TS_OK;
}

static void discard(ts_sink *base)
{
  csv_sink *sink = (csv_sink *)base;
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) {
    if (sink->streams[table]) fclose(sink->streams[table]);
    ts_part_file_discard(&sink->files[table]);
  }
  free(sink);
}

static ts_status close_streams(csv_sink *sink, ts_error *error)
{
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) {
    FILE *stream = sink->streams[table];
    sink->streams[table] = NULL;
    if (fclose(stream) != 0) return fail_in(sink, (ts_run_table)table, error);
  }
  return TS_OK;
}

// The states come last: where they are, the other tables are too.
static ts_status put_in_place(csv_sink *sink, ts_error *error)
{
  for (int table = TS_RUN_TABLE_COUNT - 1; table >= 0; --table) TS_TRY(ts_part_file_commit(&sink->files[table], error));
  return TS_OK;
}

static ts_status finish(ts_sink *base, const double *checkpoint, size_t size, ts_error *error)
{
  (void)checkpoint; // there is no place for it
  (void)size;
  csv_sink *sink = (csv_sink *)base;
  ts_status status = close_streams(sink, error);
  if (status == TS_OK) status = put_in_place(sink, error);
  discard(base);
  return status;
}

static const ts_sink_functions functions = {append, finish, discard};

static ts_status open_table(csv_sink *sink, const char *path, ts_run_table table, ts_error *error)
{
  char *name = ts_csv_name(path, table);
  if (!name) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = ts_part_file_create(name, &sink->files[table], error);
  if (status != TS_OK && error && table != TS_STATES) snprintf(error->file, sizeof error->file, "%s", name);
  free(name);
  TS_TRY(status);
  sink->streams[table] = fopen(sink->files[table].temporary, "w");
  if (!sink->streams[table]) return fail_in(sink, table, error);
  setvbuf(sink->streams[table], NULL, _IOFBF, 1 << 16);
  write_heading(sink->layout, table, sink->streams[table]);
  return TS_OK;
}

ts_status ts_csv_sink_create(const char *path, const ts_run_layout *layout, ts_sink **sink, ts_error *error)
{
  *sink = NULL;
  csv_sink *csv = calloc(1, sizeof *csv);
  if (!csv) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  csv->base.functions = &functions;
  csv->layout = layout;
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) {
    const ts_status status = open_table(csv, path, (ts_run_table)table, error);
    if (status == TS_OK) continue;
    discard(&csv->base);
    return status;
  }
  *sink = &csv->base;
  return TS_OK;
}
