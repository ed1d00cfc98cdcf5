// Logarithm and exponential against the C library's, and the bits of some: they are the same on every machine.
#include "sampling/elementary.h"

#include "sampling/philox.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

// The library's are within 1 ulp, ours as their header says.
static void logarithms_are_those_of_the_library(void **state)
{
  (void)state;
  for (uint64_t i = 0; i < 200000; ++i) {
    const double u = ts_philox_uniform(1, 0, i, 0), w = ts_philox_uniform(1, 0, i, 1);
    const double x = i % 2 ? exp((u - 0.5) * 1400.0) : 1.0 + (u - 0.5) * pow(10.0, -8.0 * w);
    assert_true(fabs(ts_same_log(x) - log(x)) <= 4e-16 * fabs(log(x)));
  }
  assert_true(ts_same_log(1.0) == 0.0);
  assert_true(fabs(ts_same_log(DBL_TRUE_MIN) / log(DBL_TRUE_MIN) - 1.0) < 4e-16);
  assert_true(fabs(ts_same_log(DBL_MAX) / log(DBL_MAX) - 1.0) < 4e-16);
}

static void exponentials_are_those_of_the_library(void **state)
{
  (void)state;
  for (uint64_t i = 0; i < 200000; ++i) {
    const double u = ts_philox_uniform(2, 0, i, 0);
    const double x = i % 2 ? (u - 0.5) * 1410.0 : (u - 0.5) * 2.0;
    assert_true(fabs(ts_same_exp(x) - exp(x)) <= 5e-16 * exp(x));
  }
  assert_true(ts_same_exp(0.0) == 1.0);
  assert_true(ts_same_exp(-1000.0) == 0.0 && isinf(ts_same_exp(1000.0)));
  assert_true(ts_same_exp(709.7) < DBL_MAX && ts_same_exp(-744.0) > 0.0);
}

// Recorded once; sums, products, quotients and powers of 2 leave no choice. All but exp(1), which is 1 ulp more, are
// those of the nearest doubles.
static void bits_are_the_same(void **state)
{
  (void)state;
  assert_true(ts_same_log(10.0) == 0x1.26bb1bbb55516p+1 && ts_same_log(1e-300) == -0x1.5963447f87fb5p+9);
  assert_true(ts_same_exp(1.0) == 0x1.5bf0a8b14576ap+1 && ts_same_exp(-700.5) == 0x1.4ff475c68ca02p-1011);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logarithms_are_those_of_the_library),
      cmocka_unit_test(exponentials_are_those_of_the_library),
      cmocka_unit_test(bits_are_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
