// libFuzzer target: a saved state with some of its numbers replaced (two bytes for the place, eight for the number), or
// cut off, is refused with a sentence or taken; then the simulation can be stepped and saved again.
#include "touchstone/scene.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "touchstone: 1\n"
                           "bodies:\n"
                           "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
                           "- {name: arm, mass: 1, shape: {box: {size: [0.2, 0.1, 0.1]}}, position: [0, 0, 0.05],\n"
                           "   joint: {type: revolute, axis: [0, 0, 1], limits: [-1, 1]}}\n"
                           "- {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0.1]}\n"
                           "step: {size: 1e-3}\n"
                           "duration: 1\n";

enum { PIECE = 10, STEPS = 3 };

static ts_sim *start(ts_scene **scene, const char *coordinates)
{
  ts_sim *sim;
  if (ts_scene_parse(text, sizeof text - 1, "fuzz.yaml", &coordinates, 1, scene, NULL) != TS_OK) abort();
  if (ts_sim_create(ts_scene_model(*scene), ts_scene_options(*scene), NULL, &sim, NULL) != TS_OK) abort();
  for (int k = 0; k < STEPS; ++k)
    if (ts_sim_step(sim, NULL) != TS_OK) abort();
  return sim;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0) return 0;
  ts_scene *scene;
  ts_sim *sim = start(&scene, data[0] & 1 ? "step.coordinates=minimal" : "step.coordinates=redundant");
  size_t count = ts_sim_state_size(sim);
  double *state = calloc(count + 1, sizeof *state);
  if (ts_sim_save(sim, state, count, NULL) != TS_OK) abort();
  if (data[0] & 2) count = count * data[0] / 255;
  for (size_t at = 1; at + PIECE <= size && count > 0; at += PIECE)
    memcpy(&state[(size_t)(data[at] + 256 * data[at + 1]) % count], data + at + 2, sizeof *state);
  ts_error error = {0};
  const ts_status status = ts_sim_load(sim, state, count, &error);
  if (status != TS_OK && (error.status != status || !error.text[0])) abort();
  free(state);
  for (int k = 0; k < STEPS && ts_sim_step(sim, NULL) == TS_OK; ++k) continue;
  count = ts_sim_state_size(sim);
  state = calloc(count + 1, sizeof *state);
  if (ts_sim_save(sim, state, count, NULL) != TS_OK) abort();
  free(state);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  return 0;
}
