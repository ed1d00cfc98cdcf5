// The scanner against strtod() and against positions counted by hand.
#include "text/scanner.h"

#include "base/random.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static ts_error error;

static ts_scanner scan_text(const char *text)
{
  ts_scanner scan;
  ts_scan_init(&scan, text, strlen(text), &error);
  return scan;
}

static void assert_same_as_strtod(const char *text)
{
  ts_scanner scan = scan_text(text);
  double value = NAN;
  const double expected = strtod(text, NULL);
  assert_int_equal(ts_scan_number(&scan, "x", &value), TS_OK);
  assert_memory_equal(&value, &expected, sizeof value);
  assert_true(ts_scan_at_end(&scan));
}

static void numbers_are_those_of_strtod(void **state)
{
  (void)state;
  const char *const texts[] = {"0",
                               "-0",
                               "0.0",
                               "+1",
                               "1.",
                               ".5",
                               "-.5e1",
                               "1e22",
                               "1e23",
                               "1e-22",
                               "1e-23",
                               "123e-5",
                               "0.1",
                               "9007199254740993",
                               "9007199254740992",
                               "18446744073709551616",
                               "1.7976931348623157e308",
                               "5e-324",
                               "1e-400",
                               "2.2250738585072011e-308",
                               "1.000000000000000000000000e+00",
                               "100000000000000000000000",
                               "1.000000000000000000000001",
                               "4.435919789226376863666701e-01",
                               "0.000000000000000000000001",
                               "0e999999999999",
                               "1000000000000000000000000000000000000000e-39",
                               "12345678901234567890123",
                               "2.000000000000000041633363e-03",
                               "1E5",
                               "1e+05",
                               "000001",
                               "0.30000000000000004"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) assert_same_as_strtod(texts[k]);
}

static void random_numbers_are_those_of_strtod(void **state)
{
  (void)state;
  const char *const formats[] = {"%.17g", "%.6e", "%.24e", "%g", "%.3f", "%.15g"};
  ts_random random;
  ts_random_init(&random, 7);
  for (int k = 0; k < 60000; ++k) {
    union {
      uint64_t bits;
      double number;
    } u = {ts_random_bits(&random)};
    const double near_one = ts_random_normal(&random);
    const double number = k % 2 && isfinite(u.number) && fabs(u.number) < 1e300 ? u.number : near_one;
    char text[400];
    snprintf(text, sizeof text, formats[k % 6], number);
    assert_same_as_strtod(text);
  }
}

static void what_is_no_number_is_refused(void **state)
{
  (void)state;
  const char *const texts[] = {"",    "-",   "+",    ".",   "e5",   "1e",    "1e+",    "--1", "1-",   "0x10", "1,5",
                               "1..", "nan", "-nan", "inf", "-inf", "1e999", "-1e400", "abc", "1.5x", "1d5"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
    ts_scanner scan = scan_text(texts[k]);
    double value;
    assert_int_equal(ts_scan_number(&scan, "x", &value), TS_INVALID);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 1);
  }
}

static void bounds_may_be_infinite(void **state)
{
  (void)state;
  ts_scanner scan = scan_text("inf -inf +Inf INFINITY -infinity 2.5 nan");
  const double expected[] = {INFINITY, -INFINITY, INFINITY, INFINITY, -INFINITY, 2.5};
  double value;
  for (int k = 0; k < 6; ++k) {
    assert_int_equal(ts_scan_bound(&scan, "b", &value), TS_OK);
    assert_true(value == expected[k]);
  }
  assert_int_equal(ts_scan_bound(&scan, "b", &value), TS_INVALID);
  assert_int_equal(error.column, 38);
}

static void whole_numbers_keep_their_range(void **state)
{
  (void)state;
  int value;
  ts_scanner scan = scan_text(" 2147483647 -2147483647 +7");
  assert_int_equal(ts_scan_int(&scan, "n", INT_MIN, INT_MAX, &value), TS_OK);
  assert_int_equal(value, INT_MAX);
  assert_int_equal(ts_scan_int(&scan, "n", INT_MIN, INT_MAX, &value), TS_OK);
  assert_int_equal(value, -INT_MAX);
  assert_int_equal(ts_scan_int(&scan, "n", 8, 9, &value), TS_INVALID);
  assert_string_equal(error.text, "n is 7, allowed are 8 to 9");
  const char *const texts[] = {"2147483648", "99999999999999999999", "3.0", "3e2", "x", "", "-", "3x", "0x3"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
    scan = scan_text(texts[k]);
    assert_int_equal(ts_scan_int(&scan, "n", INT_MIN, INT_MAX, &value), TS_INVALID);
  }
}

static void counts_must_fit_in_the_rest(void **state)
{
  (void)state;
  int count;
  ts_scanner scan = scan_text("3 1 2 3");
  assert_int_equal(ts_scan_count(&scan, "n", 1, &count), TS_OK);
  scan = scan_text("4 1 2 3");
  assert_int_equal(ts_scan_count(&scan, "n", 2, &count), TS_INVALID);
  assert_string_equal(error.text, "n is 4, more than the rest of the file can hold");
}

static void positions_count_lines_and_columns(void **state)
{
  (void)state;
  ts_scanner scan = scan_text("1\r\n  2 # a comment\n\n\t3x");
  scan.comments = true;
  int value;
  assert_int_equal(ts_scan_int(&scan, "n", 0, 9, &value), TS_OK);
  assert_int_equal(ts_scan_int(&scan, "n", 0, 9, &value), TS_OK);
  assert_int_equal(ts_scan_int(&scan, "n", 0, 9, &value), TS_INVALID);
  assert_int_equal(error.line, 4);
  assert_int_equal(error.column, 2);
  assert_string_equal(error.text, "\"3x\" stands where n (a whole number) should be");
}

static void sentences_hold_no_control_characters(void **state)
{
  (void)state;
  ts_scanner scan = scan_text("\033[31mred\377and-a-token-that-goes-on-and-on-and-on-and-on");
  assert_int_equal(ts_scan_unexpected(&scan, "peace"), TS_INVALID);
  assert_string_equal(error.text, "\"?[31mred?and-a-token-tha\" stands where peace should be");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_those_of_strtod),       cmocka_unit_test(random_numbers_are_those_of_strtod),
      cmocka_unit_test(what_is_no_number_is_refused),      cmocka_unit_test(bounds_may_be_infinite),
      cmocka_unit_test(whole_numbers_keep_their_range),    cmocka_unit_test(counts_must_fit_in_the_rest),
      cmocka_unit_test(positions_count_lines_and_columns), cmocka_unit_test(sentences_hold_no_control_characters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
