// libFuzzer target: any bytes, read as a robot. What is accepted has a text that is a scene with the same bodies; what
// is refused gets one sentence with a place. The first byte chooses the options.
#include "touchstone/urdf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void demand(int condition)
{
  if (!condition) abort();
}

static void check_round_trip(const ts_scene *scene)
{
  const char *text = ts_scene_text(scene);
  ts_scene *again;
  demand(ts_scene_parse(text, strlen(text), "again", NULL, 0, &again, NULL) == TS_OK);
  demand(strcmp(ts_scene_text(again), text) == 0);
  demand(ts_model_body_count(ts_scene_model(again)) == ts_model_body_count(ts_scene_model(scene)));
  ts_scene_destroy(again);
}

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
  if (status == TS_OK) {
    check_round_trip(scene);
  } else {
    demand(scene == NULL && error.status == status && error.text[0] != '\0' && !strchr(error.text, '\n'));
    demand(status == TS_OUT_OF_MEMORY || (error.line > 0 && error.column > 0));
  }
  ts_scene_destroy(scene);
  return 0;
}
