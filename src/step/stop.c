#include "touchstone/stop.h"

#include "touchstone/suggest.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STOP_NAME(name, text, help) text,
static const char *const names[] = {TS_STOP_LIST(STOP_NAME)};
#undef STOP_NAME

static bool holds(ts_stop_kind kind, const ts_step_report *report)
{
  switch (kind) {
  case TS_STOP_JAM:
    return report->jammed;
  default:
    return !report->certified;
  }
}

// ---- reading -------------------------------------------------------------------------------------------------------

static const char *name_at(int i, const void *unused)
{
  (void)unused;
  return names[i];
}

static ts_status find_kind(const char *word, ts_stop_kind *kind, ts_error *error)
{
  for (int i = 0; i < TS_STOP_COUNT; ++i) {
    *kind = (ts_stop_kind)i;
    if (strcmp(names[i], word) == 0) return TS_OK;
  }
  const char *nearest = ts_suggest(word, TS_STOP_COUNT, name_at, NULL);
  return ts_fail(error, TS_INVALID, "a run cannot be stopped on '%.60s'; there are '%s' and '%s'%s%s%s", word, names[0],
                 names[1], nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

// "10": steps; "0.5s": seconds.
static ts_status read_length(const char *text, ts_stop_condition *condition, ts_error *error)
{
  char *end;
  const double value = strtod(text, &end);
  const bool seconds = strcmp(end, "s") == 0;
  if (end != text && seconds && value > 0.0 && isfinite(value)) {
    condition->duration = value;
    return TS_OK;
  }
  if (end == text || *end || !(value >= 1.0 && value <= 1e9 && value == floor(value)))
    return ts_fail(error, TS_INVALID, "'%.60s' is neither a number of steps, as 10, nor a time, as 0.5s", text);
  condition->steps = (int)value;
  return TS_OK;
}

static ts_status read_condition(char *word, ts_stop *stop, ts_error *error)
{
  ts_stop_condition condition = {.steps = 1};
  char *colon = strchr(word, ':');
  if (colon) *colon = '\0';
  if (stop->count == TS_STOP_CONDITIONS)
    return ts_fail(error, TS_INVALID, "a run can be stopped on %d conditions", TS_STOP_CONDITIONS);
  TS_TRY(find_kind(word, &condition.kind, error));
  if (colon) TS_TRY(read_length(colon + 1, &condition, error));
  stop->conditions[stop->count++] = condition;
  return TS_OK;
}

ts_status ts_stop_read(const char *text, ts_stop *stop, ts_error *error)
{
  char copy[256];
  TS_REFUSE_UNLESS(stop, error);
  *stop = (ts_stop){.time = -1.0};
  if (!text || !*text) return TS_OK;
  if (strlen(text) >= sizeof copy) return ts_fail(error, TS_INVALID, "the conditions to stop on are too long");
  strcpy(copy, text);
  for (char *word = copy, *next; word; word = next) {
    next = strchr(word, ',');
    if (next) *next++ = '\0';
    TS_TRY(read_condition(word, stop, error));
  }
  return TS_OK;
}

// ---- watching ------------------------------------------------------------------------------------------------------

const ts_stop_condition *ts_stop_met(ts_stop *stop, double t, const ts_step_report *report)
{
  static const double ROUND_OFF = 1e-9; // of a sum of steps
  TS_REQUIRE(stop);
  TS_REQUIRE(report);
  const double start = stop->time < 0.0 ? t : stop->time;
  const ts_stop_condition *met = NULL;
  stop->time = t;
  for (int i = 0; i < stop->count; ++i) {
    const ts_stop_condition *condition = &stop->conditions[i];
    if (!holds(condition->kind, report)) {
      stop->steps[i] = 0;
      continue;
    }
    if (stop->steps[i]++ == 0) stop->since[i] = start;
    const bool long_enough = t - stop->since[i] >= condition->duration * (1.0 - ROUND_OFF);
    if (!met && long_enough && stop->steps[i] >= condition->steps) met = condition;
  }
  return met;
}

const char *ts_stop_describe(const ts_stop_condition *condition, char *text, size_t size)
{
  TS_REQUIRE(condition);
  TS_REQUIRE(text);
  if (condition->duration > 0.0)
    snprintf(text, size, "%s for %g s", names[condition->kind], condition->duration);
  else
    snprintf(text, size, "%s for %d step%s", names[condition->kind], condition->steps, condition->steps > 1 ? "s" : "");
  return text;
}
