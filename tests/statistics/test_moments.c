// Moments of streams against two passes in higher precision.
#include "statistics/moments.h"

#include "base/random.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "near.h"

enum { COUNT = 100000 };

static void fill(double *values, double offset, double scale, uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed);
  for (int k = 0; k < COUNT; ++k) values[k] = offset + scale * ts_random_normal(&random);
}

static void two_passes(const double *values, long double *mean, long double *variance)
{
  long double sum = 0.0L, squares = 0.0L;
  for (int k = 0; k < COUNT; ++k) sum += (long double)values[k];
  *mean = sum / COUNT;
  for (int k = 0; k < COUNT; ++k) squares += ((long double)values[k] - *mean) * ((long double)values[k] - *mean);
  *variance = squares / (COUNT - 1);
}

// The relative error of a variance in one pass is some n eps kappa at the worst, and sqrt(n) of it as a rule (Chan,
// Golub and LeVeque): kappa is mean over deviation, 1 for a mean of 0.
static void streams_agree_with_two_passes(void **state)
{
  static const double offsets[] = {0.0, 1.0, 1e4, 1e9, -1e12}, scales[] = {1.0, 1e-3, 1e-150};
  (void)state;
  double *values = malloc(COUNT * sizeof *values);
  for (size_t i = 0; i < 5; ++i)
    for (size_t s = 0; s < (i == 0 ? 3 : 2); ++s) {
      fill(values, offsets[i], scales[s], 11 + i);
      long double mean, variance;
      two_passes(values, &mean, &variance);
      ts_moments m = ts_moments_of_none();
      ts_moments_add_column(&m, COUNT, values);
      const double deviation = (double)sqrtl(variance), kappa = 1.0 + fabs(offsets[i]) / deviation;
      assert_near(m.mean, (double)mean, 1e3 * DBL_EPSILON * (fabs(offsets[i]) + deviation));
      assert_near(ts_moments_variance(&m) / (double)variance, 1.0, 1e3 * DBL_EPSILON * kappa);
      assert_near(ts_moments_deviation(&m) / deviation, 1.0, 1e3 * DBL_EPSILON * kappa);
    }
  free(values);
}

// By hand: 2, 4, 4, 4, 5, 5, 7, 9 has the mean 5 and squares of 32.
static void a_small_column_is_right(void **state)
{
  static const double values[] = {2, 4, NAN, 4, 4, 5, 5, 7, 9, NAN};
  (void)state;
  ts_moments m = ts_moments_of_none();
  ts_moments_add_column(&m, 10, values);
  assert_int_equal(m.count, 8);
  assert_int_equal(m.missing, 2);
  assert_near(m.mean, 5.0, 1e-15);
  assert_near(ts_moments_variance(&m), 32.0 / 7.0, 1e-14);
  assert_true(m.low == 2.0 && m.high == 9.0);
  const ts_confidence_interval i = ts_moments_mean_interval(&m, 0.95); // t of 7 degrees of freedom is 2.364624
  assert_near(i.high - 5.0, 2.364624 * sqrt(32.0 / 56.0), 1e-6);
  assert_near(5.0 - i.low, i.high - 5.0, 1e-14);
}

static void nothing_says_nothing(void **state)
{
  (void)state;
  ts_moments m = ts_moments_of_none();
  ts_moments_add(&m, NAN);
  assert_int_equal(m.count, 0);
  assert_int_equal(m.missing, 1);
  assert_true(isnan(ts_moments_variance(&m)) && m.low == INFINITY && m.high == -INFINITY && m.mean == 0.0);
  ts_moments_add(&m, 3.0);
  assert_true(m.mean == 3.0 && m.low == 3.0 && m.high == 3.0 && isnan(ts_moments_variance(&m)));
  assert_true(isnan(ts_moments_mean_interval(&m, 0.95).low));
  ts_moments_add(&m, 3.0);
  assert_true(ts_moments_variance(&m) == 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(streams_agree_with_two_passes),
      cmocka_unit_test(a_small_column_is_right),
      cmocka_unit_test(nothing_says_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
