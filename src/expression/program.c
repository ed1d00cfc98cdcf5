#include "expression/program.h"

#include <stdarg.h>
#include <stdio.h>

bool ts_expression_fail(ts_expression_error *error, int offset, const char *format, ...)
{
  if (!error) return false;
  error->offset = offset;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return false;
}
