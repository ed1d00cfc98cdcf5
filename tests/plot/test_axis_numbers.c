// Numbers at axes: neighbours differ as they are printed, there are enough of them, and rounding is no range.
#include "plot/axis_numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void assert_near(double found, double expected)
{
  if (!(fabs(found - expected) <= 1e-9 * fabs(expected))) fail_msg("%.12g is not %.12g", found, expected);
}

// Ten numbers above any other, in steps of any size: each is printed differently, and read back to a part of the step.
static void neighbours_differ(void **state)
{
  (void)state;
  static const double lows[] = {0.0, 1.0, 18.4368, -18.4368, 88.29, 1e9, -1e9, 123456.0, 1e-9, 3e20};
  for (size_t i = 0; i < sizeof lows / sizeof lows[0]; ++i)
    for (int power = -12; power <= 1; ++power) {
      const double size = fmax(1e-9, fabs(lows[i])), step = ts_nice_step(0.3 * size * pow(10.0, power));
      const double high = lows[i] + 10.0 * step;
      const int digits = ts_axis_digits(lows[i], high, step);
      char before[40] = "", text[40];
      for (double at = ceil(lows[i] / step) * step; at <= high; at += step) {
        snprintf(text, sizeof text, "%.*g", digits, at);
        assert_string_not_equal(text, before);
        assert_true(fabs(strtod(text, NULL) - at) <= 0.01 * step);
        strcpy(before, text);
      }
    }
  assert_int_equal(ts_axis_digits(0.0, 1.0, 0.2), 6);
  assert_int_equal(ts_axis_digits(1e9, 1e9 + 200.0, 50.0), 10); // no power of ten
  assert_int_equal(ts_axis_digits(0.0, 0.0, 1.0), 6);
}

static void rounding_is_no_range(void **state)
{
  (void)state;
  double low = 18.4368, high = 18.4368 * (1.0 + 1e-12);
  assert_true(ts_range_is_constant(low, high) && ts_range_is_constant(0.0, 0.0));
  assert_false(ts_range_is_constant(1.0, 1.0 + 1e-7) || ts_range_is_constant(-1e-12, 1e-12));
  ts_range_open_up(&low, &high, false);
  assert_near(high - low, 0.2 * 18.4368);
  low = high = 7.0;
  ts_range_open_up(&low, &high, true);
  assert_true(low == 3.5 && high == 14.0);
  low = 1.0, high = 2.0;
  ts_range_open_up(&low, &high, false);
  assert_true(low == 1.0 && high == 2.0);
}

// 1, 2 and 5 where three of them lie within, else even steps; decades are for wider axes.
static void short_logarithmic_axes_have_numbers(void **state)
{
  (void)state;
  double numbers[TS_MOST_SHORT_LOG_NUMBERS];
  assert_int_equal(ts_short_log_numbers(&(ts_axis_range){0.7, 12.0, 10.0}, numbers), 4);
  for (int i = 0; i < 4; ++i) assert_near(numbers[i], (double[]){1.0, 2.0, 5.0, 10.0}[i]);
  assert_int_equal(ts_short_log_numbers(&(ts_axis_range){0.7, 2.0, 10.0}, numbers), 3);
  for (int i = 0; i < 3; ++i) assert_near(numbers[i], (double[]){1.0, 1.5, 2.0}[i]);
  assert_int_equal(ts_short_log_numbers(&(ts_axis_range){1.0, 100.0, 10.0}, numbers), 0);
  for (double low = 1e-7; low < 1e7; low *= 1.7)
    for (double factor = 1.001; factor < 30.0; factor *= 1.3) {
      const ts_axis_range range = {low, factor * low, 10.0};
      const int count = ts_short_log_numbers(&range, numbers);
      assert_in_range(count, 2, 10);
      for (int i = 0; i < count; ++i) assert_true(numbers[i] > 0.999999 * low && numbers[i] < 1.000001 * range.high);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours_differ), cmocka_unit_test(rounding_is_no_range),
                                     cmocka_unit_test(short_logarithmic_axes_have_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
