// How results converge, on tables whose every number is known: x = 2 + 3 h^p, y = -1 - 4 h^p, with p the order.
#include "touchstone/convergence.h"

#include "study/table.h"

#include "scratch_folder.h"
#include "study_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

// ---- tables --------------------------------------------------------------------------------------------------------

enum { SIZES = 5 };

static const double sizes[SIZES] = {0.01, 0.08, 0.04, 0.1, 0.02}, orders[] = {1.0, 2.0};

// Parameters h and p; the other columns of h's axis follow it. Where p is 2, h = 0.1 fails and h = 0.08 has no y.
static ts_status run(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)worker;
  const bool is_exact = user != NULL;
  const double h = is_exact ? 0.0 : trial->parameters[1], p = trial->parameters[0];
  if (!is_exact && p == 2.0 && h == 0.1) return ts_fail(error, TS_INVALID, "it failed");
  outcome->results[0] = 2.0 + 3.0 * pow(h, p);
  if (is_exact || p != 2.0 || h != 0.08) outcome->results[1] = -1.0 - 4.0 * pow(h, p);
  outcome->results[2] = 7.0;
  return TS_OK;
}

// A table of the study; with `is_exact` h is no parameter, and all numbers are those of h = 0.
static ts_table *table_of(scratch_folder *folder, const char *name, bool is_exact, int order_count)
{
  static const char *const results[] = {"x", "y", "seven"}, *const units[] = {"cm", "cm", "kg"};
  static const double numbers[SIZES] = {100, 12.5, 25, 10, 50};
  static char marker;
  const ts_variation variations[] = {
      {.name = "p", .kind = TS_VARY_VALUES, .count = order_count, .values = orders},
      {.name = "h", .kind = TS_VARY_VALUES, .count = SIZES, .values = sizes, .axis = 2},
      {.name = "number", .kind = TS_VARY_VALUES, .count = SIZES, .values = numbers, .axis = 2}};
  const ts_study_def def = {.name = "orders",
                            .variations = variations,
                            .variation_count = is_exact ? 1 : 3,
                            .samples = 1,
                            .results = results,
                            .units = units,
                            .result_count = 3,
                            .most_attempts = 1,
                            .function = {.run = run, .user = is_exact ? &marker : NULL}};
  ts_study *study;
  ts_table *table;
  ts_error error = {0};
  const char *path = scratch_path(folder, name);
  if (ts_study_create(&def, &study, &error) != TS_OK) fail_msg("%s", error.text);
  const ts_sweep_options options = ts_sweep_options_default();
  rig_sweep(study, path, &options, NULL);
  if (ts_study_pack(study, path, &error) != TS_OK) fail_msg("%s", error.text);
  ts_study_destroy(study);
  if (ts_table_open(path, &table, &error) != TS_OK) fail_msg("%s", error.text);
  return table;
}

static ts_table *table_from_text(scratch_folder *folder, const char *rows)
{
  char text[1024];
  ts_table *table;
  ts_error error = {0};
  const int length = snprintf(text, sizeof text, "trial,h,x,outcome,steps,uncertified,residual,attempt\n%s", rows);
  scratch_write(scratch_path(folder, "given.csv"), text, (unsigned long)length);
  if (ts_table_open(scratch_path(folder, "given.csv"), &table, &error) != TS_OK) fail_msg("%s", error.text);
  return table;
}

static const char *const both[] = {"x", "y"};

static ts_convergence *measure(const ts_table *table, ts_convergence_def def)
{
  ts_convergence *convergence;
  ts_error error = {0};
  if (ts_convergence_measure(table, &def, &convergence, &error) != TS_OK) fail_msg("%s", error.text);
  return convergence;
}

// ---- references ----------------------------------------------------------------------------------------------------

// Errors are 5 h^p, and the limit is found from three runs.
static void extrapolation_finds_limit_and_order(void **state)
{
  ts_table *table = table_of(*state, "table.h5", false, 2);
  ts_convergence *c = measure(table, (ts_convergence_def){"h", false, both, 2, TS_REFERENCE_EXTRAPOLATED, NULL});
  assert_int_equal(ts_convergence_parameter_count(c), 1); // what goes along with h is none
  assert_string_equal(ts_convergence_parameter_name(c, 0), "p");
  assert_int_equal(ts_convergence_series_count(c), 2);
  for (int k = 0; k < 2; ++k) {
    const ts_convergence_series *series = ts_convergence_series_at(c, k);
    assert_near(series->parameters[0], orders[k], 0.0);
    assert_int_equal(series->run_count, k ? 3 : 5);
    assert_int_equal(series->left_out, k ? 2 : 0);
    assert_string_equal(series->why_not, "");
    assert_near(series->reference[0], 2.0, 1e-9);
    assert_near(series->reference[1], -1.0, 1e-9);
    assert_near(series->order, orders[k], 1e-6);
    for (int i = 0; i < series->run_count; ++i) {
      const ts_convergence_run *r = &series->runs[i];
      assert_near(r->error, 5.0 * pow(r->size, orders[k]), 1e-8);
      assert_true(i == 0 ? isnan(r->order) : fabs(r->order - orders[k]) < 1e-5 && r->size < r[-1].size);
    }
  }
  ts_convergence_destroy(c);
  ts_table_close(table);
}

