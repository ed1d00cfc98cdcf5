#include "scene_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

scene_run scene_run_start(const char *path, const char *const *overrides, int count)
{
  scene_run run;
  ts_error error;
  if (ts_scene_read(path, overrides, count, &run.scene, &error) != TS_OK)
    fail_msg("%s:%d:%d: %s", path, error.line, error.column, error.text);
  if (ts_sim_create(ts_scene_model(run.scene), ts_scene_options(run.scene), NULL, &run.sim, &error) != TS_OK)
    fail_msg("%s: %s", path, error.text);
  return run;
}

scene_run scene_run_text(const char *text)
{
  scene_run run;
  ts_error error;
  if (ts_scene_parse(text, strlen(text), "scene", NULL, 0, &run.scene, &error) != TS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.text);
  if (ts_sim_create(ts_scene_model(run.scene), ts_scene_options(run.scene), NULL, &run.sim, &error) != TS_OK)
    fail_msg("%s", error.text);
  return run;
}

void scene_run_end(scene_run *run)
{
  ts_sim_destroy(run->sim);
  ts_scene_destroy(run->scene);
}

void scene_run_to(scene_run *run, double t)
{
  while (ts_sim_time(run->sim) < t - 0.5 * ts_sim_options(run->sim)->size) {
    ts_error error;
    if (ts_sim_step(run->sim, &error) != TS_OK) fail_msg("%s", error.text);
    if (!ts_sim_report(run->sim)->certified)
      fail_msg("%s: the step to %g s is not certified, residual %g", ts_scene_name(run->scene), ts_sim_time(run->sim),
               ts_sim_report(run->sim)->residual);
  }
}

int scene_run_body(const scene_run *run, const char *name)
{
  return ts_model_find_body(ts_sim_model(run->sim), name);
}

ts_vec3 scene_run_position(const scene_run *run, const char *body)
{
  return ts_sim_pose(run->sim, scene_run_body(run, body)).position;
}
