// Lines and correlations against published regressions and ranks by hand.
#include "statistics/trend.h"

#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "near.h"

typedef struct rig {
  ts_arena arena;
  jmp_buf recovery;
} rig;

static void rig_init(rig *r)
{
  ts_arena_init(&r->arena, NULL);
  r->arena.recovery = &r->recovery;
}

static ts_trend_line fit(size_t count, const double *x, const double *y)
{
  ts_trend_line line;
  assert_int_equal(ts_trend_line_fit(count, x, y, &line, NULL), TS_OK);
  return line;
}

// Norris, one of NIST's reference regressions (https://www.itl.nist.gov/div898/strd/lls/data/Norris.shtml): certified
// values. Rows with a missing number stand in between.
static void certified_values_are_met(void **state)
{
  static const double y[] = {0.1,   338.8, 118.1, 888.0, 9.2,   NAN,  228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3,
                             0.1,   778.1, 668.8, 339.3, 448.9, 10.8, 557.7, 228.3, 998.0, 888.8, 119.6, 0.3,   0.6,
                             557.6, 339.3, 888.0, 998.5, 778.9, 10.2, 117.6, 228.9, 668.4, 449.2, 0.2,   5.0};
  static const double x[] = {0.2,   337.4, 118.2, 884.6, 10.1,  1.0,  226.5, 666.3, 996.3, 448.6, 777.0, 558.2, 0.4,
                             0.6,   775.5, 666.9, 338.0, 447.5, 11.6, 556.0, 228.1, 995.8, 887.6, 120.2, 0.3,   0.3,
                             556.8, 339.1, 887.2, 999.0, 779.0, 11.1, 118.3, 229.2, 669.1, 448.9, 0.5,   NAN};
  (void)state;
  const ts_trend_line line = fit(sizeof x / sizeof x[0], x, y);
  assert_int_equal(line.count, 36);
  assert_int_equal(line.missing, 2);
  assert_near(line.intercept, -0.262323073774029, 1e-11);
  assert_near(line.slope, 1.00211681802045, 1e-13);
  assert_near(line.deviation, 0.884796396144373, 1e-11);
  assert_near(line.correlation * line.correlation, 0.999993745883712, 1e-13);
  const double t = 2.032244509317719, intercept_error = 0.232818234301152;
  const ts_confidence_interval at_0 = ts_trend_line_band(&line, 0.0, 0.95);
  assert_near(at_0.high - line.intercept, t * intercept_error, 1e-9);
  assert_near(0.5 * (at_0.low + at_0.high), ts_trend_line_at(&line, 0.0), 1e-12);
}

// Far from the origin, and without scatter.
static void points_on_a_line_are_on_it(void **state)
{
  double x[50], y[50];
  (void)state;
  for (int k = 0; k < 50; ++k) {
    x[k] = 1e6 + k;
    y[k] = 1024.0 - 0.5 * (x[k] - 1e6);
  }
  const ts_trend_line line = fit(50, x, y);
  assert_near(line.slope, -0.5, 1e-15);
  assert_near(line.correlation, -1.0, 1e-15);
  assert_near(line.deviation, 0.0, 1e-12);
  assert_near(ts_trend_line_at(&line, 1e6 + 100.0), 974.0, 1e-12);
}

