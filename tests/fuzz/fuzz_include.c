// libFuzzer target: any bytes, read as a scene and two files that it may include (a.yaml and b.yaml, parted by bytes
// 0xff).
#include "fuzz_files.h"
#include "scene_demands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"scene.yaml", "a.yaml", "b.yaml"};
  fuzz_write_parts(names, 3, data, size);
  ts_scene *scene;
  ts_error error = {0};
  const ts_status status = ts_scene_read(fuzz_path("scene.yaml"), NULL, 0, &scene, &error);
  if (status == TS_OK)
    demand_round_trip(scene);
  else
    demand(!scene && error.status == status && error.text[0] && !strchr(error.text, '\n'));
  ts_scene_destroy(scene);
  return 0;
}
