// The grasp map of examples/grasp_maps, one sample of its 252 at every point, against another program's.
#include "shared_data.h"

#include "touchstone/study.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { SIDE = 20, CELLS = SIDE * SIDE, SAMPLES = 252 };

static ts_study *open_study(const char *path)
{
  ts_study *study;
  ts_error error = {0};
  if (ts_study_read(path, NULL, &study, &error) != TS_OK) fail_msg("%s: %s", path, error.text);
  return study;
}

// Place on an axis of cells of a millimetre, the first one's centre at `first`.
static int place(double metres, double first)
{
  return (int)lround(1e3 * metres - first);
}

// Whether each grasp of the first sample succeeds, by its cell; no step may be uncertified.
static void run_first_sample(const ts_study *study, bool *succeeds)
{
  for (int i = 0; i < CELLS; ++i) {
    double parameters[8], success;
    ts_trial_outcome outcome = {.results = &success};
    ts_error error = {0};
    assert_int_equal(ts_study_parameters(study, (uint64_t)i, parameters, &error), TS_OK);
    assert_int_equal(ts_study_run_trial(study, (uint64_t)i, 0, &outcome, &error), TS_OK);
    assert_int_not_equal(outcome.end, TS_TRIAL_FAILED);
    assert_true(outcome.uncertified == 0);
    succeeds[place(parameters[0], -9.5) * SIDE + place(parameters[1], -19.5)] = success != 0.0;
  }
}

static bool read_map(const char *path, int *successes)
{
  FILE *file = fopen(path, "r");
  char line[128];
  int rows = 0;
  if (!file) return false;
  while (fgets(line, sizeof line, file)) {
    double x, y;
    int trials, good;
    if (sscanf(line, "%lf,%lf,%d,%d", &x, &y, &trials, &good) != 4) continue;
    assert_int_equal(trials, SAMPLES);
    successes[place(1e-3 * x, -9.5) * SIDE + place(1e-3 * y, -19.5)] = good;
    ++rows;
  }
  fclose(file);
  assert_int_equal(rows, CELLS);
  return true;
}

// Cells in which all or none of another program's grasps succeed are as they are there, but for one in a hundred on the
// edges; the number of successes in the others is within 4 deviations of what their shares let expect.
static void the_map_is_that_of_another_program(void **state)
{
  (void)state;
  bool succeeds[CELLS];
  int successes[CELLS], misses = 0, good = 0;
  double expected = 0.0, variance = 0.0;
  if (!read_map(SHARED_DATA "/reference/applications/map_medium_medium_252.csv", successes)) skip();
  ts_study *study = open_study(EXAMPLES "/grasp_maps/medium.yaml");
  assert_true(ts_study_trial_count(study) == CELLS * SAMPLES);
  run_first_sample(study, succeeds);
  for (int i = 0; i < CELLS; ++i) {
    const double share = (double)successes[i] / SAMPLES;
    if (successes[i] == 0 || successes[i] == SAMPLES) {
      misses += succeeds[i] != (successes[i] > 0);
      continue;
    }
    good += succeeds[i];
    expected += share;
    variance += share * (1.0 - share) * (1.0 + 1.0 / SAMPLES);
  }
  assert_true(misses <= CELLS / 100);
  assert_true(fabs(good - expected) <= 4.0 * sqrt(variance));
  ts_study_destroy(study);
}

// With more friction the gear slips down between the fingers at fewer places; studies that place the tripod at random
// can be read, and their trials differ in it.
static void the_other_maps_can_be_run(void **state)
{
  (void)state;
  static const char *const paths[] = {EXAMPLES "/grasp_maps/high.yaml", EXAMPLES "/grasp_maps/tripod.yaml"};
  for (int k = 0; k < 2; ++k) {
    ts_study *study = open_study(paths[k]);
    double success, parameters[8];
    ts_trial_outcome outcome = {.results = &success};
    const uint64_t low = 9 * SIDE + 3; // x = -0.5 mm, y = -16.5 mm: on the plateau whatever the friction
    assert_int_equal(ts_study_parameters(study, low, parameters, NULL), TS_OK);
    assert_true(fabs(parameters[0] + 0.5e-3) < 1e-9 && fabs(parameters[1] + 16.5e-3) < 1e-9);
    assert_int_equal(ts_study_run_trial(study, low, 0, &outcome, NULL), TS_OK);
    assert_true(success == 1.0 && outcome.uncertified == 0);
    ts_study_destroy(study);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_map_is_that_of_another_program),
      cmocka_unit_test(the_other_maps_can_be_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
