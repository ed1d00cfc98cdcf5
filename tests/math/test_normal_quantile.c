// Quantiles of the normal distribution against the C library's error function in higher precision, and a table.
#include "math/normal_quantile.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "near.h"

// Phi(z) - p over the slope of Phi is the error of z, in long double. Both tails are made from the smaller side.
static double error_at(double p)
{
  const long double z = (long double)ts_normal_quantile(p), root_2 = sqrtl(2.0L);
  const long double slope = expl(-0.5L * z * z) / sqrtl(2.0L * acosl(-1.0L));
  const long double miss =
      p < 0.5 ? 0.5L * erfcl(-z / root_2) - (long double)p : (1.0L - (long double)p) - 0.5L * erfcl(z / root_2);
  return (double)fabsl(miss / slope);
}

// A few units in the last place of z. Where 1 - p rounds, p says no more of z than the spacing of p over the slope;
// 1 - p is exact for p >= 1/2, so that nothing is lost there either.
static void quantiles_invert_the_distribution(void **state)
{
  (void)state;
  double worst = 0.0;
  for (int k = 1; k < 20000; ++k) {
    const double p = k / 20000.0;
    worst = fmax(worst, error_at(p) / fmax(1.0, fabs(ts_normal_quantile(p))));
  }
  for (double p = 1e-3; p > 1e-300; p *= 0.37) worst = fmax(worst, error_at(p) / fabs(ts_normal_quantile(p)));
  for (double q = 1e-3; q > 1e-15; q *= 0.37) worst = fmax(worst, error_at(1.0 - q) / ts_normal_quantile(1.0 - q));
  print_message("normal quantiles: error at most %.2e\n", worst);
  assert_true(worst < 1e-15);
}

// Tables of the normal distribution, as in any textbook.
static void tabulated_quantiles_are_met(void **state)
{
  (void)state;
  assert_near(ts_normal_quantile(0.975), 1.959963984540054, 1e-14);
  assert_near(ts_normal_quantile(0.95), 1.644853626951473, 1e-14);
  assert_near(ts_normal_quantile(0.995), 2.575829303548901, 1e-14);
  assert_near(ts_normal_quantile(0.75), 0.674489750196082, 1e-14);
}

static void the_median_is_zero_and_the_ends_are_infinite(void **state)
{
  (void)state;
  assert_true(ts_normal_quantile(0.5) == 0.0);
  assert_true(ts_normal_quantile(0.0) == -INFINITY);
  assert_true(ts_normal_quantile(1.0) == INFINITY);
  assert_true(isnan(ts_normal_quantile(-0.1)));
  assert_true(isnan(ts_normal_quantile(1.1)));
  assert_true(isnan(ts_normal_quantile(NAN)));
  for (double p = 0.501; p < 1.0; p += 0.01) assert_near(ts_normal_quantile(p), -ts_normal_quantile(1.0 - p), 1e-13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantiles_invert_the_distribution),
      cmocka_unit_test(tabulated_quantiles_are_met),
      cmocka_unit_test(the_median_is_zero_and_the_ends_are_infinite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
