// Distributions against their own functions, moments and ends in closed form; and what is refused.
#include "sampling/distribution.h"

#include "sampling/philox.h"

#include "goodness_of_fit.h"
#include "touchstone/vector.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const double LARGEST_U = 1.0 - 0x1p-53;

enum { COUNT = 100000 };

// Mean and standard deviation within 4.5 of their own deviations, where the fourth moment about the mean is `kurtosis`
// times the squared variance; the distribution function within what chance exceeds once in 10,000 times.
static void assert_distributed(const ts_distribution *d, double (*probability)(double x), double mean, double deviation,
                               double kurtosis)
{
  static double values[COUNT];
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    values[i] = ts_distribution_quantile(d, ts_philox_uniform(17, 0, (uint64_t)i, 0));
    sum += values[i] - mean;
    squares += (values[i] - mean) * (values[i] - mean);
  }
  const double variance = deviation * deviation;
  assert_true(fabs(sum / COUNT) < 4.5 * deviation / sqrt(COUNT));
  assert_true(fabs(squares / COUNT - variance) < 4.5 * variance * sqrt((kurtosis - 1.0) / COUNT));
  assert_true(kolmogorov_distance(values, COUNT, probability) < kolmogorov_bound(COUNT));
}

static double between_minus_2_and_3(double x)
{
  return uniform_probability((x + 2.0) / 5.0);
}

static void uniform_ones_keep_their_ends(void **state)
{
  (void)state;
  ts_distribution open;
  assert_int_equal(ts_distribution_uniform(&open, -2.0, 3.0, NULL), TS_OK);
  assert_distributed(&open, between_minus_2_and_3, 0.5, 5.0 / sqrt(12.0), 1.8);
  assert_true(ts_distribution_quantile(&open, 0.0) == -2.0 && ts_distribution_quantile(&open, 0.5) == 0.5);
  // ranges that rounding fills: of neighbours only one end is left
  static const double ends[][2] = {{1.0, 1.0 + DBL_EPSILON}, {-1.0, 0x1p-60}, {1e300, 1.1e300}, {-0x1p-1074, 0.0}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    assert_int_equal(ts_distribution_uniform(&open, ends[i][0], ends[i][1], NULL), TS_OK);
    for (int k = 0; k <= 8; ++k) {
      const double u = k == 8 ? LARGEST_U : k / 8.0;
      const double x = ts_distribution_quantile(&open, u);
      assert_true(x >= ends[i][0] && x < ends[i][1]);
    }
  }
}

static double of_logarithms(double x)
{
  return uniform_probability(log(x / 0.01) / log(1e4));
}

// With L = ln(high/low) the k-th moment is (high^k - low^k) / (k L).
static void log_uniform_ones_have_uniform_logarithms(void **state)
{
  (void)state;
  ts_distribution d;
  const double ratio = log(1e4), mean = (100.0 - 0.01) / ratio, square = (1e4 - 1e-4) / (2.0 * ratio);
  const double cube = (1e6 - 1e-6) / (3.0 * ratio), fourth = (1e8 - 1e-8) / (4.0 * ratio);
  const double variance = square - mean * mean;
  const double about = fourth - 4.0 * mean * cube + 6.0 * mean * mean * square - 3.0 * mean * mean * mean * mean;
  assert_int_equal(ts_distribution_log_uniform(&d, 0.01, 100.0, NULL), TS_OK);
  assert_distributed(&d, of_logarithms, mean, sqrt(variance), about / (variance * variance));
  assert_true(ts_distribution_quantile(&d, 0.0) == 0.01 && ts_distribution_quantile(&d, LARGEST_U) < 100.0);
  assert_true(fabs(ts_distribution_quantile(&d, 0.25) / 0.1 - 1.0) < 1e-14);
  assert_true(fabs(ts_distribution_quantile(&d, 0.5) - 1.0) < 1e-14);
  assert_true(fabs(ts_distribution_quantile(&d, 0.75) / 10.0 - 1.0) < 1e-14);
  // all that a double can be
  assert_int_equal(ts_distribution_log_uniform(&d, DBL_TRUE_MIN, DBL_MAX, NULL), TS_OK);
  for (int k = 0; k < 64; ++k) {
    const double x = ts_distribution_quantile(&d, k / 64.0), expected = log2(DBL_TRUE_MIN) + k / 64.0 * 2098.0;
    assert_true(x >= DBL_TRUE_MIN && x < DBL_MAX && fabs(log2(x) - expected) < (k < 3 ? 0.6 : 1e-9));
  }
}

