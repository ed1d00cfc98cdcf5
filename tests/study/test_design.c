// Which parameters a trial has: the order of grids, samples at their points, sequences, and what follows from others.
#include "study/design.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_COLUMNS = 300 };

typedef struct fixture {
  ts_arena memory;
  ts_design design;
  ts_error error;
  int column; // that a failure is about
} fixture;

static int set_up(void **state)
{
  static fixture f;
  f = (fixture){.column = -2};
  ts_arena_init(&f.memory, NULL);
  *state = &f;
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  ts_arena_release(&f->memory);
  return 0;
}

static ts_status make(fixture *f, const ts_variation *variations, int count, ts_sampling sampling, uint64_t samples)
{
  const ts_study_def def = {
      .variations = variations, .variation_count = count, .sampling = sampling, .samples = samples, .seed = 5};
  return ts_design_make(&def, &f->memory, &f->design, &f->column, &f->error);
}

static void row(const fixture *f, uint64_t trial, double *values)
{
  ts_error error;
  assert_int_equal(ts_design_row(&f->design, trial, values, &error), TS_OK);
}

static const double abc[] = {1.0, 2.0, 3.0}, ab[] = {10.0, 20.0}, cd[] = {-1.0, -2.0};

// ---- the grid ------------------------------------------------------------------------------------------------------

// x by itself, and a table of y and z: 6 points, of which the table goes round first; then the next sample.
static void the_last_axis_goes_round_first(void **state)
{
  fixture *f = *state;
  const ts_variation variations[] = {{.name = "x", .values = abc, .count = 3},
                                     {.name = "y", .values = ab, .count = 2, .axis = 4},
                                     {.name = "z", .values = cd, .count = 2, .axis = 4}};
  assert_int_equal(make(f, variations, 3, TS_SAMPLING_RANDOM, 7), TS_OK);
  assert_int_equal(f->design.cells, 6);
  assert_int_equal(f->design.trials, 42);
  for (uint64_t i = 0; i < 42; ++i) {
    double values[3];
    row(f, i, values);
    assert_true(values[0] == abc[i % 6 / 2]);
    assert_true(values[1] == ab[i % 2]);
    assert_true(values[2] == cd[i % 2]);
  }
}

// ---- random numbers ------------------------------------------------------------------------------------------------

// Random beside a grid of two points.
static const ts_variation mixed[] = {{.name = "x", .values = ab, .count = 2},
                                     {.name = "u", .kind = TS_VARY_UNIFORM, .low = 0.0, .high = 1.0},
                                     {.name = "v", .kind = TS_VARY_UNIFORM, .low = 5.0, .high = 6.0}};

static void more_samples_leave_trials_as_they_are(void **state)
{
  fixture *f = *state;
  static const ts_sampling growing[] = {TS_SAMPLING_RANDOM, TS_SAMPLING_SOBOL, TS_SAMPLING_HALTON,
                                        TS_SAMPLING_SALTELLI};
  for (size_t k = 0; k < sizeof growing / sizeof *growing; ++k) {
    fixture few = {0};
    ts_arena_init(&few.memory, NULL);
    assert_int_equal(make(&few, mixed, 3, growing[k], 10), TS_OK);
    assert_int_equal(make(f, mixed, 3, growing[k], 25), TS_OK);
    assert_true(ts_design_can_grow(&few.design));
    assert_true(few.design.trials < f->design.trials);
    for (uint64_t i = 0; i < few.design.trials; ++i) {
      double before[3], after[3];
      row(&few, i, before);
      row(f, i, after);
      assert_memory_equal(before, after, sizeof before);
    }
    ts_arena_release(&few.memory);
  }
  assert_int_equal(make(f, mixed, 3, TS_SAMPLING_LATIN, 25), TS_OK);
  assert_false(ts_design_can_grow(&f->design));
}

// At each point by itself every parameter has one value in each of as many equal parts of its range as there are
// samples.
static void latin_samples_are_spread_at_every_point(void **state)
{
  enum { SAMPLES = 23 };
  fixture *f = *state;
  int seen[2][2][SAMPLES] = {0}; // of points, parameters and parts
  assert_int_equal(make(f, mixed, 3, TS_SAMPLING_LATIN, SAMPLES), TS_OK);
  for (uint64_t i = 0; i < f->design.trials; ++i) {
    double values[3];
    row(f, i, values);
    ++seen[i % 2][0][(int)(values[1] * SAMPLES)];
    ++seen[i % 2][1][(int)((values[2] - 5.0) * SAMPLES)];
  }
  for (int p = 0; p < 2; ++p)
    for (int c = 0; c < 2; ++c)
      for (int s = 0; s < SAMPLES; ++s) assert_int_equal(seen[p][c][s], 1);
}

