// Statuses and errors: texts, places, sentences that are too long, callers that do not want to know.
#include "base/status.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>
#include <cmocka.h>

static void every_status_has_a_text(void **state)
{
  (void)state;
  for (int i = 0; i < TS_STATUS_COUNT; ++i) {
    assert_non_null(ts_status_text((ts_status)i));
    for (int j = 0; j < i; ++j) assert_string_not_equal(ts_status_text((ts_status)i), ts_status_text((ts_status)j));
  }
  assert_string_equal(ts_status_text(TS_OK), "success");
  assert_string_equal(ts_status_text((ts_status)TS_STATUS_COUNT), "unknown status");
  assert_string_equal(ts_status_text((ts_status)-1), "unknown status");
}

static void a_failure_fills_in_the_callers_error(void **state)
{
  (void)state;
  ts_error error = {.line = 7, .column = 9};
  assert_int_equal(ts_fail(&error, TS_INVALID, "mu[%d] is %g", 3, -0.5), TS_INVALID);
  assert_int_equal(error.status, TS_INVALID);
  assert_int_equal(error.line, 0); // a place from an earlier failure does not linger
  assert_int_equal(error.column, 0);
  assert_string_equal(error.text, "mu[3] is -0.5");
  assert_int_equal(ts_fail_at(&error, TS_IO, 12, 34, "the file ends here"), TS_IO);
  assert_int_equal(error.line, 12);
  assert_int_equal(error.column, 34);
  assert_string_equal(error.text, "the file ends here");
}

static void a_long_sentence_is_cut_and_ends(void **state)
{
  (void)state;
  char sentence[1000];
  memset(sentence, 'x', sizeof sentence - 1);
  sentence[sizeof sentence - 1] = '\0';
  ts_error error;
  ts_fail(&error, TS_INVALID, "%s", sentence);
  assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void nobody_needs_to_listen(void **state)
{
  (void)state;
  assert_int_equal(ts_fail(NULL, TS_OUT_OF_MEMORY, "%d", 1), TS_OUT_OF_MEMORY);
  assert_int_equal(ts_fail_at(NULL, TS_INVALID, 1, 2, "%d", 1), TS_INVALID);
}

static ts_status second_of_two(ts_status first, bool *reached)
{
  TS_TRY(first);
  *reached = true;
  return TS_OK;
}

static void trying_passes_a_failure_on(void **state)
{
  (void)state;
  bool reached = false;
  assert_int_equal(second_of_two(TS_IO, &reached), TS_IO);
  assert_false(reached);
  assert_int_equal(second_of_two(TS_OK, &reached), TS_OK);
  assert_true(reached);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_a_text),         cmocka_unit_test(a_failure_fills_in_the_callers_error),
      cmocka_unit_test(a_long_sentence_is_cut_and_ends), cmocka_unit_test(nobody_needs_to_listen),
      cmocka_unit_test(trying_passes_a_failure_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