static double of_the_triangle(double x) // from -1 to 3, mode 0
{
  if (x <= 0.0) return x <= -1.0 ? 0.0 : (x + 1.0) * (x + 1.0) / 4.0;
  return x >= 3.0 ? 1.0 : 1.0 - (3.0 - x) * (3.0 - x) / 12.0;
}

static void triangular_ones_rise_and_fall(void **state)
{
  (void)state;
  ts_distribution d;
  assert_int_equal(ts_distribution_triangular(&d, -1.0, 0.0, 3.0, NULL), TS_OK);
  // mean (a + b + c) / 3, variance (a^2 + b^2 + c^2 - ab - bc - ca) / 18, kurtosis 12/5
  assert_distributed(&d, of_the_triangle, 2.0 / 3.0, sqrt(13.0 / 18.0), 2.4);
  assert_true(ts_distribution_quantile(&d, 0.0) == -1.0 && ts_distribution_quantile(&d, 0.0625) == -0.5);
  assert_true(ts_distribution_quantile(&d, 0.25) == 0.0);
  assert_true(fabs(ts_distribution_quantile(&d, 0.75) - (3.0 - sqrt(3.0))) < 1e-15);
  assert_true(ts_distribution_quantile(&d, LARGEST_U) <= 3.0);
  for (int end = 0; end < 2; ++end) { // the mode at an end
    assert_int_equal(ts_distribution_triangular(&d, 1.0, end == 0 ? 1.0 : 3.0, 3.0, NULL), TS_OK);
    for (int k = 0; k < 16; ++k) {
      const double u = k / 16.0, expected = end == 0 ? 3.0 - 2.0 * sqrt(1.0 - u) : 1.0 + 2.0 * sqrt(u);
      assert_true(fabs(ts_distribution_quantile(&d, u) - expected) < 1e-15);
    }
  }
}

static double normal_probability(double x) // mean 3, deviation 2
{
  return 0.5 * erfc((3.0 - x) / (2.0 * sqrt(2.0)));
}

static void normal_ones_are_symmetric_and_finite(void **state)
{
  (void)state;
  ts_distribution d;
  assert_int_equal(ts_distribution_normal(&d, 3.0, 2.0, NULL), TS_OK);
  assert_distributed(&d, normal_probability, 3.0, 2.0, 3.0);
  assert_true(ts_distribution_quantile(&d, 0.5) == 3.0);
  assert_int_equal(ts_distribution_normal(&d, 0.0, 1.0, NULL), TS_OK);
  assert_true(fabs(ts_distribution_quantile(&d, 0.975) - 1.959963984540054) < 2e-15);
  for (int k = 1; k < 64; ++k)
    assert_true(ts_distribution_quantile(&d, k / 64.0) == -ts_distribution_quantile(&d, 1.0 - k / 64.0));
  // of 2^-54 and 2^-53
  assert_true(fabs(0.5 * erfc(-ts_distribution_quantile(&d, 0.0) / sqrt(2.0)) / 0x1p-54 - 1.0) < 1e-12);
  assert_true(fabs(0.5 * erfc(ts_distribution_quantile(&d, LARGEST_U) / sqrt(2.0)) / 0x1p-53 - 1.0) < 1e-12);
}

static double cut_low, cut_high; // of the distribution being tested

static double truncated_probability(double x)
{
  if (x <= cut_low) return 0.0;
  if (x >= cut_high) return 1.0;
  const double root = sqrt(0.5), sign = cut_low > 0.0 ? 1.0 : -1.0; // from the side on which numbers are small
  const double a = erfc(sign * cut_low * root), b = erfc(sign * cut_high * root);
  return (erfc(sign * x * root) - a) / (b - a);
}

