#include "scene_try.h"

#include "model_compare.h"
#include "option_compare.h"

#include "scene/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_OVERRIDES = 8 };

const char *ball_scene(const char *more)
{
  static char text[8192];
  const bool planar = strncmp(more, "space", 5) == 0;
  snprintf(text, sizeof text, "touchstone: 1\n%s\nbodies:\n  - {name: ball, shape: {%s: {radius: 0.1}}}\n", more,
           planar ? "disc" : "sphere");
  return text;
}

static int take_overrides(const char **overrides, va_list arguments)
{
  int count = 0;
  while ((overrides[count] = va_arg(arguments, const char *)) != NULL) assert_true(++count < MOST_OVERRIDES);
  return count;
}

ts_scene *scene_of(const char *text, ...)
{
  const char *overrides[MOST_OVERRIDES];
  va_list arguments;
  va_start(arguments, text);
  const int count = take_overrides(overrides, arguments);
  va_end(arguments);
  ts_scene *scene;
  ts_error error = {0};
  if (ts_scene_parse(text, strlen(text), "test.yaml", overrides, count, &scene, &error) != TS_OK)
    fail_msg("%d:%d: %s\nin\n%s", error.line, error.column, error.text, text);
  return scene;
}

const char *trouble_of(const char *text, ...)
{
  static char found[700];
  const char *overrides[MOST_OVERRIDES];
  va_list arguments;
  va_start(arguments, text);
  const int count = take_overrides(overrides, arguments);
  va_end(arguments);
  ts_scene *scene;
  ts_error error = {0};
  const ts_status status = ts_scene_parse(text, strlen(text), "test.yaml", overrides, count, &scene, &error);
  if (status == TS_OK) {
    ts_scene_destroy(scene);
    fail_msg("this was accepted:\n%s", text);
  }
  assert_null(scene);
  snprintf(found, sizeof found, "%d:%d: %s", error.line, error.column, error.text);
  return found;
}

void assert_trouble(const char *text, const char *place, const char *part)
{
  const char *found = trouble_of(text, NULL);
  if (strncmp(found, place, strlen(place)) != 0 || !strstr(found, part))
    fail_msg("'%s' is not '%s' with '%s', in\n%s", found, place, part, text);
}

static bool same_text(const char *a, const char *b)
{
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *parameter_difference(const ts_scene *a, const ts_scene *b)
{
  if (ts_scene_parameter_count(a) != ts_scene_parameter_count(b)) return NULL; // of use to expressions alone
  for (int i = 0; i < ts_scene_parameter_count(a); ++i) {
    const ts_scene_parameter one = ts_scene_parameter_at(a, i), other = ts_scene_parameter_at(b, i);
    if (strcmp(one.name, other.name) != 0 || one.value != other.value) return "parameter";
    if (one.least != other.least || one.most != other.most) return "range of a parameter";
    if (strcmp(one.unit, other.unit) != 0 || strcmp(one.help, other.help) != 0) return "unit or help of a parameter";
  }
  return NULL;
}

static const char *stop_difference(const ts_stop_def *a, const ts_stop_def *b)
{
  if (!same_text(a->name, b->name) || !same_text(a->when, b->when)) return "text of a condition";
  return a->duration != b->duration || a->steps != b->steps ? "length of a condition" : NULL;
}

static const char *result_difference(const ts_result_def *a, const ts_result_def *b)
{
  if (!same_text(a->name, b->name) || !same_text(a->expression, b->expression)) return "result";
  if (!same_text(a->unit, b->unit) || !same_text(a->help, b->help)) return "unit or help of a result";
  if (a->kind != b->kind || !same_text(a->when, b->when)) return "kind or condition of a result";
  return a->from != b->from || a->to != b->to || a->last != b->last ? "time of a result" : NULL;
}

static const char *watch_difference(const ts_watch_plan *a, const ts_watch_plan *b)
{
  const char *found = NULL;
  if (a->stop_count != b->stop_count) return "conditions";
  if (a->result_count != b->result_count) return "results";
  for (int i = 0; i < a->stop_count && !found; ++i) found = stop_difference(&a->stops[i].def, &b->stops[i].def);
  for (int i = 0; i < a->result_count && !found; ++i) found = result_difference(&a->results[i].def, &b->results[i].def);
  return found;
}

const char *scene_difference(const ts_scene *a, const ts_scene *b)
{
  const char *found = parameter_difference(a, b);
  if (!found) found = watch_difference(&a->watch, &b->watch);
  if (found) return found;
  if (ts_scene_duration(a) != ts_scene_duration(b)) return "duration";
  if (ts_scene_output_interval(a) != ts_scene_output_interval(b)) return "interval";
  if (strcmp(ts_scene_name(a), ts_scene_name(b)) != 0) return "name";
  const char *option = option_difference(ts_scene_options(a), ts_scene_options(b));
  return option ? option : model_difference(ts_scene_model(a), ts_scene_model(b));
}

void assert_same_scenes(const char *text, const char *other)
{
  ts_scene *a = scene_of(text, NULL), *b = scene_of(other, NULL);
  const char *difference = scene_difference(a, b);
  if (difference) fail_msg("they differ in '%s':\n%s\n---\n%s", difference, text, other);
  ts_scene_destroy(a);
  ts_scene_destroy(b);
}
