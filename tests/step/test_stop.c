// When a run is over: conditions as texts, and steps in a row.
#include "touchstone/stop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static ts_stop read_stop(const char *text)
{
  ts_stop stop;
  ts_error error;
  if (ts_stop_read(text, &stop, &error) != TS_OK) fail_msg("%s", error.text);
  return stop;
}

// The step (from 1) after which a run of steps of 1 ms ends; each letter is one: '.' certified, 'u' not, 'j' jammed.
static int end_of(const char *conditions, const char *steps, const char *words)
{
  ts_stop stop = read_stop(conditions);
  char text[64];
  for (int i = 0; steps[i]; ++i) {
    const ts_step_report report = {.certified = steps[i] == '.', .jammed = steps[i] == 'j'};
    const ts_stop_condition *met = ts_stop_met(&stop, 1e-3 * (i + 1), &report);
    if (!met) continue;
    assert_string_equal(ts_stop_describe(met, text, sizeof text), words);
    return i + 1;
  }
  return 0;
}

static void steps_in_a_row_count(void **state)
{
  (void)state;
  assert_int_equal(end_of("jam", "....", ""), 0);
  assert_int_equal(end_of("jam", ".u.j", "jam for 1 step"), 4);
  assert_int_equal(end_of("uncertified", ".u.j", "uncertified for 1 step"), 2);
  assert_int_equal(end_of("uncertified:3", "uu.uju", "uncertified for 3 steps"), 6);
  assert_int_equal(end_of("jam:2", "jujujuj", ""), 0);
  assert_int_equal(end_of("jam:2,uncertified:4", ".uuuujj", "uncertified for 4 steps"), 5);
  assert_int_equal(end_of("uncertified:5,jam:2", ".uujj", "jam for 2 steps"), 5);
  assert_int_equal(end_of(NULL, "jjjj", ""), 0);
  assert_int_equal(end_of("", "jjjj", ""), 0);
}

static void time_in_a_row_counts(void **state)
{
  (void)state;
  assert_int_equal(end_of("jam:0.003s", "..jj.jjjj", "jam for 0.003 s"), 8);
  assert_int_equal(end_of("jam:0.0025s", "..jj.jjjj", "jam for 0.0025 s"), 8);
}

static void nonsense_is_refused(void **state)
{
  (void)state;
  static const char *const texts[][2] = {
      {"jamm", "did you mean 'jam'?"},           {"rest", "there are 'jam' and 'uncertified'"},
      {"jam,", "cannot be stopped on ''"},       {"jam:0", "neither a number of steps"},
      {"jam:1.5", "neither a number of steps"},  {"jam:", "neither a number of steps"},
      {"jam:-1s", "neither a number of steps"},  {"jam:nans", "neither a number of steps"},
      {"jam:infs", "neither a number of steps"}, {"jam,jam,jam,jam,jam,jam,jam,jam,jam", "8 conditions"}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    ts_stop stop;
    ts_error error = {0};
    assert_int_equal(ts_stop_read(texts[i][0], &stop, &error), TS_INVALID);
    if (!strstr(error.text, texts[i][1])) fail_msg("'%s' does not say '%s'", error.text, texts[i][1]);
    assert_int_equal(ts_stop_read(texts[i][0], &stop, NULL), TS_INVALID);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_in_a_row_count),
      cmocka_unit_test(time_in_a_row_counts),
      cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
