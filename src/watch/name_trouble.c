#include "watch/name_trouble.h"

#include "touchstone/suggest.h"

#include "model/model.h"

#include <stdarg.h>
#include <stdio.h>

bool ts_name_refuse(ts_name_trouble *trouble, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(trouble->text, sizeof trouble->text, format, arguments);
  va_end(arguments);
  return false;
}

static const char *body_name(int i, const void *model)
{
  return ((const ts_model *)model)->bodies[i].name;
}

bool ts_name_refuse_body(ts_name_trouble *trouble, const ts_model *model, const char *what, const char *name)
{
  const char *nearest = ts_suggest(name, model->body_count, body_name, model);
  if (nearest) return ts_name_refuse(trouble, "there is no %s '%.60s'; did you mean '%.60s'?", what, name, nearest);
  return ts_name_refuse(trouble, "there is no %s '%.60s'", what, name);
}

bool ts_name_refuse_quantity(ts_name_trouble *trouble, const char *whose, const char *name, int count,
                             const char *(*name_at)(int i, const void *user), const void *user)
{
  const char *nearest = ts_suggest(name, count, name_at, user);
  if (nearest && *nearest) return ts_name_refuse(trouble, "%s no '%.40s'; did you mean '%s'?", whose, name, nearest);
  char list[120] = "";
  size_t used = 0;
  for (int i = 0; i < count && used < sizeof list; ++i)
    if (*name_at(i, user))
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", name_at(i, user));
  if (used >= sizeof list) snprintf(list + sizeof list - 4, 4, "...");
  return ts_name_refuse(trouble, "%s no '%.40s' (%s)", whose, name, list);
}
