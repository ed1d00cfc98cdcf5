#include "watched_run.h"

#include "scene_try.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

watched_run watched_start(const char *text)
{
  watched_run run = {.scene = scene_of(text, NULL)};
  ts_error error = {0};
  ts_status status = ts_sim_create(ts_scene_model(run.scene), ts_scene_options(run.scene), NULL, &run.sim, &error);
  if (status == TS_OK) status = ts_scene_create_watch(run.scene, &run.watch, &error);
  if (status == TS_OK && ts_watch_needs_joint_forces(run.watch)) status = ts_sim_measure_joints(run.sim, true, &error);
  if (status == TS_OK) status = ts_watch_begin(run.watch, run.sim, &error);
  if (status != TS_OK) fail_msg("%s", error.text);
  return run;
}

ts_status watched_step(watched_run *run, ts_error *error)
{
  const ts_status status = ts_sim_step(run->sim, error);
  return status != TS_OK ? status : ts_watch_step(run->watch, run->sim, error);
}

void watched_finish(watched_run *run)
{
  ts_error error = {0};
  ts_status status = TS_OK;
  const double end = ts_scene_duration(run->scene) - 0.5 * ts_scene_options(run->scene)->size;
  while (status == TS_OK && ts_watch_stopped(run->watch) < 0 && ts_sim_time(run->sim) < end)
    status = watched_step(run, &error);
  if (status == TS_OK) status = ts_watch_end(run->watch, run->sim, &error);
  if (status != TS_OK) fail_msg("%s", error.text);
}

watched_run watched_run_of(const char *text)
{
  watched_run run = watched_start(text);
  watched_finish(&run);
  return run;
}

void watched_end(watched_run *run)
{
  ts_watch_destroy(run->watch);
  ts_sim_destroy(run->sim);
  ts_scene_destroy(run->scene);
}

double watched_result(const watched_run *run, const char *name)
{
  const int i = ts_watch_find_result(run->watch, name);
  if (i < 0) fail_msg("there is no result '%s'", name);
  return ts_watch_result(run->watch, i);
}
