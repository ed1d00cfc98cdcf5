// Record random scenes as `touchstone run` would, each with every stepper in both coordinates: FOLDER/SEED-STEPPER-
// COORDINATES.csv. scripts/hash-results compares what two builds leave.
// usage: record_random_scenes FOLDER COUNT
#include "scene_generator.h"

#include "touchstone/record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { STEPS = 12, EVENT_STEPS = 2 }; // of crowded scenes events take long

static const char *folder;
static int count;

static ts_step_options options_for(uint64_t seed, int stepper, ts_coordinates coordinates)
{
  ts_step_options options = ts_step_options_default();
  options.method = ts_stepper_at(stepper);
  options.coordinates = coordinates;
  options.size = seed % 2 == 0 ? 1e-3 : 4e-3;
  options.cone = seed % 4 == 3 ? TS_CONE_POLYHEDRAL : TS_CONE_QUADRATIC;
  return options;
}

static ts_status record_steps(ts_sim *sim, ts_recorder *recorder, ts_error *error)
{
  const bool events = strcmp(ts_stepper_name(ts_sim_options(sim)->method), "event-driven") == 0;
  const int steps = events ? EVENT_STEPS : STEPS;
  for (int k = 0; k < steps; ++k) {
    const ts_status status = ts_sim_step(sim, error);
    if (status != TS_OK) return status;
    if (ts_recorder_add(recorder, sim, true, error) != TS_OK) fail_msg("%s", error->text);
  }
  return TS_OK;
}

// What was refused, or went wrong, is a result too.
static void write_refusal(const char *path, const ts_error *error)
{
  FILE *file = fopen(path, "w");
  if (!file) fail_msg("%s cannot be written", path);
  fprintf(file, "%s\n", error->text);
  fclose(file);
}

static void record_run(const ts_model *model, const ts_step_options *options, const char *name)
{
  char path[1024], refusal[1024];
  snprintf(path, sizeof path, "%s/%s.csv", folder, name);
  snprintf(refusal, sizeof refusal, "%s/%s.txt", folder, name);
  ts_sim *sim;
  ts_error error;
  if (ts_sim_create(model, options, NULL, &sim, &error) != TS_OK) {
    write_refusal(refusal, &error);
    return;
  }
  ts_recorder *recorder;
  if (ts_recorder_create(path, sim, NULL, &recorder, &error) != TS_OK) fail_msg("%s", error.text);
  if (record_steps(sim, recorder, &error) != TS_OK) write_refusal(refusal, &error);
  if (ts_recorder_close(recorder, sim, &error) != TS_OK) fail_msg("%s", error.text);
  ts_sim_destroy(sim);
}

static void record_seed(uint64_t seed)
{
  const scene_recipe recipe = scene_recipe_random(seed);
  ts_model *model = scene_generate(&recipe, seed, (scene_variant){.turn = {1.0, 0.0, 0.0, 0.0}});
  for (int k = 0; k < ts_stepper_count(); ++k)
    for (int minimal = 0; minimal < 2; ++minimal) {
      const ts_step_options options = options_for(seed, k, minimal ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT);
      char name[128];
      snprintf(name, sizeof name, "%llu-%s-%s", (unsigned long long)seed, ts_stepper_name(options.method),
               minimal ? "minimal" : "redundant");
      record_run(model, &options, name);
    }
  ts_model_destroy(model);
}

static void record_all(void **state)
{
  (void)state;
  for (int k = 0; k < count; ++k) record_seed(71000 + (uint64_t)k);
}

int main(int argc, char **argv)
{
  if (argc != 3) {
    fprintf(stderr, "usage: %s FOLDER COUNT\n", argv[0]);
    return 2;
  }
  folder = argv[1];
  count = atoi(argv[2]);
  const struct CMUnitTest all[] = {cmocka_unit_test(record_all)}; // the generator speaks through cmocka
  return cmocka_run_group_tests(all, NULL, NULL);
}
