// Numbers as text read back as themselves, and no shorter text of 15 digits or more would.
#include "text/number_text.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void assert_reads_back(double value)
{
  for (int quick = 0; quick < 2; ++quick) {
    char text[TS_NUMBER_TEXT_SIZE];
    const size_t length = (quick ? ts_number_text_quick : ts_number_text)(value, text);
    assert_int_equal(length, strlen(text));
    const double back = strtod(text, NULL);
    if (memcmp(&back, &value, sizeof value) != 0) fail_msg("%a became '%s'", value, text);
  }
}

// Any 64 bits that are a finite number.
static void random_bits_read_back(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 1);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t bits = ts_random_bits(&random);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) assert_reads_back(value);
    assert_reads_back(ts_random_normal(&random));
    assert_reads_back((double)ts_random_below(&random, 1000000) / 1000.0);
  }
}

static void texts_are_plain(void **state)
{
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0.0, "0"},     {-0.0, "-0"},        {0.1, "0.1"},      {0.1 + 0.2, "0.30000000000000004"},
               {-42.0, "-42"}, {1e9, "1000000000"}, {1e22, "1e+22"},   {5e-324, "4.94065645841247e-324"},
               {NAN, "nan"},   {-NAN, "nan"},       {INFINITY, "inf"}, {-INFINITY, "-inf"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[TS_NUMBER_TEXT_SIZE];
    ts_number_text(cases[k].value, text);
    assert_string_equal(text, cases[k].text);
  }
}

static void quick_texts_are_short_where_few_decimals_do(void **state)
{
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0.0, "0"},
               {-0.0, "-0"},
               {0.1, "0.1"},
               {-0.025, "-0.025"},
               {1e-6, "0.000001"},
               {12.3456, "12.3456"},
               {1.0 / 3.0, "0.33333333333333331"},
               {NAN, "nan"},
               {-INFINITY, "-inf"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[TS_NUMBER_TEXT_SIZE];
    ts_number_text_quick(cases[k].value, text);
    assert_string_equal(text, cases[k].text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_bits_read_back), cmocka_unit_test(texts_are_plain),
                                     cmocka_unit_test(quick_texts_are_short_where_few_decimals_do)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
