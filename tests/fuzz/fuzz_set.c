// libFuzzer target: any lines, given as overrides (--set) of a scene with a bit of everything.
#include "scene_demands.h"

#include <stdint.h>

static const char text[] =
    "touchstone: 1\n"
    "parameters: {mu: 0.5, r: {value: 0.1, range: [0, 1], unit: m}, d: =2*r}\n"
    "results: {top: {max: arm.z + d}}\n"
    "materials: [{name: rubber, friction: 0.9}]\n"
    "bodies:\n"
    "- {name: floor, kind: fixed, material: rubber, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "- {repeat: {count: 2}, name: ball_$i, position: [=3 + i, 0, 1], shape: {sphere: {radius: =r}}}\n"
    "- {name: arm, mass: 1, shape: {box: {size: [0.2, 0.1, 0.1]}}, position: [0, 0, 1],\n"
    "   joint: {name: hinge, type: revolute, axis: [0, 0, 1], limits: [-1, 1]}}\n"
    "step: {size: 1e-3, cone: {polyhedral: {directions: 8}}}\n"
    "duration: 1\n";

enum { MOST = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *lines = calloc(size + 1, 1);
  if (size > 0) memcpy(lines, data, size);
  const char *overrides[MOST];
  int count = 0;
  for (char *line = strtok(lines, "\n"); line && count < MOST; line = strtok(NULL, "\n")) overrides[count++] = line;
  ts_scene *scene;
  ts_error error = {0};
  const ts_status status = ts_scene_parse(text, sizeof text - 1, "fuzz.yaml", overrides, count, &scene, &error);
  if (status == TS_OK)
    demand_round_trip(scene);
  else
    demand(!scene && error.status == status && error.text[0] && !strchr(error.text, '\n'));
  ts_scene_destroy(scene);
  free(lines);
  return 0;
}
