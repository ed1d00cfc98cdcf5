// libFuzzer target: any bytes, read as a scene. What is accepted has a text that is accepted too and stays as it is;
// what is refused gets one sentence with a place. Where it has parameters they are set, and back: then it is what it
// was.
#include "scene_demands.h"

#include <math.h>
#include <stdint.h>

// Every parameter once, to a value that may be good or bad.
static void set_parameters(ts_scene *scene, unsigned choice)
{
  static const double factors[] = {0.0, 1.0, 2.0, -1.0, 0.5, 1e6, 1.001, 3.0};
  const int count = ts_scene_parameter_count(scene), bodies = ts_model_body_count(ts_scene_model(scene));
  double *values = calloc((size_t)count + 1, sizeof *values);
  for (int i = 0; i < count && i < 4; ++i) {
    for (int k = 0; k < count; ++k) values[k] = NAN;
    values[i] = factors[(choice + (unsigned)i) % 8] * ts_scene_parameter_at(scene, i).value + (choice & 1);
    ts_error error = {0};
    const ts_status status = ts_scene_set_parameters(scene, values, &error);
    demand(status == TS_OK || (error.status == status && error.text[0] && !strchr(error.text, '\n')));
    values[i] = NAN;
    demand(ts_scene_set_parameters(scene, values, NULL) == TS_OK);
    demand(ts_model_body_count(ts_scene_model(scene)) == bodies);
  }
  free(values);
}

static void demand_watch(const ts_scene *scene)
{
  ts_watch *watch;
  demand(ts_scene_create_watch(scene, &watch, NULL) == TS_OK);
  ts_watch_destroy(watch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  ts_scene *scene;
  ts_error error = {0};
  const ts_status status = ts_scene_parse((const char *)data, size, "fuzz.yaml", NULL, 0, &scene, &error);
  demand_scene_or_sentence(status, scene, &error);
  if (status == TS_OK) {
    demand_watch(scene);
    set_parameters(scene, (unsigned)size);
    demand_watch(scene);
  }
  ts_scene_destroy(scene);
  return 0;
}
