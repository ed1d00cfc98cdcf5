// Parameters and results of runs on disk: what was set is read back, in both formats.
#include "scene_try.h"
#include "scratch_folder.h"
#include "whole_file.h"

#include "touchstone/record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const ts_record_number parameters[] = {{"mu", "", 0.1}, {"r", "m", 1e-300}, {"n", "m", -7.0}};
static const ts_record_number results[] = {
    {"top", "m", 1.0 / 3.0}, {"none", "N, N m", NAN}, {"far", "\"quoted\"", INFINITY}};
static const double watched[] = {1.0, NAN, -0.0, 5e-324};

static ts_scene *scene;
static ts_sim *sim;

static int open_all(void **state)
{
  if (scratch_folder_set_up(state) != 0) return -1;
  scene = scene_of(ball_scene(""), NULL);
  return ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, NULL) == TS_OK ? 0 : -1;
}

static int close_all(void **state)
{
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  return scratch_folder_tear_down(state);
}

// A run of no steps with this outcome (NULL: none).
static void record(const char *path, const ts_run_outcome *outcome)
{
  ts_recorder *recorder;
  ts_error error = {0};
  if (ts_recorder_create(path, sim, ts_scene_text(scene), &recorder, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_recorder_add(recorder, sim, true, &error), TS_OK);
  if (outcome) assert_int_equal(ts_recorder_set_outcome(recorder, outcome, &error), TS_OK);
  if (ts_recorder_close(recorder, sim, &error) != TS_OK) fail_msg("%s", error.text);
}

static void assert_same_number(ts_record_number a, ts_record_number b)
{
  assert_string_equal(a.name, b.name);
  assert_string_equal(a.unit, b.unit);
  if (!(isnan(a.value) && isnan(b.value))) assert_memory_equal(&a.value, &b.value, sizeof a.value);
}

static const ts_run_outcome full = {parameters, results, 3, 3, watched, 4};

static void what_was_set_is_read_back(void **state)
{
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int f = 0; f < 2; ++f) {
    const char *path = scratch_path(*state, names[f]);
    ts_record *read;
    ts_error error = {0};
    size_t size;
    record(path, &full);
    if (ts_record_open(path, &read, &error) != TS_OK) fail_msg("%s", error.text);
    assert_int_equal(ts_record_parameter_count(read), 3);
    assert_int_equal(ts_record_result_count(read), 3);
    for (int i = 0; i < 3; ++i) {
      assert_same_number(ts_record_parameter(read, i), parameters[i]);
      assert_same_number(ts_record_result(read, i), results[i]);
    }
    const double *kept = ts_record_watched(read, &size);
    assert_int_equal(size, f == 0 ? 4 : 0);
    if (f == 0) assert_memory_equal(kept, watched, sizeof watched);
    ts_record_close(read);
  }
  char *text = read_text(scratch_path(*state, "run.results.csv"));
  assert_string_equal(text, "kind,name,value,unit\n"
                            "parameter,mu,0.1,\"\"\n"
                            "parameter,r,1e-300,m\n"
                            "parameter,n,-7,m\n"
                            "result,top,0.3333333333333333,m\n"
                            "result,none,,\"N, N m\"\n"
                            "result,far,inf,\"\"\"quoted\"\"\"\n");
  free(text);
}

// A run that has none is the same file as before there were any; what another left under the name is removed.
static void without_them_there_is_nothing(void **state)
{
  const ts_run_outcome nothing = {0};
  record(scratch_path(*state, "a.h5"), NULL);
  record(scratch_path(*state, "b.h5"), &nothing);
  assert_same_files(scratch_path(*state, "a.h5"), scratch_path(*state, "b.h5"));
  const char *path = scratch_path(*state, "run.csv");
  record(path, &full);
  assert_int_equal(access(scratch_path(*state, "run.results.csv"), F_OK), 0);
  record(path, NULL);
  assert_int_equal(access(scratch_path(*state, "run.results.csv"), F_OK), -1);
  ts_record *read;
  assert_int_equal(ts_record_open(path, &read, NULL), TS_OK);
  assert_int_equal(ts_record_parameter_count(read) + ts_record_result_count(read), 0);
  ts_record_close(read);
}

static void the_last_one_counts_and_mistakes_are_refused(void **state)
{
  ts_recorder *recorder;
  ts_error error;
  const ts_run_outcome wrong[] = {{.parameter_count = 1}, {.result_count = -1}, {.watched_size = 2}};
  const ts_run_outcome last = {.results = results, .result_count = 1};
  const char *path = scratch_path(*state, "last.h5");
  assert_int_equal(ts_recorder_create(path, sim, NULL, &recorder, &error), TS_OK);
  assert_int_equal(ts_recorder_set_outcome(recorder, &full, &error), TS_OK);
  assert_int_equal(ts_recorder_set_outcome(recorder, &last, &error), TS_OK);
  for (int i = 0; i < 3; ++i) assert_int_equal(ts_recorder_set_outcome(recorder, &wrong[i], &error), TS_INVALID);
  assert_int_equal(ts_recorder_set_outcome(recorder, NULL, &error), TS_INVALID);
  assert_int_equal(ts_recorder_close(recorder, sim, &error), TS_OK);
  ts_record *read;
  assert_int_equal(ts_record_open(path, &read, &error), TS_OK);
  assert_int_equal(ts_record_parameter_count(read), 0);
  assert_int_equal(ts_record_result_count(read), 1);
  assert_same_number(ts_record_result(read, 0), results[0]);
  ts_record_close(read);
}

static void bad_tables_are_refused_at_their_place(void **state)
{
  static const struct {
    const char *text;
    int line, column;
  } cases[] = {{"", 1, 1},
               {"kind,name,value\n", 1, 16},
               {"kind,nam,value,unit\n", 1, 6},
               {"kind,name,value,unit\nresult,a,1\n", 2, 11},
               {"kind,name,value,unit\nresults,a,1,m\n", 2, 1},
               {"kind,name,value,unit\nresult,a,one,m\n", 2, 10},
               {"kind,name,value,unit\nresult,a,1x,m\n", 2, 10},
               {"kind,name,value,unit\nresult,a,1,m,2\n", 2, 14},
               {"kind,name,value,unit\nresult,\"a,1,m\n", 2, 8}};
  const char *path = scratch_path(*state, "run.csv"), *beside = scratch_path(*state, "run.results.csv");
  record(path, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    ts_record *read;
    ts_error error = {0};
    scratch_write(beside, cases[i].text, strlen(cases[i].text));
    assert_int_equal(ts_record_open(path, &read, &error), TS_INVALID);
    assert_null(read);
    assert_non_null(strstr(error.file, "run.results.csv"));
    if (error.line != cases[i].line || error.column != cases[i].column)
      fail_msg("%d:%d: %s", error.line, error.column, error.text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_set_is_read_back),
      cmocka_unit_test(without_them_there_is_nothing),
      cmocka_unit_test(the_last_one_counts_and_mistakes_are_refused),
      cmocka_unit_test(bad_tables_are_refused_at_their_place),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
