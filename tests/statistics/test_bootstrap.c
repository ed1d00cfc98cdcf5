// Intervals from replicates that are known, and how often rows are drawn.
#include "statistics/bootstrap.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"

// 0 ... 1000 in disorder: the percentiles of 90 % are 50 and 950.
static void percentiles_bound_the_interval(void **state)
{
  double replicates[1001];
  (void)state;
  for (int k = 0; k <= 1000; ++k) replicates[k] = k * 10 % 1001;
  const ts_bootstrap bootstrap = {.replicates = 1001, .level = 0.9};
  const ts_confidence_interval i = ts_percentile_interval(&bootstrap, replicates);
  assert_near(i.low, 50.0, 1e-9);
  assert_near(i.high, 950.0, 1e-9);
}

static void replicates_that_failed_are_left_out(void **state)
{
  double replicates[] = {NAN, 3.0, 1.0, NAN, 2.0};
  (void)state;
  const ts_bootstrap bootstrap = {.replicates = 5, .level = 0.5}, none = {.level = 0.5};
  ts_confidence_interval i = ts_percentile_interval(&bootstrap, replicates);
  assert_near(i.low, 1.5, 1e-15);
  assert_near(i.high, 2.5, 1e-15);
  i = ts_percentile_interval(&none, replicates);
  assert_true(isnan(i.low) && isnan(i.high));
}

// Of N draws e^-1/k! N are k. Each count is within five deviations, sqrt(N p); mean and variance are 1.
static void weights_are_poisson_numbers(void **state)
{
  enum { DRAWS = 4000000, MOST = 20 };
  (void)state;
  ts_random random;
  ts_random_init(&random, 17);
  int found[MOST] = {0};
  double sum = 0.0, squares = 0.0;
  for (int k = 0; k < DRAWS; ++k) {
    const double weight = ts_bootstrap_weight(&random);
    ++found[(int)weight];
    sum += weight;
    squares += (weight - 1.0) * (weight - 1.0);
  }
  double expected = DRAWS * exp(-1.0);
  for (int k = 0; k < MOST; expected /= ++k) assert_near(found[k], expected, 5.0 * sqrt(expected) + 1.0);
  assert_near(sum / DRAWS, 1.0, 5e-3);     // deviation 1/sqrt(N)
  assert_near(squares / DRAWS, 1.0, 1e-2); // deviation sqrt(3/N): the fourth moment is 4
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(percentiles_bound_the_interval),
      cmocka_unit_test(weights_are_poisson_numbers),
      cmocka_unit_test(replicates_that_failed_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
