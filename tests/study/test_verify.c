// Verifications on points without gravity, x = v t: which runs of which design succeed is known.
#include "touchstone/verify.h"

#include "touchstone/table.h"

#include "scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

// After 1 s the ball is at v, and has to be beyond `need`.
static const char scene[] = "touchstone: 1\n"
                            "parameters: {d: 1, v: {value: 1, range: [-10, 4.5]}, need: 1}\n"
                            "gravity: [0, 0, 0]\n"
                            "bodies: [{name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, velocity: [=v, 0, 0]}]\n"
                            "step: {size: 0.125}\n"
                            "duration: 1\n"
                            "results: {success: {final: ball.x > need}}\n";

// Designs v = 0 to 5, of which 5 is out of the scene's range; runs need 0.5, 2.5, 1.5, 3.5. So many of them are below
// v.
enum { DESIGNS = 6, RUNS = 4, LEVELS = 3 };
static const double needs[RUNS] = {0.5, 2.5, 1.5, 3.5};
static const char verification[] = "verify: 1\nname: points\nscene: scene.yaml\n"
                                   "designs: {vary: {d: [0, 1, 2, 3, 4, 5]}, derived: {v: =d}}\n"
                                   "uncertain: {vary: {need: [0.5, 2.5, 1.5, 3.5]}}\n"
                                   "levels:\n"
                                   "  - {name: any, share: 0.25}\n"
                                   "  - {name: odd, when: v != 2}\n"
                                   "  - {name: most, share: 0.75, stop_after: 2}\n"
                                   "naive: 3\n";

static int count_successes(double v, int runs)
{
  int count = 0;
  for (int i = 0; i < runs; ++i) count += v <= 4.5 && v > needs[i];
  return count;
}

// Runs until so many have failed; 0: all.
static int count_runs(double v, int failures)
{
  int runs = 0;
  while (runs < RUNS && (failures == 0 || runs - count_successes(v, runs) < failures)) ++runs;
  return runs;
}

static double first_failure(double v)
{
  for (int i = 0; i < RUNS; ++i)
    if (!(v <= 4.5 && v > needs[i])) return i;
  return NAN;
}

static ts_verification *read_points(scratch_folder *folder)
{
  ts_verification *read;
  ts_error error = {0};
  scratch_write(scratch_path(folder, "scene.yaml"), scene, strlen(scene));
  scratch_write(scratch_path(folder, "verify.yaml"), verification, strlen(verification));
  if (ts_verification_read(scratch_path(folder, "verify.yaml"), NULL, &read, &error) != TS_OK)
    fail_msg("%s", error.text);
  return read;
}

static double number_in(const ts_table *table, const char *column, int row)
{
  const int found = ts_table_find_column(table, column);
  assert_true(found >= 0);
  return ts_table_column_values(table, found)[row];
}

static void assert_same(double found, double expected)
{
  if (!(found == expected || (isnan(found) && isnan(expected)))) fail_msg("%g is not %g", found, expected);
}