// The points of the grid do not have the same numbers, and neither do the parameters.
static void points_have_numbers_of_their_own(void **state)
{
  fixture *f = *state;
  for (ts_sampling sampling = 0; sampling < TS_SAMPLING_COUNT; ++sampling) {
    assert_int_equal(make(f, mixed, 3, sampling, 4), TS_OK);
    double first[3], second[3];
    row(f, 0, first);
    row(f, f->design.per_sample, second);
    assert_true(first[0] != second[0]);
    assert_true(first[1] != second[1] && first[2] != second[2]);
    assert_true(first[1] != first[2] - 5.0);
  }
}

// A, B, then A with one parameter after another from B; samples do not repeat.
static void saltelli_mixes_two_samples(void **state)
{
  fixture *f = *state;
  double last = NAN;
  assert_int_equal(make(f, mixed, 3, TS_SAMPLING_SALTELLI, 8), TS_OK);
  assert_int_equal(f->design.per_sample, 4);
  assert_int_equal(f->design.trials, 64);
  for (uint64_t i = 0; i < 64; i += 4) {
    double a[3], b[3], first[3], second[3];
    row(f, i, a);
    row(f, i + 1, b);
    row(f, i + 2, first);
    row(f, i + 3, second);
    assert_true(a[1] != b[1] && a[2] != b[2] && a[1] != last);
    assert_true(first[1] == b[1] && first[2] == a[2]);
    assert_true(second[1] == a[1] && second[2] == b[2]);
    assert_true(a[0] == b[0] && a[0] == first[0] && a[0] == second[0]);
    last = a[1];
  }
}

// ---- what follows from others --------------------------------------------------------------------------------------

static void expressions_may_come_before_what_they_use(void **state)
{
  fixture *f = *state;
  const ts_variation variations[] = {{.name = "d", .kind = TS_VARY_EXPRESSION, .expression = "2*c + x"},
                                     {.name = "c", .kind = TS_VARY_EXPRESSION, .expression = "x^2"},
                                     {.name = "x", .values = abc, .count = 3}};
  assert_int_equal(make(f, variations, 3, TS_SAMPLING_RANDOM, 1), TS_OK);
  for (uint64_t i = 0; i < 3; ++i) {
    double values[3];
    row(f, i, values);
    assert_true(values[0] == 2.0 * abc[i] * abc[i] + abc[i]);
  }
}

static void a_number_that_cannot_be_computed_names_its_trial(void **state)
{
  fixture *f = *state;
  double values[2];
  const ts_variation variations[] = {{.name = "x", .values = abc, .count = 3},
                                     {.name = "c", .kind = TS_VARY_EXPRESSION, .expression = "1/(x - 2)"}};
  assert_int_equal(make(f, variations, 2, TS_SAMPLING_RANDOM, 1), TS_OK);
  row(f, 0, values);
  assert_int_equal(ts_design_row(&f->design, 1, values, &f->error), TS_INVALID);
  assert_non_null(strstr(f->error.text, "'c' of trial 1: division by zero"));
  row(f, 2, values);
}

// ---- what is refused -----------------------------------------------------------------------------------------------

