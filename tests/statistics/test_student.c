// Student's quantiles against closed forms, printed tables and finite series.
#include "statistics/student.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "near.h"

// Of 1, 2 and 4 degrees of freedom the distribution has a closed inverse.
static double closed_form(double p, int freedom)
{
  const double rest = p * (1.0 - p);
  if (freedom == 1) return -1.0 / tan(TS_PI * p);
  if (freedom == 2) return (2.0 * p - 1.0) / sqrt(2.0 * rest);
  const double root = 2.0 * sqrt(rest), q = cos(acos(root) / 3.0) / root;
  return copysign(2.0 * sqrt(q - 1.0), p - 0.5);
}

static void few_degrees_of_freedom_have_closed_forms(void **state)
{
  static const double p[] = {1e-12, 1e-6, 0.001, 0.025, 0.1, 0.2, 0.3, 0.6, 0.75, 0.9, 0.975, 0.995, 0.9995};
  static const int freedoms[] = {1, 2, 4};
  (void)state;
  for (size_t k = 0; k < sizeof p / sizeof p[0]; ++k)
    for (size_t i = 0; i < 3; ++i) {
      const double exact = closed_form(p[k], freedoms[i]);
      assert_near(ts_student_quantile(p[k], freedoms[i]), exact, 3e-13 * fmax(1.0, fabs(exact)));
    }
}

// The usual table, as textbooks print it, to three decimals; some with more, from
// the finite series in 40 digits.
static void printed_tables_are_met(void **state)
{
  static const struct {
    double freedom, t_95, t_975, t_995;
  } rows[] = {{1, 6.314, 12.706, 63.657}, {2, 2.920, 4.303, 9.925},  {3, 2.353, 3.182, 5.841},
              {5, 2.015, 2.571, 4.032},   {10, 1.812, 2.228, 3.169}, {20, 1.725, 2.086, 2.845},
              {30, 1.697, 2.042, 2.750},  {60, 1.671, 2.000, 2.660}, {120, 1.658, 1.980, 2.617}};
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
    assert_near(ts_student_quantile(0.95, rows[k].freedom), rows[k].t_95, 5.01e-4);
    assert_near(ts_student_quantile(0.975, rows[k].freedom), rows[k].t_975, 5.01e-4);
    assert_near(ts_student_quantile(0.995, rows[k].freedom), rows[k].t_995, 5.01e-4);
  }
  assert_near(ts_student_quantile(0.975, 10.0), 2.228138851986274, 1e-13);
  assert_near(ts_student_quantile(0.975, 30.0), 2.042272456301238, 1e-13);
  assert_near(ts_student_quantile(0.975, 100.0), 1.983971518523552, 1e-13);
  assert_near(ts_student_quantile(0.975, 1000.0), 1.962339080826408, 1e-13);
}

// P(|T| < t) as a finite sum of cosines, theta = atan(t/sqrt(n)) (Abramowitz and Stegun 26.7.3, 26.7.4).
static long double central_probability(long double t, int n)
{
  const long double theta = atanl(t / sqrtl((long double)n)), c = cosl(theta), s = sinl(theta);
  long double sum = 0.0L, term = n % 2 == 1 ? c : 1.0L;
  for (int k = n % 2 == 1 ? 1 : 0; k <= n - 2; k += 2) {
    sum += term;
    term *= c * c * (long double)(k + 1) / (long double)(k + 2);
  }
  if (n % 2 == 0) return s * sum;
  return 2.0L / acosl(-1.0L) * (theta + s * sum);
}

static double density(double t, int n)
{
  const double h = 1e-4;
  return 0.5 * (double)(central_probability(t + h, n) - central_probability(t - h, n)) / (2.0 * h);
}

// In long double the series keeps 1e-19 n/2 of its sum, over the density a few 1e-14 of t at the most.
static void finite_series_give_the_probability_back(void **state)
{
  static const double p[] = {0.501, 0.55, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99, 0.999, 0.99999};
  static const int freedoms[] = {3, 5, 6, 7, 11, 18, 33, 50, 99, 250, 1001, 10000, 10001};
  (void)state;
  double worst = 0.0;
  for (size_t i = 0; i < sizeof freedoms / sizeof freedoms[0]; ++i)
    for (size_t k = 0; k < sizeof p / sizeof p[0]; ++k) {
      const double t = ts_student_quantile(p[k], freedoms[i]);
      const long double miss = central_probability((long double)t, freedoms[i]) - (2.0L * (long double)p[k] - 1.0L);
      worst = fmax(worst, fabs(0.5 * (double)miss / density(t, freedoms[i])) / fmax(1.0, t));
    }
  print_message("Student's quantiles: error at most %.2e\n", worst);
  assert_true(worst < 1e-13);
}

// The two ways, of many degrees of freedom and of more, meet; the limit is the normal quantile.
static void many_degrees_of_freedom_are_nearly_normal(void **state)
{
  (void)state;
  for (double p = 0.51; p < 1.0 - 1e-12; p = 1.0 - 0.3 * (1.0 - p)) {
    const double below = ts_student_quantile(p, 1e4), above = ts_student_quantile(p, 1e4 + 1e-9);
    assert_near(below, above, 1e-13 * fmax(1.0, above));
  }
  assert_near(ts_student_quantile(0.975, 1e15), 1.959963984540054, 1e-14);
}

static void both_sides_are_alike(void **state)
{
  (void)state;
  assert_true(ts_student_quantile(0.5, 3.0) == 0.0);
  for (double p = 0.03125; p < 0.5; p += 0.03125)
    assert_true(ts_student_quantile(p, 7.0) == -ts_student_quantile(1.0 - p, 7.0));
  assert_near(ts_student_quantile(1e-200, 1.0) / (-1e200 / TS_PI), 1.0, 1e-12); // Cauchy's tail is 1/(pi t)
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_degrees_of_freedom_have_closed_forms),
      cmocka_unit_test(printed_tables_are_met),
      cmocka_unit_test(finite_series_give_the_probability_back),
      cmocka_unit_test(many_degrees_of_freedom_are_nearly_normal),
      cmocka_unit_test(both_sides_are_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
