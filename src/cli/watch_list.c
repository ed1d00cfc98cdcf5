#include "cli/watch_list.h"

#include "cli/table.h"

#include <math.h>

static bool has_range(const ts_scene_parameter *parameter)
{
  return isfinite(parameter->least) || isfinite(parameter->most);
}

void cli_print_scene_parameters(const ts_scene *scene)
{
  cli_table table;
  if (ts_scene_parameter_count(scene) == 0) return;
  cli_table_init(&table);
  cli_table_column(&table, "parameter", 'l');
  cli_table_column(&table, "value", 'r');
  cli_table_column(&table, "unit", 'l');
  cli_table_column(&table, "range", 'l');
  cli_table_column(&table, "what it is", 'l');
  for (int i = 0; i < ts_scene_parameter_count(scene); ++i) {
    const ts_scene_parameter parameter = ts_scene_parameter_at(scene, i);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", parameter.name);
    cli_table_cell(&table, "%.9g", parameter.value);
    cli_table_cell(&table, "%s", parameter.unit);
    if (has_range(&parameter))
      cli_table_cell(&table, "%g to %g", parameter.least, parameter.most);
    else
      cli_table_cell(&table, "%s", "");
    cli_table_cell(&table, "%s%s%s", parameter.derived ? "derived" : "",
                   parameter.derived && *parameter.help ? ": " : "", parameter.help);
  }
  printf("\n");
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

static void print_stops(const ts_watch *watch)
{
  cli_table table;
  if (ts_watch_stop_count(watch) == 0) return;
  cli_table_init(&table);
  cli_table_column(&table, "ends on", 'l');
  cli_table_column(&table, "when", 'l');
  cli_table_column(&table, "for", 'l');
  for (int i = 0; i < ts_watch_stop_count(watch); ++i) {
    const ts_stop_def stop = ts_watch_stop_at(watch, i);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", stop.name);
    cli_table_cell(&table, "%s", stop.when);
    if (stop.duration > 0.0)
      cli_table_cell(&table, "%g s", stop.duration);
    else
      cli_table_cell(&table, "%d step%s", stop.steps, stop.steps == 1 ? "" : "s");
  }
  printf("\n");
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

static bool has_window(const ts_result_def *result)
{
  return result->from != 0.0 || result->to != 0.0;
}

// When its values count.
static void add_time(cli_table *table, const ts_result_def *result)
{
  if (result->last > 0.0)
    cli_table_cell(table, "last %g s", result->last);
  else if (result->kind == TS_RESULT_VALUE)
    cli_table_cell(table, "at %g s", result->from);
  else if (has_window(result) && isfinite(result->to))
    cli_table_cell(table, "%g to %g s", result->from, result->to);
  else if (has_window(result))
    cli_table_cell(table, "from %g s", result->from);
  else
    cli_table_cell(table, "%s", "");
}

static void print_results(const ts_watch *watch)
{
  cli_table table;
  if (ts_watch_result_count(watch) == 0) return;
  cli_table_init(&table);
  cli_table_column(&table, "result", 'l');
  cli_table_column(&table, "kind", 'l');
  cli_table_column(&table, "of", 'l');
  cli_table_column(&table, "when", 'l');
  cli_table_column(&table, "time", 'l');
  cli_table_column(&table, "unit", 'l');
  cli_table_column(&table, "what it is", 'l');
  for (int i = 0; i < ts_watch_result_count(watch); ++i) {
    const ts_result_def result = ts_watch_result_at(watch, i);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", result.name);
    cli_table_cell(&table, "%s", ts_result_kind_name(result.kind));
    cli_table_cell(&table, "%s", result.expression);
    cli_table_cell(&table, "%s", result.when ? result.when : "");
    add_time(&table, &result);
    cli_table_cell(&table, "%s", result.unit);
    cli_table_cell(&table, "%s", result.help);
  }
  printf("\n");
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

void cli_print_watched(const ts_watch *watch)
{
  print_stops(watch);
  print_results(watch);
}

void cli_list_scene_parameters(cli_json *json, const ts_scene *scene)
{
  cli_json_open_array(json, "parameters");
  for (int i = 0; i < ts_scene_parameter_count(scene); ++i) {
    const ts_scene_parameter parameter = ts_scene_parameter_at(scene, i);
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", parameter.name);
    cli_json_number(json, "value", parameter.value);
    cli_json_text(json, "unit", parameter.unit);
    cli_json_number(json, "least", parameter.least);
    cli_json_number(json, "most", parameter.most);
    cli_json_boolean(json, "derived", parameter.derived);
    cli_json_text(json, "help", parameter.help);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void list_stops(cli_json *json, const ts_watch *watch)
{
  cli_json_open_array(json, "stop");
  for (int i = 0; i < ts_watch_stop_count(watch); ++i) {
    const ts_stop_def stop = ts_watch_stop_at(watch, i);
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", stop.name);
    cli_json_text(json, "when", stop.when);
    cli_json_number(json, "for", stop.duration);
    cli_json_integer(json, "steps", stop.steps);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void list_results(cli_json *json, const ts_watch *watch)
{
  cli_json_open_array(json, "results");
  for (int i = 0; i < ts_watch_result_count(watch); ++i) {
    const ts_result_def result = ts_watch_result_at(watch, i);
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", result.name);
    cli_json_text(json, "kind", ts_result_kind_name(result.kind));
    cli_json_text(json, "expression", result.expression);
    cli_json_text(json, "when", result.when);
    if (has_window(&result)) cli_json_number(json, "from", result.from);
    if (has_window(&result)) cli_json_number(json, "to", result.to);
    if (result.last > 0.0) cli_json_number(json, "last", result.last);
    cli_json_text(json, "unit", result.unit);
    cli_json_text(json, "help", result.help);
    cli_json_close(json);
  }
  cli_json_close(json);
}

void cli_list_watched(cli_json *json, const ts_watch *watch)
{
  list_stops(json, watch);
  list_results(json, watch);
}
