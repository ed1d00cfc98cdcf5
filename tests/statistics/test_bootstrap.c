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

// Each of 10 rows is picked in 3 of 10 draws, and each stands behind those that it stood behind.
static void rows_are_picked_by_chance_in_their_order(void **state)
{
  enum { ROWS = 10, PICKED = 3, DRAWS = 100000 };
  (void)state;
  const ts_bootstrap bootstrap = {.most_rows = PICKED}, all = {.most_rows = 0};
  ts_random random;
  ts_random_init(&random, 5);
  int found[ROWS] = {0};
  for (int k = 0; k < DRAWS; ++k) {
    int rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_int_equal(ts_bootstrap_pick(&bootstrap, ROWS, rows, sizeof *rows, &random), PICKED);
    assert_true(rows[0] < rows[1] && rows[1] < rows[2]);
    for (int i = 0; i < PICKED; ++i) ++found[rows[i]];
  }
  for (int i = 0; i < ROWS; ++i) assert_near(found[i] / (double)DRAWS, 0.3, 5.0 * sqrt(0.21 / DRAWS));
  int rows[] = {7, 8};
  assert_int_equal(ts_bootstrap_pick(&all, 2, rows, sizeof *rows, &random), 2);
  assert_int_equal(ts_bootstrap_pick(&bootstrap, 2, rows, sizeof *rows, &random), 2);
  assert_true(rows[0] == 7 && rows[1] == 8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(percentiles_bound_the_interval),
      cmocka_unit_test(weights_are_poisson_numbers),
      cmocka_unit_test(rows_are_picked_by_chance_in_their_order),
      cmocka_unit_test(replicates_that_failed_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
