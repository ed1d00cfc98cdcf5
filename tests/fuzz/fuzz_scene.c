// libFuzzer target: any bytes, read as a scene. What is accepted has a text that is accepted too and stays as it is;
// what is refused gets one sentence with a place.
#include "scene_demands.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  ts_scene *scene;
  ts_error error = {0};
  const ts_status status = ts_scene_parse((const char *)data, size, "fuzz.yaml", NULL, 0, &scene, &error);
  demand_scene_or_sentence(status, scene, &error);
  ts_scene_destroy(scene);
  return 0;
}
