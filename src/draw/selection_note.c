#include "draw/selection_note.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMED = 3 }; // bodies; of more than that the number has to do

static void append(char *text, size_t size, const char *format, ...)
{
  const size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}

static const char *name_of(const ts_selection *s, int body)
{
  return s->shown.names ? s->shown.names[body] : "?";
}

// ---- far away ------------------------------------------------------------------------------------------------------

// Of a body that is outside at several moments the last one counts.
static bool is_last(const ts_crowd *crowd, int member)
{
  if (!crowd->outside[member]) return false;
  for (int i = member + 1; i < crowd->count; ++i)
    if (crowd->outside[i] && crowd->members[i].body == crowd->members[member].body) return false;
  return true;
}

static const char *direction_of(ts_vec3 way, ts_vec3 gravity)
{
  const double down = ts_vector_dot(ts_vector_unit(way), ts_vector_unit(gravity));
  return down > 0.9 ? "below" : down < -0.9 ? "above" : "away";
}

static void append_distance(const ts_selection *s, const ts_scope *box, char *text, size_t size)
{
  const ts_vec3 way = ts_scope_way(&s->scope, ts_scope_centre(box));
  const double length = ts_vector_length(way);
  append(text, size, length < 999.5 ? "%.3g m" : "%.3g km", length < 999.5 ? length : 1e-3 * length);
  append(text, size, " %s", direction_of(way, s->shown.gravity));
}

static void describe_outside(const ts_selection *s, const ts_crowd *crowd, char *text, size_t size)
{
  int bodies = 0;
  for (int i = 0; i < crowd->count; ++i) bodies += is_last(crowd, i);
  if (bodies == 0) return;
  append(text, size, "%d %s outside: ", bodies, bodies == 1 ? "body" : "bodies");
  for (int i = 0, k = 0; i < crowd->count && k < NAMED; ++i) {
    if (!is_last(crowd, i)) continue;
    append(text, size, "%s%s, ", k++ > 0 ? "; " : "", name_of(s, crowd->members[i].body));
    append_distance(s, &crowd->boxes[i], text, size);
  }
  if (bodies > NAMED) append(text, size, "; ...");
}

// ---- too large -----------------------------------------------------------------------------------------------------

static void describe_cut(const ts_selection *s, const ts_crowd *crowd, char *text, size_t size)
{
  int bodies = 0;
  for (int i = 0; i < crowd->count; ++i) {
    if (crowd->counted[i]) continue;
    const char *before = bodies > 0 ? ", " : *text ? "; cut off by the edge: " : "cut off by the edge: ";
    if (bodies++ < NAMED) append(text, size, "%s%s", before, name_of(s, crowd->members[i].body));
  }
  if (bodies > NAMED) append(text, size, ", ...");
}

void ts_selection_describe(const ts_selection *selection, const ts_crowd *crowd, char *text, size_t size)
{
  text[0] = '\0';
  if (selection->shown.focus) return; // what was asked for is there
  describe_outside(selection, crowd, text, size);
  describe_cut(selection, crowd, text, size);
}
