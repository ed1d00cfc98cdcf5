#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#define TS_STATUS_TEXT(name, text) text,
static const char *const status_texts[] = {TS_STATUS_LIST(TS_STATUS_TEXT)};
#undef TS_STATUS_TEXT

const char *ts_status_text(ts_status status)
{
  return (unsigned)status < TS_STATUS_COUNT ? status_texts[status] : "unknown status";
}

static void write_error(ts_error *error, ts_status status, int line, int column, const char *format, va_list arguments)
{
  if (!error) return;
  error->status = status;
  error->line = line;
  error->column = column;
  error->file[0] = '\0';
  vsnprintf(error->text, sizeof error->text, format, arguments);
}

ts_status ts_fail(ts_error *error, ts_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  write_error(error, status, 0, 0, format, arguments);
  va_end(arguments);
  return status;
}

ts_status ts_fail_at(ts_error *error, ts_status status, int line, int column, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  write_error(error, status, line, column, format, arguments);
  va_end(arguments);
  return status;
}
