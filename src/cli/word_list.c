#include "cli/word_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cli_word_list_add(char *text, size_t size, int i, int count, const char *format, ...)
{
  if (i > 0) strncat(text, i + 1 < count ? ", " : " or ", size - strlen(text) - 1);
  const size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}