static void what_does_not_vary_has_no_correlation(void **state)
{
  static const double x[] = {1.0, 2.0, 3.0}, same[] = {4.0, 4.0, 4.0};
  (void)state;
  ts_trend_line line = fit(3, x, same);
  assert_true(line.slope == 0.0 && isnan(line.correlation) && line.deviation == 0.0);
  line = fit(3, same, x);
  assert_true(isnan(line.slope) && isnan(line.correlation) && line.mean_y == 2.0);
  assert_true(isnan(ts_trend_line_band(&line, 4.0, 0.95).low));
  line = fit(2, x, x);
  assert_true(line.slope == 1.0 && isnan(line.deviation) && isnan(ts_trend_line_band(&line, 1.0, 0.95).high));
  static const double tenths[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, ascending[] = {1, 2, 3, 4, 5, 6, 8};
  line = fit(7, tenths, ascending); // their sum over 7 is not 0.1
  assert_true(isnan(line.slope) && line.spread == 0.0);
  line = fit(0, x, x);
  assert_true(line.count == 0 && isnan(line.mean_x) && isnan(line.mean_y) && isnan(ts_trend_line_at(&line, 0.0)));
}

// The band holds the true line at its level: of N repetitions with probability 0.9, so that counts scatter by
// sqrt(0.09 N) = 13.4 of N = 2000, and 4 of these are allowed.
static void bands_hold_the_true_line(void **state)
{
  enum { REPETITIONS = 2000, POINTS = 8 };
  (void)state;
  ts_random random;
  ts_random_init(&random, 21);
  int held = 0;
  for (int r = 0; r < REPETITIONS; ++r) {
    double x[POINTS], y[POINTS];
    for (int k = 0; k < POINTS; ++k) {
      x[k] = k * k;
      y[k] = 3.0 - 0.25 * x[k] + 2.0 * ts_random_normal(&random);
    }
    const ts_trend_line line = fit(POINTS, x, y);
    const ts_confidence_interval i = ts_trend_line_band(&line, 40.0, 0.9);
    held += i.low <= -7.0 && i.high >= -7.0;
  }
  assert_true(abs(held - 1800) < 54);
}

static double rank_correlation(size_t count, const double *x, const double *y)
{
  rig r;
  rig_init(&r);
  double rho;
  assert_int_equal(ts_rank_correlation(count, x, y, &r.arena, &rho, NULL), TS_OK);
  assert_int_equal(ts_arena_in_use(&r.arena), 0);
  ts_arena_release(&r.arena);
  return rho;
}

// Without ties 1 - 6 sum d^2/(n (n^2 - 1)).
static void ranks_without_ties_follow_spearman(void **state)
{
  static const double x[] = {106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
                      y[] = {7, 27, 2, 50, 28, 29, 20, 12, 6, 17}; // sum d^2 = 194
  (void)state;
  assert_near(rank_correlation(10, x, y), 1.0 - 6.0 * 194.0 / 990.0, 1e-15);
}

// x: 1, 2, 2, 3 has the ranks 1, 2.5, 2.5, 4; y: 5, 5, 7, 6 has 1.5, 1.5, 4, 3. Less 2.5: (-1.5, 0, 0, 1.5) and
// (-1, -1, 1.5, 0.5): products 2.25, squares 4.5 and 4.5.
static void ties_share_their_ranks(void **state)
{
  static const double x[] = {2.0, NAN, 1.0, 2.0, 3.0, 9.0}, y[] = {5.0, 1.0, 5.0, 7.0, 6.0, NAN};
  (void)state;
  assert_near(rank_correlation(6, x, y), 2.25 / 4.5, 1e-15);
  static const double same[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  assert_true(isnan(rank_correlation(6, x, same)));
  assert_true(isnan(rank_correlation(0, x, y)));
}

// Whatever is monotone has the rank correlation 1.
static void monotone_curves_rank_alike(void **state)
{
  double x[100], y[100];
  (void)state;
  for (int k = 0; k < 100; ++k) {
    x[k] = (k * 37 % 100) - 50.0;
    y[k] = -exp(0.3 * x[k]);
  }
  assert_near(rank_correlation(100, x, y), -1.0, 1e-14);
  assert_true(fabs(fit(100, x, y).correlation) < 0.7);
}

static void infinite_values_are_refused(void **state)
{
  static const double x[] = {1.0, 2.0, 3.0}, y[] = {1.0, INFINITY, 3.0};
  (void)state;
  rig r;
  rig_init(&r);
  ts_trend_line line;
  ts_error error;
  double rho;
  assert_int_equal(ts_trend_line_fit(3, x, y, &line, &error), TS_INVALID);
  assert_string_equal(error.text, "row 2 has an infinite value");
  assert_int_equal(ts_rank_correlation(3, y, x, &r.arena, &rho, &error), TS_INVALID);
  assert_string_equal(error.text, "row 2 has an infinite value");
  assert_true(isnan(rho));
  ts_arena_release(&r.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certified_values_are_met),
      cmocka_unit_test(points_on_a_line_are_on_it),
      cmocka_unit_test(what_does_not_vary_has_no_correlation),
      cmocka_unit_test(bands_hold_the_true_line),
      cmocka_unit_test(ranks_without_ties_follow_spearman),
      cmocka_unit_test(ties_share_their_ranks),
      cmocka_unit_test(monotone_curves_rank_alike),
      cmocka_unit_test(infinite_values_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