// The table of a level has the designs of this list, v each, and what came of them.
static void check_table(const char *path, int count, const double *v, int failures)
{
  ts_table *table;
  ts_error error = {0};
  if (ts_table_open(path, &table, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_table_row_count(table), count);
  for (int row = 0; row < count; ++row) {
    const int runs = count_runs(v[row], failures), successes = count_successes(v[row], runs);
    assert_same(number_in(table, "design", row), v[row]);
    assert_same(number_in(table, "v", row), v[row]);
    assert_same(number_in(table, "runs", row), runs);
    assert_same(number_in(table, "successes", row), successes);
    assert_same(number_in(table, "share", row), (double)successes / RUNS);
    assert_same(number_in(table, "broken", row), v[row] > 4.5 ? runs : 0);
    assert_same(number_in(table, "first_failure", row), first_failure(v[row]));
  }
  ts_table_close(table);
}

typedef struct passed_designs {
  int count;
  uint64_t numbers[DESIGNS];
} passed_designs;

static void note_passed(void *user, uint64_t design, const double *parameters)
{
  passed_designs *list = user;
  assert_true(list->count < DESIGNS && parameters[0] == (double)design);
  list->numbers[list->count++] = design;
}

static void check_reports(const ts_level_report *reports)
{
  static const struct {
    const char *name;
    bool simulates;
    uint64_t designs, passed, runs, broken, sampled;
  } expected[LEVELS] = {{"any", true, 6, 4, 24, 4, 3}, {"odd", false, 4, 3, 0, 0, 0}, {"most", true, 3, 2, 11, 0, 3}};
  for (int k = 0; k < LEVELS; ++k) {
    assert_string_equal(reports[k].name, expected[k].name);
    assert_int_equal(reports[k].simulates, expected[k].simulates);
    assert_int_equal(reports[k].designs, expected[k].designs);
    assert_int_equal(reports[k].passed, expected[k].passed);
    assert_int_equal(reports[k].runs, expected[k].runs);
    assert_int_equal(reports[k].broken, expected[k].broken);
    assert_int_equal(reports[k].sampled, expected[k].sampled);
    assert_int_equal(reports[k].uncertified, 0);
  }
  assert_non_null(strstr(reports[0].why, "design 5: the parameter 'v' is 5"));
  assert_string_equal(reports[2].why, "");
}

// Level 2 gets 1, 3 and 4: the first fails twice in three runs, the others make all four.
static void every_level_tells_its_runs(void **state)
{
  static const double all[] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}, odd[] = {1.0, 3.0, 4.0}, sample[] = {0.0, 2.0, 4.0};
  ts_verification *points = read_points(*state);
  ts_sweep_options options = ts_sweep_options_default();
  ts_level_report reports[LEVELS];
  passed_designs passed = {.count = 0};
  ts_error error = {0};
  assert_int_equal(ts_verification_design_count(points), DESIGNS);
  assert_int_equal(ts_verification_run_count(points), RUNS);
  for (int again = 0; again < 2; ++again) { // what is there is taken over
    passed.count = 0;
    if (ts_verification_run(points, scratch_path(*state, "out.csv"), &options, reports, note_passed, &passed, &error) !=
        TS_OK)
      fail_msg("%s", error.text);
    check_reports(reports);
    assert_int_equal(passed.count, 2);
    assert_int_equal(passed.numbers[0], 3);
    assert_int_equal(passed.numbers[1], 4);
  }
  check_table(scratch_path(*state, "out.any.csv"), DESIGNS, all, 0);
  check_table(scratch_path(*state, "out.most.csv"), 3, odd, 2);
  check_table(scratch_path(*state, "out.most.naive.csv"), 3, sample, 2);
  ts_verification_destroy(points);
}

static void several_processes_are_refused(void **state)
{
  ts_verification *points = read_points(*state);
  ts_level_report reports[LEVELS];
  ts_error error = {0};
  for (int k = 0; k < 2; ++k) {
    ts_sweep_options options = ts_sweep_options_default();
    if (k == 0)
      options.trial_limit = 1;
    else
      options.workers = 2;
    assert_int_equal(
        ts_verification_run(points, scratch_path(*state, "out.csv"), &options, reports, NULL, NULL, &error),
        TS_INVALID);
    assert_non_null(strstr(error.text, "run by one process, and to its end"));
  }
  ts_sweep_options options = ts_sweep_options_default();
  assert_int_equal(ts_verification_run(points, scratch_path(*state, "out.xyz"), &options, reports, NULL, NULL, &error),
                   TS_INVALID);
  ts_verification_destroy(points);
}

// Too many steps are refused before the first of them, by the level that would take them, or allowed.
static void levels_of_too_many_steps_are_refused(void **state)
{
  static const char short_steps[] = "touchstone: 1\nparameters: {d: 1}\n"
                                    "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1], position: [=d, 0, 0]}]\n"
                                    "step: {size: 1e-11}\nduration: 1\nresults: {success: {final: ball.x > 0}}\n";
  static const char levels[] = "verify: 1\nscene: scene.yaml\ndesigns: {vary: {d: [1, 2]}}\n"
                               "levels: [{name: some, when: d > 1}, {name: costly, share: 1}]\n";
  ts_error error = {0};
  ts_verification *read = read_points(*state);
  assert_int_equal(ts_verification_check_steps(read, &error), TS_OK);
  ts_verification_destroy(read);
  scratch_write(scratch_path(*state, "scene.yaml"), short_steps, strlen(short_steps));
  scratch_write(scratch_path(*state, "verify.yaml"), levels, strlen(levels));
  if (ts_verification_read(scratch_path(*state, "verify.yaml"), NULL, &read, &error) != TS_OK)
    fail_msg("%s", error.text);
  assert_int_equal(ts_verification_check_steps(read, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "level 'costly': a duration of 1 s takes 1e+11 steps"));
  ts_verification_allow_steps(read);
  assert_int_equal(ts_verification_check_steps(read, &error), TS_OK);
  ts_verification_destroy(read);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {scratch_test(every_level_tells_its_runs),
                                     scratch_test(levels_of_too_many_steps_are_refused),
                                     scratch_test(several_processes_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
