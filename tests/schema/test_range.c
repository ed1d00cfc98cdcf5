// Ranges hold what their texts say, at their ends and next to them.
#include "schema/range.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

typedef struct range_case {
  ts_range range;
  const char *text;
  double inside[5], outside[6]; // ended by NAN
} range_case;

#define ABOVE(x) ((x) + 1e-15)
#define BELOW(x) ((x)-1e-15)

static const range_case cases[] = {
    {TS_RANGE_ANY, "", {0.0, -1e300, 1e300, NAN}, {NAN}},
    {TS_RANGE_POSITIVE, "> 0", {5e-324, 1.0, 1e300, NAN}, {0.0, -0.0, -5e-324, -1.0, NAN}},
    {TS_RANGE_NOT_NEGATIVE, ">= 0", {0.0, -0.0, 1e300, NAN}, {-5e-324, -1.0, NAN}},
    {TS_RANGE_FRACTION, "0 to 1", {0.0, 0.5, 1.0, NAN}, {-5e-324, ABOVE(1.0), NAN}},
    {TS_RANGE_OPEN_FRACTION, "> 0 and < 1", {5e-324, 0.5, BELOW(1.0), NAN}, {0.0, 1.0, -1.0, 2.0, NAN}},
    {TS_RANGE_BELOW_1, ">= 0 and < 1", {0.0, 5e-324, BELOW(1.0), NAN}, {-5e-324, 1.0, 2.0, NAN}},
    {TS_RANGE_UPPER_HALF, "0.5 to 1", {0.5, 0.75, 1.0, NAN}, {BELOW(0.5), ABOVE(1.0), 0.0, -0.75, NAN}},
    {TS_RANGE_EVEN_FROM_4, "even, >= 4", {4.0, 6.0, 1e6, NAN}, {2.0, 5.0, 0.0, -4.0, 4.5, NAN}},
    {TS_RANGE_POWER_OF_2, "a power of 2 up to 1024", {1.0, 2.0, 64.0, 1024.0, NAN}, {0.0, 0.5, 3.0, 2048.0, -2.0, NAN}},
    {TS_RANGE_ONE, "1", {1.0, NAN}, {0.0, ABOVE(1.0), BELOW(1.0), -1.0, NAN}},
    {TS_RANGE_NOT_NEGATIVE_OR_RULE, ">= 0, -1 or -2", {-2.0, -1.0, 0.0, 1e300, NAN}, {ABOVE(-1.0), -1e-300, -3.0, NAN}},
    {TS_RANGE_PLACE, "-1e9 to 1e9", {-1e9, 0.0, 1e9, NAN}, {1.0000001e9, -1.0000001e9, 1e300, NAN}},
    {TS_RANGE_EXPONENT, "2 to 1000", {2.0, 2.5, 1000.0, NAN}, {1.99, 1000.1, -2.0, NAN}},
    {TS_RANGE_THREADS, "1 to 256", {1.0, 2.0, 256.0, NAN}, {0.0, -1.0, 257.0, NAN}},
};

static void ranges_hold_what_they_say(void **state)
{
  (void)state;
  assert_int_equal(sizeof cases / sizeof *cases, TS_RANGE_COUNT);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const range_case *c = &cases[i];
    assert_string_equal(ts_range_text(c->range), c->text);
    for (const double *x = c->inside; !isnan(*x); ++x)
      if (!ts_range_holds(c->range, *x)) fail_msg("'%s' does not hold %g", c->text, *x);
    for (const double *x = c->outside; !isnan(*x); ++x)
      if (ts_range_holds(c->range, *x)) fail_msg("'%s' holds %g", c->text, *x);
    assert_false(ts_range_holds(c->range, NAN));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_hold_what_they_say)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
