// Local regression against lines, weighted least squares done otherwise, and curves with outliers.
#include "statistics/local_regression.h"

#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "near.h"

enum { PLACES = 21 };

typedef struct rig {
  ts_arena arena;
  jmp_buf recovery;
} rig;

static void rig_init(rig *r)
{
  ts_arena_init(&r->arena, NULL);
  r->arena.recovery = &r->recovery;
}

static void fit(double span, int passes, size_t count, const double *x, const double *y, size_t places,
                const double *at, double *trend)
{
  rig r;
  rig_init(&r);
  ts_local_regression way = {.span = span, .passes = passes};
  assert_int_equal(ts_local_regression_fit(&way, count, x, y, places, at, &r.arena, trend, NULL), TS_OK);
  assert_int_equal(way.count + way.missing, count);
  assert_int_equal(ts_arena_in_use(&r.arena), 0);
  ts_arena_release(&r.arena);
}

// Whatever the span, the number of points and their places, which are random, in clusters, or few and equal.
static void lines_are_reproduced(void **state)
{
  static const double spans[] = {0.05, 0.3, 0.75, 1.0};
  static const size_t counts[] = {2, 3, 4, 7, 30, 1000};
  (void)state;
  ts_random random;
  ts_random_init(&random, 6);
  double x[1000], y[1000], at[PLACES], trend[PLACES];
  for (size_t s = 0; s < 4; ++s)
    for (size_t c = 0; c < 6; ++c)
      for (int kind = 0; kind < 2; ++kind) {
        const size_t n = counts[c];
        for (size_t k = 0; k < n; ++k) {
          const double u = ts_random_uniform(&random, 0.0, 1.0);
          x[k] = k == 0 ? 0.0 : k == 1 ? 1.0 : kind == 0 ? u : u * u * u;
          y[k] = 100.0 - 7.0 * x[k];
        }
        for (int k = 0; k < PLACES; ++k) at[k] = k / (PLACES - 1.0);
        fit(spans[s], 3, n, x, y, PLACES, at, trend);
        for (int k = 0; k < PLACES; ++k) assert_near(trend[k], 100.0 - 7.0 * at[k], 1e-9);
      }
}

// The weighted normal equations solved in long double, at points of the middle, where the nearest are easily found: n
// points at 0 ... n - 1 and place c: q = 2 m + 1 neighbours are those from c - m to c + m.
static void weights_are_tricube(void **state)
{
  enum { COUNT = 101, REACH = 12 };
  (void)state;
  double x[COUNT], y[COUNT];
  for (int k = 0; k < COUNT; ++k) {
    x[k] = k;
    y[k] = sin(0.3 * k) + k % 3;
  }
  const double q = 2.0 * REACH + 1.0, at = 50.0;
  double trend;
  fit(q / COUNT - 1e-9, 0, COUNT, x, y, 1, &at, &trend);
  const long double h = REACH * (1.0L + 1.0L / (long double)q);
  long double s[3] = {0}, t[2] = {0};
  for (int d = -REACH; d <= REACH; ++d) {
    const long double u = fabsl((long double)d) / h, w = powl(1.0L - u * u * u, 3.0L), v = (long double)y[50 + d];
    s[0] += w, s[1] += w * d, s[2] += w * d * d;
    t[0] += w * v, t[1] += w * v * d;
  }
  assert_near(trend, (double)((s[2] * t[0] - s[1] * t[1]) / (s[0] * s[2] - s[1] * s[1])), 1e-13);
}

