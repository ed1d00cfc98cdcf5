#include "text/csv.h"

#include "text/content.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

ts_status ts_csv_open(const char *path, ts_csv *csv, ts_error *error)
{
  size_t bytes;
  *csv = (ts_csv){0};
  TS_TRY(ts_content_read(path, &csv->content, &bytes, error));
  ts_scan_init(&csv->scan, csv->content, bytes, error);
  return TS_OK;
}

void ts_csv_close(ts_csv *csv)
{
  free(csv->content);
  free(csv->unquoted);
  *csv = (ts_csv){0};
}

ts_status ts_csv_refuse(ts_csv *csv, const char *at, const char *what)
{
  return ts_scan_fail(&csv->scan, at, TS_INVALID, "%s", what);
}

// ---- fields --------------------------------------------------------------------------------------------------------

static bool is_at_separator(const ts_csv *csv)
{
  const char *at = csv->scan.at;
  return at == csv->scan.end || *at == ',' || *at == '\n' || (*at == '\r' && at[1] == '\n');
}

static ts_status make_unquoted_room(ts_csv *csv, size_t size)
{
  if (size <= csv->capacity) return TS_OK;
  char *larger = realloc(csv->unquoted, size);
  if (!larger) return ts_fail(csv->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
  csv->unquoted = larger;
  csv->capacity = size;
  return TS_OK;
}

// The closing quote of a quoted field, or NULL. Two quotes in a row stand for one.
static const char *closing_quote(const ts_csv *csv, const char *at)
{
  for (; at < csv->scan.end; ++at) {
    if (*at != '"') continue;
    if (at[1] != '"') return at;
    ++at;
  }
  return NULL;
}

static ts_status read_quoted(ts_csv *csv, ts_csv_field *field)
{
  const char *end = closing_quote(csv, field->begin + 1);
  if (!end) return ts_csv_refuse(csv, field->begin, "the quote that begins here never ends");
  TS_TRY(make_unquoted_room(csv, (size_t)(end - field->begin)));
  field->length = 0;
  for (const char *at = field->begin + 1; at < end; at += *at == '"' ? 2 : 1) csv->unquoted[field->length++] = *at;
  field->text = csv->unquoted;
  csv->scan.at = end + 1;
  return is_at_separator(csv) ? TS_OK : ts_csv_refuse(csv, csv->scan.at, "a comma is missing after the quoted field");
}

ts_status ts_csv_read_field(ts_csv *csv, ts_csv_field *field)
{
  field->begin = field->text = csv->scan.at;
  if (*csv->scan.at == '"') return read_quoted(csv, field);
  while (!is_at_separator(csv)) ++csv->scan.at;
  field->length = (size_t)(csv->scan.at - field->begin);
  return TS_OK;
}

bool ts_csv_next_field(ts_csv *csv)
{
  if (csv->scan.at == csv->scan.end || *csv->scan.at != ',') return false;
  ++csv->scan.at;
  return true;
}

void ts_csv_end_row(ts_csv *csv)
{
  if (csv->scan.at < csv->scan.end && *csv->scan.at == '\r') ++csv->scan.at;
  if (csv->scan.at < csv->scan.end) ++csv->scan.at; // the newline
}

// Not quoted, and without the white space before it that strtod() would pass over.
static bool begins_like_number(const ts_csv_field *field)
{
  return field->length > 0 && strchr("+-.0123456789in", *field->text) && field->text == field->begin;
}

bool ts_csv_field_is_number(const ts_csv_field *field, double *value)
{
  char *end = NULL;
  if (begins_like_number(field)) *value = strtod(field->text, &end);
  return end && end == field->text + field->length;
}

// ---- writing -------------------------------------------------------------------------------------------------------

static bool write_quoted(FILE *stream, const char *text)
{
  bool written = putc('"', stream) != EOF;
  for (const char *c = text; *c && written; ++c)
    written = (*c != '"' || putc('"', stream) != EOF) && putc(*c, stream) != EOF;
  return written && putc('"', stream) != EOF;
}

bool ts_csv_write_text(FILE *stream, const char *text)
{
  if (!*text || strpbrk(text, ",\"\r\n")) return write_quoted(stream, text);
  return fputs(text, stream) != EOF;
}
