// Times with three digits and a unit: read back they are the time to three digits.
#include "cli/time_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void times_have_the_unit_that_fits(void **state)
{
  (void)state;
  static const struct {
    double seconds;
    const char *text;
  } cases[] = {{0.0, "0 s"},          {2e-10, "0.2 ns"},   {4.56e-9, "4.56 ns"},  {9.994e-7, "999 ns"},
               {9.996e-7, "1 us"},    {4.13e-4, "413 us"}, {9.9949e-4, "999 us"}, {9.996e-4, "1 ms"},
               {1.216e-3, "1.22 ms"}, {0.162, "162 ms"},   {0.99949, "999 ms"},   {0.99951, "1 s"},
               {17.62, "17.6 s"},     {999.4, "999 s"},    {999.6, "1000 s"},     {123456.7, "123457 s"},
               {-0.162, "-162 ms"},   {INFINITY, "inf s"}};
  char text[32];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    assert_string_equal(cli_time_text(cases[i].seconds, text, sizeof text), cases[i].text);
}

static double read_back(const char *text)
{
  double value = NAN;
  char unit[8] = "";
  assert_int_equal(sscanf(text, "%lf %7s", &value, unit), 2);
  assert_null(strchr(text, 'e')); // no power of ten
  return value * (strcmp(unit, "ns") == 0   ? 1e-9
                  : strcmp(unit, "us") == 0 ? 1e-6
                  : strcmp(unit, "ms") == 0 ? 1e-3
                                            : 1.0);
}

static void times_are_told_to_three_digits(void **state)
{
  (void)state;
  char text[32];
  for (double seconds = 1e-9; seconds < 1e6; seconds *= 1.0137)
    assert_true(fabs(read_back(cli_time_text(seconds, text, sizeof text)) / seconds - 1.0) <= 0.5001e-2);
}

// What does not fit is cut, never written past the end.
static void room_is_kept_to(void **state)
{
  (void)state;
  char text[8] = "xxxxxxx";
  cli_time_text(0.162, text, 4);
  assert_string_equal(text, "162");
  assert_string_equal(text + 4, "xxx");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(times_have_the_unit_that_fits),
                                     cmocka_unit_test(times_are_told_to_three_digits),
                                     cmocka_unit_test(room_is_kept_to)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