// Runs without a number for a parameter belong together, wherever they stand, and come last.
static void rows_without_a_parameter_are_a_series(void **state)
{
  ts_table *table = table_of(*state, "table.h5", false, 2), *exact = table_of(*state, "exact.h5", true, 2);
  double *p = ts_table_column_at(table, ts_table_find_column(table, "p")),
         *truth = ts_table_column_at(exact, ts_table_find_column(exact, "p"));
  for (int i = 0; i < ts_table_row_count(table); ++i)
    if (p[i] == 1.0) p[i] = NAN;
  truth[0] = NAN;
  ts_convergence *c = measure(table, (ts_convergence_def){"h", false, both, 2, TS_REFERENCE_TABLE, exact});
  assert_int_equal(ts_convergence_series_count(c), 2);
  assert_near(ts_convergence_series_at(c, 0)->order, 2.0, 1e-9);
  const ts_convergence_series *series = ts_convergence_series_at(c, 1);
  assert_true(isnan(series->parameters[0]) && series->run_count == SIZES);
  for (int i = 1; i < SIZES; ++i) assert_true(series->runs[i].size < series->runs[i - 1].size);
  assert_near(series->order, 1.0, 1e-9);
  ts_convergence_destroy(c);
  ts_table_close(table);
  ts_table_close(exact);
}

// Errors are 5 (h^p - 0.01^p), so that the slopes that they show are too steep.
static void the_finest_run_has_no_error(void **state)
{
  ts_table *table = table_of(*state, "table.h5", false, 1);
  ts_convergence *c = measure(table, (ts_convergence_def){"h", false, both, 2, TS_REFERENCE_FINEST, NULL});
  const ts_convergence_series *series = ts_convergence_series_at(c, 0);
  for (int i = 0; i < SIZES; ++i) assert_near(series->runs[i].error, 5.0 * (series->runs[i].size - 0.01), 1e-14);
  assert_true(isnan(series->runs[SIZES - 1].order));
  assert_near(series->runs[2].order, log(0.07 / 0.03) / log(2.0), 1e-9);
  assert_true(series->order > 1.2 && series->order < 1.4);
  ts_convergence_destroy(c);
  ts_table_close(table);
}

// The same by another table, and by one over the number that goes along with h.
static void another_table_has_the_truth(void **state)
{
  ts_table *table = table_of(*state, "table.h5", false, 2), *exact = table_of(*state, "exact.h5", true, 2);
  ts_convergence *c = measure(table, (ts_convergence_def){"number", true, both, 2, TS_REFERENCE_TABLE, exact});
  for (int k = 0; k < 2; ++k) {
    const ts_convergence_series *series = ts_convergence_series_at(c, k);
    assert_near(series->order, orders[k], 1e-9);
    for (int i = 0; i < series->run_count; ++i)
      assert_near(series->runs[i].error, 5.0 * pow(series->runs[i].size, orders[k]), 1e-14);
  }
  ts_convergence_destroy(c);
  ts_table_close(exact);
  exact = table_of(*state, "first.h5", true, 1);
  c = measure(table, (ts_convergence_def){"h", false, both, 2, TS_REFERENCE_TABLE, exact});
  assert_string_equal(ts_convergence_series_at(c, 0)->why_not, "");
  assert_non_null(strstr(ts_convergence_series_at(c, 1)->why_not, "no row with these parameters"));
  assert_null(ts_convergence_series_at(c, 1)->reference);
  assert_true(isnan(ts_convergence_series_at(c, 1)->order));
  ts_convergence_destroy(c);
  ts_table_close(exact);
  ts_table_close(table);
}

// Rows of a table over the size itself differ in nothing that tells series apart: the first was taken before.
static void a_reference_of_several_rows_is_none(void **state)
{
  static const char *const result[] = {"x"};
  static const char runs[] = "0,0.4,1.4,finished,1,0,0,0\n1,0.2,1.2,finished,1,0,0,0\n";
  ts_table *table = table_from_text(*state, runs);
  ts_convergence *c = measure(table, (ts_convergence_def){"h", false, result, 1, TS_REFERENCE_TABLE, table});
  assert_non_null(strstr(ts_convergence_series_at(c, 0)->why_not, "several rows of the reference"));
  assert_null(ts_convergence_series_at(c, 0)->reference);
  ts_convergence_destroy(c);
  ts_table_close(table);
  ts_table *exact = table_from_text(*state, "0,0.4,1,finished,1,0,0,0\n1,0.2,1,finished,1,0,0,0\n");
  table = table_from_text(*state, runs);
  c = measure(table, (ts_convergence_def){"h", false, result, 1, TS_REFERENCE_TABLE, exact});
  assert_near(ts_convergence_series_at(c, 0)->order, 1.0, 1e-9);
  ts_convergence_destroy(c);
  ts_table_close(exact);
  ts_table_close(table);
}

