#include "schema/parameters.h"

#include "base/status.h"

#include "touchstone/suggest.h"

#include <math.h>
#include <string.h>

static const ts_key parameter_row = {.name = "a parameter", .type = TS_VALUE_NUMBER};
const ts_section ts_parameters_section = {"the parameters", .each = &parameter_row};

static bool is_bounded(const ts_parameter *parameter)
{
  return parameter->least != 0.0 || parameter->most != 0.0;
}

static bool holds(const ts_parameter *parameter, double value)
{
  if (!isfinite(value)) return false;
  return !is_bounded(parameter) || (value >= parameter->least && value <= parameter->most);
}

static const char *name_at(int i, const void *list)
{
  return ((const ts_parameter_list *)list)->items[i].name;
}

ts_status ts_parameters_check(ts_parameter_list list, const char *what, ts_error *error)
{
  if (list.count < 0 || list.count > TS_MOST_PARAMETERS || (list.count > 0 && !list.items))
    return ts_fail(error, TS_INVALID, "%s: it has %d parameters, at most %d are possible", what, list.count,
                   TS_MOST_PARAMETERS);
  for (int i = 0; i < list.count; ++i) {
    const ts_parameter *p = &list.items[i];
    if (!p->name || !*p->name) return ts_fail(error, TS_INVALID, "%s: parameter %d has no name", what, i + 1);
    for (int k = 0; k < i; ++k)
      if (strcmp(p->name, list.items[k].name) == 0)
        return ts_fail(error, TS_INVALID, "%s: two parameters are called '%s'", what, p->name);
    if (!holds(p, p->fallback))
      return ts_fail(error, TS_INVALID, "%s: the default of '%s' is out of its range", what, p->name);
  }
  return TS_OK;
}

void ts_parameters_default(ts_parameter_list list, double *values)
{
  for (int i = 0; i < list.count; ++i) values[i] = list.items[i].fallback;
}

static ts_status check_value(const ts_parameter *p, const char *owner, double value, ts_error *error)
{
  const char *unit = p->unit && *p->unit ? p->unit : "", *space = *unit ? " " : "";
  if (holds(p, value)) return TS_OK;
  if (!is_bounded(p)) return ts_fail(error, TS_INVALID, "%s: '%s' must be finite, not %g", owner, p->name, value);
  return ts_fail(error, TS_INVALID, "%s: '%s' must lie between %g and %g%s%s, not be %g", owner, p->name, p->least,
                 p->most, space, unit, value);
}

ts_status ts_parameters_set(ts_parameter_list list, const char *owner, const char *name, double value, double *values,
                            ts_error *error)
{
  for (int i = 0; i < list.count; ++i) {
    if (strcmp(list.items[i].name, name) != 0) continue;
    TS_TRY(check_value(&list.items[i], owner, value, error));
    values[i] = value;
    return TS_OK;
  }
  const char *nearest = ts_suggest(name, list.count, name_at, &list);
  return ts_fail(error, TS_INVALID, "%s has no parameter '%.60s'%s%s%s", owner, name, nearest ? "; did you mean '" : "",
                 nearest ? nearest : "", nearest ? "'?" : "");
}

ts_status ts_parameters_check_values(ts_parameter_list list, const char *owner, const double *values, ts_error *error)
{
  for (int i = 0; i < list.count; ++i) TS_TRY(check_value(&list.items[i], owner, values[i], error));
  return TS_OK;
}
