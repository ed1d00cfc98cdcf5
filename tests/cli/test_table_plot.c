// Tables of studies on the command line: every kind of figure, summaries as text and JSON, CSV, and refusals that leave
// no file.
#include "command.h"
#include "gnuplot_is_there.h"
#include "json.h"
#include "xml.h"

#include "touchstone/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static command_result result;

static void run(scratch_folder *folder, const char *arguments)
{
  command_run(folder, TOUCHSTONE_COMMAND, arguments, &result);
}

static void run_well(scratch_folder *folder, const char *arguments)
{
  command_run_well(folder, TOUCHSTONE_COMMAND, arguments, &result);
}

// ---- tables --------------------------------------------------------------------------------------------------------

// force = 2 speed + 3 load; slipped where force > 7; nothing is ever found. Trials 4, 14, 24, ... fail.
static ts_status push(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)user, (void)worker;
  if (trial->number % 10 == 4) return ts_fail(error, TS_INVALID, "the pusher left the `table`");
  outcome->results[0] = 2.0 * trial->parameters[1] + 3.0 * trial->parameters[0];
  outcome->results[1] = outcome->results[0] > 7.0;
  outcome->uncertified = trial->number == 3;
  outcome->residual = 1e-10;
  return TS_OK;
}

static void make_table(const char *path, ts_sampling sampling, uint64_t samples)
{
  static const double loads[] = {1.0, 2.0, 4.0};
  static const ts_variation variations[] = {
      {.name = "load", .unit = "kg", .kind = TS_VARY_VALUES, .count = 3, .values = loads},
      {.name = "speed", .unit = "m/s", .kind = TS_VARY_UNIFORM, .low = 0.0, .high = 1.0},
      {.name = "twice", .kind = TS_VARY_EXPRESSION, .expression = "2 * speed"}};
  static const char *const results[] = {"force", "slipped", "found"}, *const units[] = {"N", "", ""};
  const ts_study_def def = {.name = "pushes & more",
                            .variations = variations,
                            .variation_count = 3,
                            .sampling = sampling,
                            .samples = samples,
                            .results = results,
                            .units = units,
                            .result_count = 3,
                            .most_attempts = 1,
                            .function = {.run = push}};
  const ts_sweep_options options = ts_sweep_options_default();
  ts_study *study;
  ts_error error = {0};
  if (ts_study_create(&def, &study, &error) != TS_OK || ts_study_sweep(study, path, &options, NULL, &error) != TS_OK ||
      ts_study_pack(study, path, &error) != TS_OK)
    fail_msg("%s", error.text);
  ts_study_destroy(study);
}

static int set_up(void **state)
{
  static const char none[] = "trial,a,outcome,steps,uncertified,residual,attempt\n";
  static const char one[] = "trial,a,outcome,steps,uncertified,residual,attempt\n0,2.5,finished,10,0,1e-9,0\n";
  if (scratch_folder_set_up(state) != 0) return -1;
  make_table(scratch_path(*state, "pushes.h5"), TS_SAMPLING_SOBOL, 40);
  make_table(scratch_path(*state, "design.h5"), TS_SAMPLING_SALTELLI, 64);
  make_table(scratch_path(*state, "single.h5"), TS_SAMPLING_RANDOM, 1);
  scratch_write(scratch_path(*state, "none.csv"), none, sizeof none - 1);
  scratch_write(scratch_path(*state, "one.csv"), one, sizeof one - 1);
  return 0;
}

// ---- figures -------------------------------------------------------------------------------------------------------

typedef struct figure_case {
  const char *arguments; // of plot; the figure is x.svg
  const char *words[6];  // that it holds
} figure_case;