static void bad_variations_are_refused(void **state)
{
  fixture *f = *state;
  static const double none[] = {NAN};
  static const struct {
    ts_variation variations[2];
    int count, column;
    const char *words;
  } cases[] = {
      {{{.name = "x", .values = abc, .count = 3}, {.name = "x", .values = ab, .count = 2}}, 2, 1, "varied twice"},
      {{{.name = "1x", .values = abc, .count = 3}}, 1, 0, "no digit first"},
      {{{.name = NULL, .values = abc, .count = 3}}, 1, 0, "a parameter is called by letters"},
      {{{.name = "x", .values = abc, .count = 0}}, 1, 0, "'x' has no values"},
      {{{.name = "x", .values = none, .count = 1}}, 1, 0, "not finite"},
      {{{.name = "x", .values = abc, .count = 3, .axis = 1}, {.name = "y", .values = ab, .count = 2, .axis = 1}},
       2,
       1,
       "'y' has 2 values, and what goes with it 3"},
      {{{.name = "x", .kind = TS_VARY_UNIFORM, .low = 1.0, .high = 1.0}}, 1, 0, "'x': "},
      {{{.name = "x", .kind = TS_VARY_EXPRESSION}}, 1, 0, "needs an expression"},
      {{{.name = "x", .kind = TS_VARY_EXPRESSION, .expression = "y"},
        {.name = "y", .kind = TS_VARY_EXPRESSION, .expression = "x"}},
       2,
       0,
       "x -> y -> x"},
      {{{.name = "x", .kind = TS_VARY_EXPRESSION, .expression = "2*xx"}}, 1, 0, "there is no 'xx'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_int_equal(make(f, cases[i].variations, cases[i].count, TS_SAMPLING_RANDOM, 1), TS_INVALID);
    assert_int_equal(f->column, cases[i].column);
    if (!strstr(f->error.text, cases[i].words)) fail_msg("'%s', not '%s'", f->error.text, cases[i].words);
  }
}

static void too_many_are_refused(void **state)
{
  fixture *f = *state;
  static char names[MOST_COLUMNS][8];
  static double thousand[1000];
  ts_variation many[MOST_COLUMNS];
  for (int i = 0; i < MOST_COLUMNS; ++i) {
    snprintf(names[i], sizeof names[i], "p%d", i);
    many[i] = (ts_variation){.name = names[i], .kind = TS_VARY_UNIFORM, .low = 0.0, .high = 1.0};
  }
  assert_int_equal(make(f, many, -1, TS_SAMPLING_RANDOM, 1), TS_INVALID);
  assert_int_equal(f->column, -1); // the whole is refused, no single column
  assert_int_equal(make(f, many, 1 << 30, TS_SAMPLING_RANDOM, 1), TS_INVALID);
  assert_int_equal(f->column, -1);
  assert_int_equal(make(f, many, MOST_COLUMNS, TS_SAMPLING_RANDOM, 1), TS_INVALID);
  assert_int_equal(make(f, many, 65, TS_SAMPLING_RANDOM, 1), TS_INVALID);
  assert_int_equal(make(f, many, 64, TS_SAMPLING_RANDOM, 1), TS_OK);
  assert_int_equal(make(f, many, 33, TS_SAMPLING_SALTELLI, 1), TS_INVALID);
  assert_int_equal(f->column, -1);
  assert_int_equal(make(f, many, 32, TS_SAMPLING_SALTELLI, 1), TS_OK);
  assert_int_equal(make(f, many, 1, TS_SAMPLING_RANDOM, 0), TS_INVALID);
  assert_int_equal(make(f, many, 1, TS_SAMPLING_COUNT, 1), TS_INVALID);
  // 1000^3 points are as many as there may be; products that no integer holds are told, too.
  for (int i = 0; i < MOST_COLUMNS; ++i) many[i] = (ts_variation){.name = names[i], .values = thousand, .count = 1000};
  assert_int_equal(make(f, many, 3, TS_SAMPLING_RANDOM, 1), TS_OK);
  assert_int_equal(f->design.trials, 1000000000);
  assert_int_equal(make(f, many, 3, TS_SAMPLING_RANDOM, 2), TS_INVALID);
  assert_int_equal(f->column, -1);
  assert_non_null(strstr(f->error.text, "2e+09 trials"));
  assert_int_equal(make(f, many, 200, TS_SAMPLING_RANDOM, 1), TS_INVALID);
  assert_int_equal(make(f, many, 3, TS_SAMPLING_RANDOM, UINT64_MAX), TS_INVALID);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_last_axis_goes_round_first, set_up, tear_down),
      cmocka_unit_test_setup_teardown(more_samples_leave_trials_as_they_are, set_up, tear_down),
      cmocka_unit_test_setup_teardown(latin_samples_are_spread_at_every_point, set_up, tear_down),
      cmocka_unit_test_setup_teardown(points_have_numbers_of_their_own, set_up, tear_down),
      cmocka_unit_test_setup_teardown(saltelli_mixes_two_samples, set_up, tear_down),
      cmocka_unit_test_setup_teardown(expressions_may_come_before_what_they_use, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_number_that_cannot_be_computed_names_its_trial, set_up, tear_down),
      cmocka_unit_test_setup_teardown(bad_variations_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(too_many_are_refused, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
