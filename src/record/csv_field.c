#include "record/csv_field.h"

#include "text/content.h"

#include "base/status.h"

#include <stdlib.h>

ts_status ts_csv_open(const char *path, ts_csv *c, ts_error *error)
{
  size_t bytes;
  *c = (ts_csv){0};
  TS_TRY(ts_content_read(path, &c->content, &bytes, error));
  ts_scan_init(&c->scan, c->content, bytes, error);
  return TS_OK;
}

void ts_csv_close(ts_csv *c)
{
  free(c->content);
  free(c->unquoted);
}

ts_status ts_csv_fail(ts_csv *c, const char *at, const char *what)
{
  return ts_scan_fail(&c->scan, at, TS_INVALID, "%s", what);
}

static bool is_at_separator(const ts_csv *c)
{
  const char *at = c->scan.at;
  return at == c->scan.end || *at == ',' || *at == '\n' || (*at == '\r' && at[1] == '\n');
}

static ts_status make_unquoted_room(ts_csv *c, size_t size)
{
  if (size <= c->capacity) return TS_OK;
  char *larger = realloc(c->unquoted, size);
  if (!larger) return ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
  c->unquoted = larger;
  c->capacity = size;
  return TS_OK;
}

// The closing quote of a quoted field, or NULL. Two quotes in a row stand for one.
static const char *closing_quote(const ts_csv *c, const char *at)
{
  for (; at < c->scan.end; ++at) {
    if (*at != '"') continue;
    if (at[1] != '"') return at;
    ++at;
  }
  return NULL;
}

static ts_status read_quoted(ts_csv *c, ts_csv_field *field)
{
  const char *end = closing_quote(c, field->begin + 1);
  if (!end) return ts_csv_fail(c, field->begin, "the quote that begins here never ends");
  TS_TRY(make_unquoted_room(c, (size_t)(end - field->begin)));
  field->length = 0;
  for (const char *at = field->begin + 1; at < end; at += *at == '"' ? 2 : 1) c->unquoted[field->length++] = *at;
  field->text = c->unquoted;
  c->scan.at = end + 1;
  return is_at_separator(c) ? TS_OK : ts_csv_fail(c, c->scan.at, "a comma is missing after the quoted field");
}

ts_status ts_csv_read_field(ts_csv *c, ts_csv_field *field)
{
  field->begin = field->text = c->scan.at;
  if (*c->scan.at == '"') return read_quoted(c, field);
  while (!is_at_separator(c)) ++c->scan.at;
  field->length = (size_t)(c->scan.at - field->begin);
  return TS_OK;
}

bool ts_csv_next_field(ts_csv *c)
{
  if (c->scan.at == c->scan.end || *c->scan.at != ',') return false;
  ++c->scan.at;
  return true;
}

void ts_csv_end_row(ts_csv *c)
{
  if (c->scan.at < c->scan.end && *c->scan.at == '\r') ++c->scan.at;
  if (c->scan.at < c->scan.end) ++c->scan.at; // the newline
}
