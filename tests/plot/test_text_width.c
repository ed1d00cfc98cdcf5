// Widths of texts against what gnuplot drew, and texts cut to a width.
#include "plot/text_width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// Pixels counted in PNG figures; a text may be taken for a little wider than it is.
static void texts_are_as_wide_as_they_are_drawn(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double pixels;
  } drawn[] = {{"stopped by missed: 55", 147.0}, {"stopped by rest: 845", 133.0}, {"share of the variance", 138.0}};
  for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; ++i) {
    const double width = ts_text_width(drawn[i].text);
    if (width < drawn[i].pixels || width > 1.06 * drawn[i].pixels)
      fail_msg("%s: %g pixels, not %g", drawn[i].text, width, drawn[i].pixels);
  }
  assert_true(ts_text_width("") == 0.0);
  assert_true(ts_text_width("\xc3\xa4") < 2.0 * ts_text_width("a")); // one character of two bytes
}

static void texts_are_cut_to_a_width(void **state)
{
  (void)state;
  static const char text[] = "sm\xc3\xb6rg\xc3\xa5sbord \xe6\xb0\xb4 and more of it, up to the very end";
  char fitted[80];
  for (double pixels = -5.0; pixels < 500.0; pixels += 1.7) {
    ts_text_fit(text, pixels, fitted, sizeof fitted);
    const size_t kept = strlen(fitted);
    assert_true(kept == 0 || ts_text_width(fitted) <= pixels);
    if (strcmp(fitted, text) == 0) continue;
    assert_true(ts_text_width(text) > pixels);
    if (kept == 0) continue;
    assert_string_equal(fitted + kept - 3, "...");
    assert_memory_equal(fitted, text, kept - 3);
    assert_true(((unsigned char)text[kept - 3] & 0xc0) != 0x80); // no character is torn
  }
  ts_text_fit(text, INFINITY, fitted, sizeof fitted);
  assert_string_equal(fitted, text);
  ts_text_fit(text, INFINITY, fitted, 12);
  assert_string_equal(fitted, "sm\xc3\xb6rg\xc3\xa5...");
  ts_text_fit("\xff ok", INFINITY, fitted, sizeof fitted); // no character, and kept as it is
  assert_string_equal(fitted, "\xff ok");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_as_wide_as_they_are_drawn),
                                     cmocka_unit_test(texts_are_cut_to_a_width)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
