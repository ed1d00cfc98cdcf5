#include "cli/run_outcome.h"

#include "cli/allocation.h"

#include <math.h>
#include <stdlib.h>

static ts_record_number *list_parameters(const ts_scene *scene, int count)
{
  ts_record_number *list = cli_zeros((size_t)count + 1, sizeof *list);
  for (int i = 0; i < count; ++i) {
    const ts_scene_parameter parameter = ts_scene_parameter_at(scene, i);
    list[i] = (ts_record_number){parameter.name, parameter.unit, parameter.value};
  }
  return list;
}

static ts_record_number *list_results(const ts_watch *watch, int count)
{
  ts_record_number *list = cli_zeros((size_t)count + 1, sizeof *list);
  for (int i = 0; i < count; ++i)
    list[i] =
        (ts_record_number){ts_watch_result_name(watch, i), ts_watch_result_unit(watch, i), ts_watch_result(watch, i)};
  return list;
}

ts_status cli_record_outcome(ts_recorder *recorder, const ts_scene *scene, const ts_watch *watch, bool ended,
                             ts_error *error)
{
  if (!recorder) return TS_OK;
  const bool watches = watch && (ts_watch_result_count(watch) > 0 || ts_watch_stop_count(watch) > 0);
  ts_run_outcome outcome = {.parameter_count = ts_scene_parameter_count(scene),
                            .result_count = watches && ended ? ts_watch_result_count(watch) : 0,
                            .watched_size = watches ? ts_watch_state_size(watch) : 0};
  ts_record_number *parameters = list_parameters(scene, outcome.parameter_count);
  ts_record_number *results = list_results(watch, outcome.result_count);
  double *watched = cli_zeros(outcome.watched_size + 1, sizeof *watched);
  outcome.parameters = parameters;
  outcome.results = results;
  outcome.watched = watched;
  ts_status status = watches ? ts_watch_save(watch, watched, outcome.watched_size, error) : TS_OK;
  if (status == TS_OK) status = ts_recorder_set_outcome(recorder, &outcome, error);
  free(parameters);
  free(results);
  free(watched);
  return status;
}

void cli_print_results(const ts_watch *watch, FILE *out)
{
  if (ts_watch_result_count(watch) > 0) fprintf(out, "results:\n");
  for (int i = 0; i < ts_watch_result_count(watch); ++i) {
    const double value = ts_watch_result(watch, i);
    const char *unit = ts_watch_result_unit(watch, i);
    if (isnan(value))
      fprintf(out, "  %-19s none\n", ts_watch_result_name(watch, i));
    else
      fprintf(out, "  %-19s %.9g%s%s\n", ts_watch_result_name(watch, i), value, *unit ? " " : "", unit);
  }
}

void cli_write_scene_parameters(const ts_scene *scene, cli_json *json)
{
  const int count = ts_scene_parameter_count(scene);
  if (count == 0) return;
  cli_json_open_object(json, "parameters");
  for (int i = 0; i < count; ++i) {
    const ts_scene_parameter parameter = ts_scene_parameter_at(scene, i);
    cli_json_number(json, parameter.name, parameter.value);
  }
  cli_json_close(json);
}

void cli_write_results(const ts_watch *watch, cli_json *json)
{
  if (ts_watch_result_count(watch) == 0) return;
  cli_json_open_object(json, "results");
  for (int i = 0; i < ts_watch_result_count(watch); ++i) {
    const char *name = ts_watch_result_name(watch, i);
    const double value = ts_watch_result(watch, i);
    if (isinf(value)) // null: there is none
      cli_json_text(json, name, value > 0.0 ? "inf" : "-inf");
    else
      cli_json_number(json, name, value);
  }
  cli_json_close(json);
}