// With phi the density and Z the probability inside, the mean is (phi(a) - phi(b)) / Z and the variance
// 1 + (a phi(a) - b phi(b)) / Z less the square of the mean.
static void truncated_normal_ones_stay_inside(void **state)
{
  (void)state;
  static const double cuts[][2] = {{-1.0, 2.0},    {0.5, 0.75},  {-INFINITY, -1.5}, {6.0, INFINITY},
                                   {-12.0, -10.0}, {25.0, 26.0}, {-0.001, 0.001},   {-INFINITY, INFINITY}};
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; ++i) {
    const double a = cut_low = cuts[i][0], b = cut_high = cuts[i][1], root = sqrt(0.5);
    const double sign = a > 0.0 ? 1.0 : -1.0, inside = 0.5 * fabs(erfc(sign * a * root) - erfc(sign * b * root));
    const double at_a = isinf(a) ? 0.0 : exp(-0.5 * a * a) / sqrt(2.0 * TS_PI);
    const double at_b = isinf(b) ? 0.0 : exp(-0.5 * b * b) / sqrt(2.0 * TS_PI);
    const double mean = (at_a - at_b) / inside;
    const double moment = (isinf(a) ? 0.0 : a * at_a) - (isinf(b) ? 0.0 : b * at_b);
    ts_distribution d;
    assert_int_equal(ts_distribution_truncated_normal(&d, 0.0, 1.0, a, b, NULL), TS_OK);
    // kurtosis is at most the exponential one's, 9, in a tail
    assert_distributed(&d, truncated_probability, mean, sqrt(1.0 + moment / inside - mean * mean), 9.0);
    for (int k = 0; k <= 16; ++k) {
      const double u = k == 16 ? LARGEST_U : k / 16.0, x = ts_distribution_quantile(&d, u);
      assert_true(isfinite(x) && x >= a && x <= b);
      assert_true(fabs(truncated_probability(x) - u) < 1e-11);
    }
  }
  // scaled and shifted: the same, wherever the middle is
  ts_distribution d;
  assert_int_equal(ts_distribution_truncated_normal(&d, 10.0, 4.0, 6.0, 18.0, NULL), TS_OK);
  cut_low = -1.0;
  cut_high = 2.0;
  for (int k = 1; k < 16; ++k)
    assert_true(fabs(truncated_probability((ts_distribution_quantile(&d, k / 16.0) - 10.0) / 4.0) - k / 16.0) < 1e-14);
}

static void discrete_values_come_as_often_as_their_weights(void **state)
{
  (void)state;
  static const double values[] = {7.0, -1.0, 4.0, 4.5, 0.0, 2.0}, weights[] = {0.0, 3.0, 0.0, 1.0, 4.0, 0.0};
  double sums[6];
  ts_distribution d;
  assert_int_equal(ts_distribution_discrete(&d, 6, values, weights, sums, NULL), TS_OK);
  static const double expected[8] = {-1.0, -1.0, -1.0, 4.5, 0.0, 0.0, 0.0, 0.0};
  for (int k = 0; k < 8; ++k) {
    assert_true(ts_distribution_quantile(&d, k / 8.0) == expected[k]);
    assert_true(ts_distribution_quantile(&d, nextafter((k + 1) / 8.0, 0.0)) == expected[k]);
  }
  // many, with weights 1, 2, 3, ..: chi-square over cells of unlike size
  enum { VALUES = 100 };
  static double many[VALUES], rising[VALUES], room[VALUES];
  for (int i = 0; i < VALUES; ++i) {
    many[i] = i;
    rising[i] = 0.3 * (i + 1);
  }
  // Without weights all are alike.
  assert_int_equal(ts_distribution_discrete(&d, 6, values, NULL, sums, NULL), TS_OK);
  for (int i = 0; i < 6; ++i) assert_true(ts_distribution_quantile(&d, (i + 0.5) / 6.0) == values[i]);
  assert_int_equal(ts_distribution_discrete(&d, VALUES, many, rising, room, NULL), TS_OK);
  int counts[VALUES] = {0};
  for (uint64_t i = 0; i < COUNT; ++i) ++counts[(int)ts_distribution_quantile(&d, ts_philox_uniform(3, 0, i, 0))];
  double chi = 0.0;
  for (int i = 0; i < VALUES; ++i) chi += chi_square(counts + i, 1, COUNT * (i + 1.0) / (VALUES * (VALUES + 1) / 2));
  assert_true(chi < chi_square_bound(VALUES - 1));
  // weights of any size, and the last one that comes at all
  static const double uneven[3][2] = {{1e-300, 1e-300}, {1e300, 1e-300}, {3.0, 0.0}};
  static const double last[3] = {-1.0, 7.0, 7.0};
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(ts_distribution_discrete(&d, 2, values, uneven[i], sums, NULL), TS_OK);
    assert_true(ts_distribution_quantile(&d, 0.0) == 7.0 && ts_distribution_quantile(&d, LARGEST_U) == last[i]);
  }
}

static void assert_refused(ts_status status, const ts_error *error, const char *words)
{
  assert_int_equal(status, TS_INVALID);
  if (!strstr(error->text, words)) fail_msg("\"%s\" lacks \"%s\"", error->text, words);
}