// A parabola with a tenth of outliers: robust passes follow the parabola, the first does not.
static void outliers_have_no_say(void **state)
{
  enum { COUNT = 2000 };
  (void)state;
  ts_random random;
  ts_random_init(&random, 9);
  double x[COUNT], y[COUNT], at[PLACES], plain[PLACES], robust[PLACES];
  for (int k = 0; k < COUNT; ++k) {
    x[k] = ts_random_uniform(&random, -1.0, 1.0);
    y[k] = x[k] * x[k] + 0.02 * ts_random_normal(&random) + (k % 10 == 0 ? 5.0 : 0.0);
  }
  for (int k = 0; k < PLACES; ++k) at[k] = -0.95 + 1.9 * k / (PLACES - 1);
  fit(0.2, 0, COUNT, x, y, PLACES, at, plain);
  fit(0.2, 3, COUNT, x, y, PLACES, at, robust);
  for (int k = 0; k < PLACES; ++k) {
    assert_true(fabs(plain[k] - at[k] * at[k]) > 0.2);
    // Over a window of width 0.4, a line misses the parabola by at most 0.2^2/4; 0.02/sqrt(400) is the noise.
    assert_near(robust[k], at[k] * at[k], 0.2 * 0.2 / 4.0 + 5.0 * 0.001);
  }
}

// Of a parameter of three values the trend at each is the mean there, as long as the span reaches no further.
static void values_that_repeat_have_their_mean(void **state)
{
  enum { COUNT = 300 };
  (void)state;
  double x[COUNT], y[COUNT], trend[3];
  static const double at[3] = {1.0, 2.0, 5.0};
  double mean[3] = {0};
  ts_random random;
  ts_random_init(&random, 12);
  for (int k = 0; k < COUNT; ++k) {
    x[k] = at[k % 3];
    y[k] = ts_random_uniform(&random, 0.0, 1.0);
    mean[k % 3] += y[k] / (COUNT / 3);
  }
  fit(0.2, 0, COUNT, x, y, 3, at, trend);
  for (int k = 0; k < 3; ++k) assert_near(trend[k], mean[k], 1e-13);
}

// The order of rows is no matter, missing ones are left out, and nothing is said beyond the points.
static void rows_may_come_in_any_order(void **state)
{
  enum { COUNT = 200 };
  (void)state;
  double x[COUNT + 2], y[COUNT + 2], turned_x[COUNT], turned_y[COUNT], a[4], b[4];
  static const double at[4] = {-0.1, 0.2, 0.9, 1.1};
  ts_random random;
  ts_random_init(&random, 13);
  for (int k = 0; k < COUNT; ++k) {
    turned_x[COUNT - 1 - k] = x[k] = k == 0 ? 0.0 : k == 1 ? 1.0 : 0.05 * ts_random_below(&random, 20);
    turned_y[COUNT - 1 - k] = y[k] = ts_random_normal(&random);
  }
  x[COUNT] = 0.5, y[COUNT] = NAN, x[COUNT + 1] = NAN, y[COUNT + 1] = 1e9;
  fit(0.3, 2, COUNT + 2, x, y, 4, at, a);
  fit(0.3, 2, COUNT, turned_x, turned_y, 4, at, b);
  assert_true(isnan(a[0]) && isnan(a[3]) && isnan(b[0]) && isnan(b[3]));
  assert_near(a[1], b[1], 1e-12);
  assert_near(a[2], b[2], 1e-12);
}

static void too_little_has_no_trend(void **state)
{
  static const double x[] = {1.0, 1.0, INFINITY}, y[] = {2.0, 4.0, 1.0}, at = 1.0;
  (void)state;
  double trend = 0.0;
  fit(0.5, 3, 0, x, y, 1, &at, &trend);
  assert_true(isnan(trend));
  fit(0.5, 3, 1, x, y, 1, &at, &trend);
  assert_true(isnan(trend));
  fit(0.5, 3, 2, x, y, 1, &at, &trend);
  assert_near(trend, 3.0, 1e-15);
  rig r;
  rig_init(&r);
  ts_local_regression way = {.span = 0.5, .passes = 1};
  ts_error error;
  assert_int_equal(ts_local_regression_fit(&way, 3, x, y, 1, &at, &r.arena, &trend, &error), TS_INVALID);
  assert_string_equal(error.text, "row 3 has an infinite value");
  ts_arena_release(&r.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_reproduced),       cmocka_unit_test(weights_are_tricube),
      cmocka_unit_test(outliers_have_no_say),       cmocka_unit_test(values_that_repeat_have_their_mean),
      cmocka_unit_test(rows_may_come_in_any_order), cmocka_unit_test(too_little_has_no_trend),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
