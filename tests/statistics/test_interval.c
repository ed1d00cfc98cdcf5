// Confidence intervals against published examples, and their coverage by sums over the binomial distribution.
#include "statistics/interval.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <cmocka.h>

#include "near.h"

// Newcombe (1998), table I, method 3: four decimals.
static void published_shares_are_met(void **state)
{
  static const struct {
    size_t hits, trials;
    double low, high;
  } rows[] = {{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0.0, 0.1611}, {1, 29, 0.0061, 0.1718}};
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
    const ts_confidence_interval i = ts_share_interval(rows[k].hits, rows[k].trials, 0.95);
    assert_near(i.low, rows[k].low, 5.01e-5);
    assert_near(i.high, rows[k].high, 5.01e-5);
  }
}

// At a bound p the share k/n is as far off as the level allows: (k/n - p)^2 = z^2 p (1 - p)/n.
static void bounds_are_roots_of_the_score(void **state)
{
  static const size_t cases[][2] = {{1, 3}, {2, 7}, {50, 100}, {1, 1000000}, {999999, 1000000}, {0, 5}, {5, 5}};
  (void)state;
  const double z = 2.575829303548901;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    const double n = (double)cases[k][1], share = (double)cases[k][0] / n;
    const ts_confidence_interval i = ts_share_interval(cases[k][0], cases[k][1], 0.99);
    const double bounds[2] = {i.low, i.high};
    for (int b = 0; b < 2; ++b) {
      const double off = (share - bounds[b]) * (share - bounds[b]), allowed = z * z * bounds[b] * (1.0 - bounds[b]) / n;
      assert_near(off, allowed, 1e-9 * fmax(off, allowed));
    }
  }
}

static void none_and_all_are_bounds_themselves(void **state)
{
  (void)state;
  const double z = 1.959963984540054;
  for (size_t n = 1; n < 50; ++n) {
    const ts_confidence_interval none = ts_share_interval(0, n, 0.95), all = ts_share_interval(n, n, 0.95);
    assert_true(none.low == 0.0 && all.high == 1.0);
    assert_near(none.high, z * z / ((double)n + z * z), 1e-14);
    assert_near(all.low, 1.0 - none.high, 1e-14);
  }
  const ts_confidence_interval nothing = ts_share_interval(0, 0, 0.95);
  assert_true(nothing.low == 0.0 && nothing.high == 1.0);
}

// Probability that the interval from n trials holds p.
static double coverage(size_t n, double p, double level)
{
  double covered = 0.0;
  for (size_t k = 0; k <= n; ++k) {
    const ts_confidence_interval i = ts_share_interval(k, n, level);
    if (p < i.low || p > i.high) continue;
    const double log_ways = lgamma((double)n + 1.0) - lgamma((double)k + 1.0) - lgamma((double)(n - k) + 1.0);
    covered += exp(log_ways + (double)k * log(p) + (double)(n - k) * log1p(-p));
  }
  return covered;
}

// On average it is the level. At the least p lies just below the lower bound of one hit of n, where only no hit covers
// it: (1 - 0.0362)^5 = 0.8315 of 5 trials, exp(-0.1765) = 0.838 of many. Where n p (1 - p) >= 5 no value is far off.
static void coverage_is_what_was_asked_for(void **state)
{
  static const size_t trials[] = {5, 10, 20, 50, 100, 300};
  (void)state;
  double sum = 0.0, least = 1.0;
  int count = 0;
  for (size_t t = 0; t < sizeof trials / sizeof trials[0]; ++t)
    for (int k = 1; k < 400; ++k, ++count) {
      const double p = k / 400.0, c = coverage(trials[t], p, 0.95);
      sum += c;
      least = fmin(least, c);
      if ((double)trials[t] * p * (1.0 - p) >= 5.0) assert_near(c, 0.95, 0.03);
    }
  print_message("shares: coverage %.4f in the mean, %.4f at the least\n", sum / count, least);
  assert_near(sum / count, 0.95, 0.005);
  assert_true(least > 0.8315);
}

// Student's own example: differences of sleep by two drugs, ten patients, mean 1.58, s = 1.23; t = 2.262 of 9 degrees
// of freedom.
static void the_mean_has_students_interval(void **state)
{
  (void)state;
  const ts_confidence_interval i = ts_mean_interval(10, 1.58, 1.2299955, 0.95);
  assert_near(i.low, 0.7001142, 1e-6);
  assert_near(i.high, 2.4598858, 1e-6);
  assert_true(isnan(ts_mean_interval(1, 3.0, NAN, 0.9).low));
  assert_true(isnan(ts_mean_interval(0, 0.0, NAN, 0.9).high));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_shares_are_met),           cmocka_unit_test(bounds_are_roots_of_the_score),
      cmocka_unit_test(none_and_all_are_bounds_themselves), cmocka_unit_test(coverage_is_what_was_asked_for),
      cmocka_unit_test(the_mean_has_students_interval),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
