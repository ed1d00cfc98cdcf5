#include "draw/refusal.h"

#include "touchstone/suggest.h"

#include <stdarg.h>
#include <stdio.h>

ts_status ts_refuse(ts_error *error, ts_status status, const char *format, ...)
{
  if (!error) return status;
  *error = (ts_error){.status = status};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return status;
}

ts_status ts_refuse_unknown(ts_error *error, const char *kind, const char *word, int count,
                            const char *(*name)(int i, const void *user), const void *user)
{
  const char *nearest = ts_suggest(word, count, name, user);
  return nearest ? ts_refuse(error, TS_INVALID, "there is no %s '%s'; did you mean '%s'?", kind, word, nearest)
                 : ts_refuse(error, TS_INVALID, "there is no %s '%s'", kind, word);
}

ts_status ts_refuse_for_memory(ts_error *error)
{
  return ts_refuse(error, TS_OUT_OF_MEMORY, "memory ran out");
}
