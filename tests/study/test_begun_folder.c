// A work folder that an earlier build has left (tests/data/studies) is gone on from: what is there is neither refused
// nor run again, and today's parameters are those that its trials have had. Seeds, numbers of trials, texts of
// parameters, identities and rows on disk may change from version to version unseen by tests that write and read the
// same day.
#define _POSIX_C_SOURCE 200809L // mkdir
#include "touchstone/study.h"
#include "touchstone/table.h"

#include "scratch_folder.h"
#include "study_rig.h"
#include "whole_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "near.h"

enum { DONE = 5, TRIALS = 12, PARAMETERS = 8, OFFSET = 1000 };

static double sum_of(const double *parameters)
{
  double sum = 0.0;
  for (int i = 0; i < PARAMETERS; ++i) sum += parameters[i];
  return sum;
}

// The build that made the folder has added OFFSET, which tells its rows from today's.
static ts_status run(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)worker, (void)error;
  ++*(int *)user;
  assert_true(trial->number >= DONE);
  outcome->steps = trial->number;
  outcome->results[0] = sum_of(trial->parameters);
  outcome->results[1] = (double)trial->number;
  return TS_OK;
}

static ts_study *make_study(int *calls, uint64_t samples)
{
  static const double numbers[] = {0.1, 2.0}, weights[] = {1.0, 3.0}, sizes[] = {1e-3, 1.0 / 3.0};
  static const ts_variation variations[PARAMETERS] = {
      {.name = "a", .unit = "m", .kind = TS_VARY_VALUES, .count = 2, .values = numbers, .axis = 1},
      {.name = "b", .kind = TS_VARY_VALUES, .count = 2, .values = sizes, .axis = 1},
      {.name = "even", .unit = "m/s", .kind = TS_VARY_UNIFORM, .low = 1.0, .high = 3.0},
      {.name = "decades", .kind = TS_VARY_LOG_UNIFORM, .low = 1e-3, .high = 10.0},
      {.name = "bell", .kind = TS_VARY_NORMAL, .mean = 1.0, .deviation = 0.1, .low = 0.8, .high = 1.3},
      {.name = "triangle", .kind = TS_VARY_TRIANGULAR, .low = 0.0, .mode = 0.25, .high = 1.0},
      {.name = "either", .kind = TS_VARY_DISCRETE, .count = 2, .values = numbers, .weights = weights},
      {.name = "follows", .kind = TS_VARY_EXPRESSION, .expression = "a + b * even"}};
  static const char *const results[] = {"sum", "number"}, *const units[] = {"m", ""};
  const ts_study_def def = {.name = "begun",
                            .variations = variations,
                            .variation_count = PARAMETERS,
                            .sampling = TS_SAMPLING_SOBOL,
                            .samples = samples,
                            .seed = 42,
                            .results = results,
                            .units = units,
                            .result_count = 2,
                            .version = "trials of this test",
                            .most_attempts = 1,
                            .function = {.run = run, .user = calls}};
  ts_study *study;
  ts_error error = {0};
  if (ts_study_create(&def, &study, &error) != TS_OK) fail_msg("%s", error.text);
  return study;
}

static void copy(const char *from, const char *folder, const char *name)
{
  char to[160];
  size_t bytes;
  char *content = read_bytes(from, &bytes);
  assert_non_null(content);
  snprintf(to, sizeof to, "%s/%s", folder, name);
  scratch_write(to, content, bytes);
  free(content);
}

// What the earlier build has left, beside `output`.
static void leave_folder(const char *output)
{
  char folder[128];
  snprintf(folder, sizeof folder, "%s.work", output);
  assert_int_equal(mkdir(folder, 0777), 0);
  copy(TEST_DATA "/studies/study.txt", folder, "study.txt");
  copy(TEST_DATA "/studies/begun.journal", folder, "begun.journal");
}

static void check_table(const ts_study *study, const char *output)
{
  ts_table *table;
  ts_error error = {0};
  if (ts_study_pack(study, output, &error) != TS_OK || ts_table_open(output, &table, &error) != TS_OK)
    fail_msg("%s", error.text);
  const int rows = ts_table_row_count(table);
  assert_int_equal(rows, ts_study_trial_count(study));
  const double *sum = ts_table_column_values(table, ts_table_find_column(table, "sum"));
  const double *number = ts_table_column_values(table, ts_table_find_column(table, "number"));
  const double *steps = ts_table_column_values(table, ts_table_find_column(table, "steps"));
  for (int row = 0; row < rows; ++row) {
    double parameters[PARAMETERS];
    assert_int_equal(ts_study_parameters(study, (uint64_t)row, parameters, &error), TS_OK);
    assert_near(sum[row], sum_of(parameters) + (row < DONE ? OFFSET : 0.0), 1e-12 * OFFSET);
    assert_true(number[row] == row && steps[row] == row);
    assert_int_equal(ts_table_row_end(table, row), TS_TRIAL_FINISHED);
  }
  ts_table_close(table);
}

// Twice as many samples go on from it, too.
static void a_begun_folder_is_gone_on_from(void **state)
{
  for (int more = 0; more < 2; ++more) {
    int calls = 0;
    const char *output = scratch_path(*state, more ? "more.csv" : "same.csv");
    leave_folder(output);
    ts_study *study = make_study(&calls, more ? 12 : 6);
    ts_sweep_progress progress;
    ts_sweep_options options = rig_options(1, 0);
    options.extend = more;
    rig_sweep(study, output, &options, &progress);
    assert_int_equal(progress.before, DONE);
    assert_int_equal(calls, (more ? 2 : 1) * TRIALS - DONE);
    check_table(study, output);
    ts_study_destroy(study);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_begun_folder_is_gone_on_from, scratch_folder_set_up, scratch_folder_tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
