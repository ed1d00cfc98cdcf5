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

static void print_place(const char *file, int line, int column)
{
  fputs("touchstone: ", stderr);
  if (file) fprintf(stderr, "%s:", file);
  if (line > 0) fprintf(stderr, "%d:", line);
  if (line > 0 && column > 0) fprintf(stderr, "%d:", column);
  if (file || line > 0) fputc(' ', stderr);
}

void cli_message_about(const char *file, const ts_error *error)
{
  print_place(error->file[0] ? error->file : file, error->line, error->column);
  fprintf(stderr, "%s\n", error->text);
}

void cli_message_note(const char *file, const ts_scene_note *note)
{
  print_place(note->file[0] ? note->file : file, note->line, note->column);
  fprintf(stderr, "%s: %s\n", note->warning ? "warning" : "note", note->text);
}