static void what_is_no_distribution_is_refused(void **state)
{
  (void)state;
  ts_distribution d;
  ts_error e;
  double sums[2];
  assert_refused(ts_distribution_uniform(&d, 2.0, 2.0, &e), &e, "from 2 to 2 is empty");
  assert_refused(ts_distribution_uniform(&d, 3.0, 2.0, &e), &e, "empty");
  assert_refused(ts_distribution_uniform(&d, NAN, 2.0, &e), &e, "finite");
  assert_refused(ts_distribution_uniform(&d, 0.0, INFINITY, &e), &e, "finite");
  assert_refused(ts_distribution_uniform(&d, -DBL_MAX, DBL_MAX, &e), &e, "too wide");
  assert_refused(ts_distribution_log_uniform(&d, 0.0, 1.0, &e), &e, "above 0");
  assert_refused(ts_distribution_log_uniform(&d, -1.0, 1.0, &e), &e, "above 0");
  assert_refused(ts_distribution_log_uniform(&d, 1.0, 1.0, &e), &e, "empty");
  assert_refused(ts_distribution_triangular(&d, 0.0, 2.0, 1.0, &e), &e, "mode 2 is not between 0 and 1");
  assert_refused(ts_distribution_triangular(&d, 0.0, NAN, 1.0, &e), &e, "mode");
  assert_refused(ts_distribution_triangular(&d, 1.0, 1.0, 1.0, &e), &e, "empty");
  assert_refused(ts_distribution_normal(&d, INFINITY, 1.0, &e), &e, "mean");
  assert_refused(ts_distribution_normal(&d, 0.0, 0.0, &e), &e, "positive");
  assert_refused(ts_distribution_normal(&d, 0.0, -1.0, &e), &e, "positive");
  assert_refused(ts_distribution_normal(&d, 0.0, NAN, &e), &e, "positive");
  assert_refused(ts_distribution_normal(&d, 1e308, 1e308, &e), &e, "too wide");
  assert_refused(ts_distribution_truncated_normal(&d, 0.0, 0.0, 0.0, 1.0, &e), &e, "positive");
  assert_refused(ts_distribution_truncated_normal(&d, 0.0, 1.0, 1.0, 1.0, &e), &e, "empty");
  assert_refused(ts_distribution_truncated_normal(&d, 0.0, 1.0, NAN, 1.0, &e), &e, "empty");
  assert_refused(ts_distribution_truncated_normal(&d, 0.0, 1.0, 39.0, 40.0, &e), &e, "next to nothing");
  assert_refused(ts_distribution_discrete(&d, 0, NULL, NULL, NULL, &e), &e, "needs a value");
  const double values[] = {1.0, 2.0}, infinite[] = {1.0, INFINITY};
  assert_refused(ts_distribution_discrete(&d, 2, infinite, values, sums, &e), &e, "value 2");
  assert_refused(ts_distribution_discrete(&d, 2, values, infinite, sums, &e), &e, "weight 2");
  assert_refused(ts_distribution_discrete(&d, 2, values, (double[]){1.0, -1.0}, sums, &e), &e, "weight 2 is -1");
  assert_refused(ts_distribution_discrete(&d, 2, values, (double[]){0.0, 0.0}, sums, &e), &e, "all weights are 0");
  assert_refused(ts_distribution_discrete(&d, 2, values, (double[]){DBL_MAX, DBL_MAX}, sums, &e), &e, "sum");
  assert_int_equal(ts_distribution_uniform(&d, 1.0, 0.0, NULL), TS_INVALID);
}

// u of any kind: values never fall as u rises, but for rounding.
static void quantiles_rise(void **state)
{
  (void)state;
  ts_distribution d[5];
  assert_int_equal(ts_distribution_uniform(&d[0], -1.0, 2.0, NULL), TS_OK);
  assert_int_equal(ts_distribution_log_uniform(&d[1], 1e-3, 1e3, NULL), TS_OK);
  assert_int_equal(ts_distribution_triangular(&d[2], 0.0, 0.3, 1.0, NULL), TS_OK);
  assert_int_equal(ts_distribution_normal(&d[3], 0.0, 1.0, NULL), TS_OK);
  assert_int_equal(ts_distribution_truncated_normal(&d[4], 0.0, 1.0, 2.0, 9.0, NULL), TS_OK);
  for (int k = 0; k < 5; ++k) {
    double last = ts_distribution_quantile(&d[k], 0.0);
    for (int i = 1; i < 20000; ++i) {
      const double x = ts_distribution_quantile(&d[k], i / 20000.0);
      assert_true(x > last);
      last = x;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniform_ones_keep_their_ends),
      cmocka_unit_test(log_uniform_ones_have_uniform_logarithms),
      cmocka_unit_test(triangular_ones_rise_and_fall),
      cmocka_unit_test(normal_ones_are_symmetric_and_finite),
      cmocka_unit_test(truncated_normal_ones_stay_inside),
      cmocka_unit_test(discrete_values_come_as_often_as_their_weights),
      cmocka_unit_test(what_is_no_distribution_is_refused),
      cmocka_unit_test(quantiles_rise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