static void every_kind_of_figure_is_drawn(void **state)
{
  if (!gnuplot_is_there()) skip();
  scratch_folder *folder = *state;
  static const figure_case cases[] = {
      {"pushes.h5", {"pushes &amp; more", "how trials ended", "finished: 108", "what force depends on", "load [kg]"}},
      {"pushes.h5 --size 700x500 --title mine", {"mine", "share of the variance", "1 result: no trial has a number"}},
      {"design.h5", {"first", "total", "64 samples each (saltelli)"}},
      {"pushes.h5 --map load,speed --color slipped", {"share of slipped", "speed [m/s]", "trials a cell"}},
      {"pushes.h5 --map load,speed --contour 6", {"mean of force [N]", "mean 6"}},
      {"pushes.h5 --map load,speed --error --bins 3", {"standard error of force [N]"}},
      {"pushes.h5 --histogram force,speed", {"force [N]", "speed [m/s]", "12 lack it", "trials"}},
      {"pushes.h5 --histogram force --log", {"force [N]"}},
      {"pushes.h5 --scatter speed,force", {"line, r = ", "smooth (LOESS)", "108 trials, 12 more lack a number"}},
      {"pushes.h5 --curves speed,slipped --by load", {"load = 1", "load = 4", "share of slipped"}},
      {"pushes.h5 --curves load,force --log", {"mean of force [N]", "intervals: 95 %"}},
      {"pushes.h5 --curves load,force --by speed", {"speed = 0."}},
      {"single.h5", {"3 of 3 trials: the points of a grid"}},
      {"single.h5 --map load,speed", {"1 trial a cell"}},
      {"single.h5 --scatter load,force", {"rank correlation 1.00"}},
      {"one.csv", {"one.csv", "1 trials", "finished: 1"}},
      {"one.csv --histogram a", {"2.5"}},
      {"one.csv --scatter a,steps", {"1 trials"}},
      {"one.csv --curves a,steps", {"mean of steps"}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char arguments[256];
    snprintf(arguments, sizeof arguments, "plot %s -o x.svg", cases[i].arguments);
    run_well(folder, arguments);
    assert_string_equal(result.out, "x.svg\n");
    for (int k = 0; k < 6 && cases[i].words[k]; ++k) xml_assert_holds(scratch_path(folder, "x.svg"), cases[i].words[k]);
  }
  run_well(folder, "plot pushes.h5 -o x.png");
  run_well(folder, "plot pushes.h5 --map load,speed -o x.pdf");
  run_well(folder, "plot pushes.h5");
  assert_string_equal(result.out, "pushes.plot.svg\n");
}

// Numbers that gnuplot cannot take the difference of, or tell apart, are no reason to draw nothing.
static void extreme_numbers_are_drawn_or_left_out(void **state)
{
  if (!gnuplot_is_there()) skip();
  scratch_folder *folder = *state;
  static const char *const names[] = {"huge", "tiny", "wide", "same", "close"};
  enum { NAMES = sizeof names / sizeof names[0] };
  FILE *file = fopen(scratch_path(folder, "extreme.csv"), "w");
  assert_non_null(file);
  fputs("trial,huge,tiny,wide,same,close,outcome,steps,uncertified,residual,attempt\n", file);
  for (int i = 0; i < 40; ++i)
    fprintf(file, "%d,%.17g,%.17g,%.17g,5,%.17g,finished,1,0,0,0\n", i, (i % 2 ? 1.0 : -1.0) * 1.7e308 * i / 40.0,
            1e-310 * i, pow(10.0, 15.0 * (i - 20)), 1e15 + i);
  assert_int_equal(fclose(file), 0);
  run_well(folder, "plot extreme.csv -o x.svg");
  for (int i = 0; i < NAMES; ++i) {
    char arguments[256];
    const char *next = names[(i + 1) % NAMES], *last = names[(i + 3) % NAMES];
    snprintf(arguments, sizeof arguments, "plot extreme.csv --map %s,%s --color %s -o x.svg", names[i], next, last);
    run_well(folder, arguments);
    snprintf(arguments, sizeof arguments, "plot extreme.csv --scatter %s,%s -o x.svg", names[i], next);
    run_well(folder, arguments);
    snprintf(arguments, sizeof arguments, "plot extreme.csv --curves %s,%s --by %s -o x.svg", names[i], next, last);
    run_well(folder, arguments);
    xml_assert_holds(scratch_path(folder, "x.svg"), next);
  }
}

// ---- summaries -----------------------------------------------------------------------------------------------------

static double number_at(const char *text, const char *key)
{
  const char *at = strstr(text, key);
  if (!at) fail_msg("there is no %s", key);
  return strtod(at + strlen(key) + 2, NULL); // behind ": "
}

static void summaries_say_what_tables_say(void **state)
{
  scratch_folder *folder = *state;
  run_well(folder, "sweep --summary pushes.h5");
  static const char *const words[] = {"pushes & more",
                                      "120 of 120",
                                      "108  90.0 %  finished",
                                      "12  10.0 %  failed: the pusher left the `table`",
                                      "force [N]",
                                      "what force depends on",
                                      "1 trials have steps that are not certified"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    if (!strstr(result.out, words[i])) fail_msg("'%s' is not in\n%s", words[i], result.out);
  assert_null(strstr(result.out, "what found depends on"));

  run_well(folder, "sweep --summary design.h5 --json");
  assert_true(json_is_valid(result.out));
  static const char *const keys[] = {
      "table",  "name",        "rows",           "design",   "finished",        "stopped", "limited",
      "failed", "uncertified", "worst_residual", "outcomes", "quantile_shares", "results", "sensitivities"};
  assert_int_equal(json_count(result.out), sizeof keys / sizeof keys[0]);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) assert_non_null(json_member(result.out, keys[i]));
  assert_int_equal(json_count(json_member(result.out, "results")), 3);
  assert_int_equal(json_count(json_member(result.out, "sensitivities")), 3);
  const char *force = strstr(json_member(result.out, "results"), "\"force\"");
  // 64 samples of 3 points and 3 trials; a tenth fail; the mean of 2 speed + 3 load is 1 + 7.
  assert_int_equal((int)number_at(force, "\"count\""), 518);
  assert_int_equal((int)number_at(force, "\"missing\""), 58);
  assert_true(fabs(number_at(force, "\"mean\"") - 8.0) < 0.1);
  // Variance: 9 var(1, 2, 4) = 14 of load, 4/12 of speed.
  const char *of_load = strstr(json_member(result.out, "sensitivities"), "\"load\"");
  assert_true(fabs(number_at(of_load, "\"first\"") - 14.0 / (14.0 + 1.0 / 3.0)) < 0.02);
  const char *of_speed = strstr(of_load, "\"speed\"");
  assert_true(fabs(number_at(of_speed, "\"total\"") - (1.0 / 3.0) / (14.0 + 1.0 / 3.0)) < 0.02);

  run_well(folder, "sweep --summary none.csv");
  run_well(folder, "sweep --summary none.csv --json");
  assert_true(json_is_valid(result.out));
  run_well(folder, "sweep --summary one.csv");
  assert_non_null(strstr(result.out, "2.5"));
  // of a study: the table that its sweep has made
  run_well(folder, "sweep --summary pushes.yaml");
  assert_non_null(strstr(result.out, "120 of 120"));
  run_well(folder, "sweep --summary whatever.yaml -o pushes.h5");
  assert_non_null(strstr(result.out, "120 of 120"));
}

static void tables_become_csv_and_are_drawn_all_the_same(void **state)
{
  scratch_folder *folder = *state;
  run_well(folder, "convert pushes.h5 copy.csv");
  run_well(folder, "sweep --summary copy.csv");
  assert_non_null(strstr(result.out, "12  10.0 %  failed: the pusher left the `table`"));
  run_well(folder, "convert copy.csv again.csv");
  if (!gnuplot_is_there()) skip();
  run_well(folder, "plot copy.csv --map load,speed --color slipped -o x.svg");
  xml_assert_holds(scratch_path(folder, "x.svg"), "share of slipped");
  run_well(folder, "plot copy.csv -o x.svg");
  xml_assert_holds(scratch_path(folder, "x.svg"), "slipped");
}

// ---- refusals ------------------------------------------------------------------------------------------------------

static void mistakes_are_refused_in_one_sentence(void **state)
{
  scratch_folder *folder = *state;
  static const char *const cases[][2] = {
      {"plot pushes.h5 --map load,sped", "there is no column 'sped'; did you mean 'speed'?"},
      {"plot pushes.h5 --map load", "takes 2 columns"},
      {"plot pushes.h5 --map load,speed --color found", "no trial has numbers for 'load', 'speed' and 'found'"},
      {"plot pushes.h5 --map load,speed --scatter load,speed", "at a time"},
      {"plot pushes.h5 --color force", "'--color' needs '--map'"},
      {"plot pushes.h5 --histogram force --contour 1", "'--contour' needs '--map'"},
      {"plot pushes.h5 --by load", "'--by' needs '--curves'"},
      {"plot pushes.h5 --histogram zebra", "there is no column 'zebra'"},
      {"plot pushes.h5 --histogram found", "no trial has a number for 'found'"},
      {"plot pushes.h5 --scatter load,found", "no trial has numbers for both"},
      {"plot pushes.h5 --curves load,found", "no trial has numbers for both"},
      {"plot pushes.h5 --bins 2000", "from 1 to 1000"},
      {"plot pushes.h5 --log", "'--log' needs"},
      {"plot pushes.h5 --y force", "'--y' is for runs"},
      {"plot pushes.h5 --from 1", "'--from' is for runs"},
      {"plot pushes.h5 -o x.bmp", ".svg, .png or .pdf"},
      {"plot none.csv", "the table has no rows"},
      {"plot none.csv --map a,steps", "the table has no rows"},
      {"plot missing.h5 --map a,b", "missing.h5"},
      {"convert pushes.h5 x.yaml", "tables are written as .csv"},
      {"convert pushes.h5 nowhere/x.csv", "cannot be written"},
      {"sweep --summary missing.h5", "missing.h5"}};
  const int before = scratch_count(folder);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    run(folder, cases[i][0]);
    assert_command_refused(&result, cases[i][1]);
    assert_int_equal(scratch_count(folder), before);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_figure_is_drawn), cmocka_unit_test(extreme_numbers_are_drawn_or_left_out),
      cmocka_unit_test(summaries_say_what_tables_say), cmocka_unit_test(tables_become_csv_and_are_drawn_all_the_same),
      cmocka_unit_test(mistakes_are_refused_in_one_sentence)};
  return cmocka_run_group_tests(tests, set_up, scratch_folder_tear_down);
}
