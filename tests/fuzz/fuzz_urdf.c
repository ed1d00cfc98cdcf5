// libFuzzer target: any bytes, read as a robot. What is accepted has a text that is a scene with the same bodies; what
// is refused gets one sentence with a place. The first byte chooses the options.
#include "scene_demands.h"

#include "touchstone/urdf.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0) return 0;
  ts_urdf_options options = ts_urdf_options_default();
  const char choice = (char)*data++;
  --size;
  options.base = choice & 1 ? TS_BASE_FREE : TS_BASE_FIXED;
  options.floor = choice & 2;
  options.hold = choice & 4;
  if (choice & 8) options.density = 0.0;
  ts_scene *scene;
  ts_error error = {0};
  const ts_status status =
      ts_urdf_parse((const char *)data, size, "/nowhere/fuzz.urdf", &options, NULL, 0, &scene, &error);
  demand_scene_or_sentence(status, scene, &error);
  ts_scene_destroy(scene);
  return 0;
}
