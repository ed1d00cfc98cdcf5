// libFuzzer target: any bytes, read as a study, or as a verification, of a scene that is there, with a table that it may
// use (points.csv, after a byte 0xff). What is read gives the same parameters twice, and says why where it gives none.
#include "fuzz_files.h"
#include "scene_demands.h"

#include "touchstone/verify.h"

#include <math.h>
#include <string.h>

static const char scene[] = "touchstone: 1\nparameters: {v: 1, mu: {value: 0.3, range: [0, 1]}}\n"
                            "contact: {friction: =mu}\nbodies: [{name: ball, mass: 1, velocity: [=v, 0, 0]}]\n"
                            "results: {x: ball.x, success: x > 0}\n";

static void demand_sentence(ts_status status, const ts_error *error)
{
  demand(error->status == status && error->text[0] && !strchr(error->text, '\n'));
}

static void demand_parameters(const ts_study *study)
{
  double once[256], again[256];
  ts_error error = {0};
  const uint64_t count = ts_study_trial_count(study), trials[] = {0, count / 2, count - 1};
  const size_t size = (size_t)ts_study_parameter_count(study) * sizeof *once;
  demand(count > 0 && count <= TS_MOST_TRIALS);
  for (int i = 0; i < 3; ++i) {
    const ts_status status = ts_study_parameters(study, trials[i], once, &error);
    demand(ts_study_parameters(study, trials[i], again, NULL) == status);
    if (status == TS_OK)
      demand(memcmp(once, again, size) == 0);
    else
      demand_sentence(status, &error);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"study.yaml", "points.csv"}, *const scenes[] = {"scene.yaml"};
  ts_study *study;
  ts_verification *verification;
  ts_error error = {0};
  fuzz_write_parts(scenes, 1, (const uint8_t *)scene, sizeof scene - 1);
  fuzz_write_parts(names, 2, data, size);
  ts_status status = ts_study_read(fuzz_path("study.yaml"), NULL, &study, &error);
  if (status == TS_OK)
    demand_parameters(study);
  else
    demand_sentence(status, &error);
  ts_study_destroy(study);
  status = ts_verification_read(fuzz_path("study.yaml"), NULL, &verification, &error);
  if (status != TS_OK) demand_sentence(status, &error);
  ts_verification_destroy(verification);
  return 0;
}
