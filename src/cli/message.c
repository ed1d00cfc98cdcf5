#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>

void cli_message(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("touchstone: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

void cli_message_about(const char *file, const ts_error *error)
{
  if (error->file[0]) file = error->file;
  fputs("touchstone: ", stderr);
  if (file) fprintf(stderr, "%s:", file);
  if (error->line > 0) fprintf(stderr, "%d:", error->line);
  if (error->line > 0 && error->column > 0) fprintf(stderr, "%d:", error->column);
  fprintf(stderr, "%s%s\n", file || error->line > 0 ? " " : "", error->text);
}
