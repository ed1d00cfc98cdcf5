// Sines and cosines against the C library in higher precision.
#include "math/sincos.h"

#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"

static const double QUARTER = 1.57079632679489661923;

static double error_at(double x)
{
  double s, c;
  ts_sincos(1, 1.0, &x, &s, &c);
  return fmax((double)fabsl((long double)s - sinl((long double)x)),
              (double)fabsl((long double)c - cosl((long double)x)));
}

static void random_angles_are_right(void **state)
{
  static const double ranges[] = {1e-8, 0.1, 1.0, 4.0, 1e3, 1e6, 1e9, 1e300};
  (void)state;
  ts_random random;
  ts_random_init(&random, 2);
  double worst = 0.0;
  for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; ++k)
    for (int i = 0; i < 50000; ++i) worst = fmax(worst, error_at(ts_random_uniform(&random, -ranges[k], ranges[k])));
  print_message("sine and cosine: error at most %.2e\n", worst);
  assert_true(worst < 2e-16);
}

// Next to multiples of a quarter turn, where the rest is what is left of a long subtraction
static void quarters_of_turns_are_right(void **state)
{
  (void)state;
  for (int k = -640000; k <= 640000; k += k > -200 && k < 200 ? 1 : 97) {
    const double x = k * QUARTER;
    assert_true(error_at(x) < 2e-16);
    assert_true(error_at(nextafter(x, 1e9)) < 2e-16);
    assert_true(error_at(x + 0.5 * QUARTER) < 2e-16);
  }
}

// Lists of any length, all places the same; scaled first; nothing written behind.
static void places_do_not_matter(void **state)
{
  (void)state;
  const double x[9] = {0.3, -2.0, 1e7, NAN, 5.0, INFINITY, 0.0, -0.7, 100.0};
  double s[10], c[10], s1, c1;
  for (int count = 0; count <= 9; ++count) {
    s[count] = c[count] = 7.0;
    ts_sincos(count, 0.5, x, s, c);
    assert_true(s[count] == 7.0 && c[count] == 7.0);
    for (int i = 0; i < count; ++i) {
      const double half = 0.5 * x[i];
      ts_sincos(1, 1.0, &half, &s1, &c1);
      assert_true(isfinite(half) ? s[i] == s1 && c[i] == c1 : isnan(s[i]) && isnan(c[i]));
    }
  }
  assert_true(s[6] == 0.0 && c[6] == 1.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_angles_are_right),
      cmocka_unit_test(quarters_of_turns_are_right),
      cmocka_unit_test(places_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