static void what_does_not_converge_has_no_limit(void **state)
{
  static const struct {
    const char *rows, *words;
  } cases[] = {
      {"0,0.4,1,finished,1,0,0,0\n1,0.2,1.1,finished,1,0,0,0\n2,0.1,1.4,finished,1,0,0,0\n", "do not come closer"},
      {"0,0.2,1.1,finished,1,0,0,0\n1,0.1,1.4,finished,1,0,0,0\n", "takes three runs"},
      {"0,0.2,nan,finished,1,0,0,0\n", "no run has results"},
  };
  static const char *const result[] = {"x"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    ts_table *table = table_from_text(*state, cases[i].rows);
    ts_convergence *c = measure(table, (ts_convergence_def){"h", false, result, 1, TS_REFERENCE_EXTRAPOLATED, NULL});
    assert_int_equal(ts_convergence_series_count(c), 1);
    assert_non_null(strstr(ts_convergence_series_at(c, 0)->why_not, cases[i].words));
    ts_convergence_destroy(c);
    ts_table_close(table);
  }
}

// Runs that agree to the last bit are their own limit.
static void equal_runs_have_no_error(void **state)
{
  static const char *const result[] = {"x"};
  ts_table *table = table_from_text(*state, "0,0.4,1,finished,1,0,0,0\n1,0.2,3,finished,1,0,0,0\n"
                                            "2,0.1,3,finished,1,0,0,0\n3,0.05,9,limit of steps,1,0,0,0\n");
  ts_convergence *c = measure(table, (ts_convergence_def){"h", false, result, 1, TS_REFERENCE_EXTRAPOLATED, NULL});
  const ts_convergence_series *series = ts_convergence_series_at(c, 0);
  assert_int_equal(series->left_out, 1);
  assert_near(series->reference[0], 3.0, 0.0);
  assert_near(series->runs[0].error, 2.0, 0.0);
  assert_near(series->runs[2].error, 0.0, 0.0);
  assert_true(isnan(series->order));
  ts_convergence_destroy(c);
  ts_table_close(table);
}

// ---- mistakes ------------------------------------------------------------------------------------------------------

static void mistakes_get_a_sentence(void **state)
{
  static const char *const wrong[] = {"xx"}, *const mixed[] = {"x", "seven"}, *const x[] = {"x"};
  const struct {
    ts_convergence_def def;
    const char *words;
  } cases[] = {
      {{"hh", false, x, 1, TS_REFERENCE_FINEST, NULL}, "no column 'hh'; did you mean 'h'?"},
      {{"h", false, wrong, 1, TS_REFERENCE_FINEST, NULL}, "no column 'xx'"},
      {{"h", false, mixed, 2, TS_REFERENCE_FINEST, NULL}, "'x' is in cm and 'seven' in kg"},
      {{"p", false, x, 1, TS_REFERENCE_TABLE, NULL}, "requires"},
      {{"h", false, x, 0, TS_REFERENCE_FINEST, NULL}, "requires"},
      {{"y", false, x, 1, TS_REFERENCE_FINEST, NULL}, "'y' has to be above 0"},
      {{"seven", false, x, 1, TS_REFERENCE_FINEST, NULL}, NULL}, // every row is a series of its own
  };
  ts_table *table = table_of(*state, "table.h5", false, 1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    ts_convergence *c;
    ts_error error = {0};
    const ts_status status = ts_convergence_measure(table, &cases[i].def, &c, &error);
    if (cases[i].words && (status != TS_INVALID || c || !strstr(error.text, cases[i].words)))
      fail_msg("case %d: %s", (int)i, error.text);
    if (!cases[i].words) assert_int_equal(ts_convergence_series_count(c), SIZES);
    ts_convergence_destroy(c);
  }
  ts_table_close(table);
  table = table_from_text(*state, "0,0.4,1,finished,1,0,0,0\n1,0.4,3,finished,1,0,0,0\n");
  ts_convergence *c;
  ts_error error = {0};
  const ts_convergence_def def = {"h", false, x, 1, TS_REFERENCE_FINEST, NULL};
  assert_int_equal(ts_convergence_measure(table, &def, &c, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "rows 0 and 1 have the same 'h'"));
  ts_table_close(table);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(extrapolation_finds_limit_and_order),
      TEST(rows_without_a_parameter_are_a_series),
      TEST(the_finest_run_has_no_error),
      TEST(another_table_has_the_truth),
      TEST(a_reference_of_several_rows_is_none),
      TEST(what_does_not_converge_has_no_limit),
      TEST(equal_runs_have_no_error),
      TEST(mistakes_get_a_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
