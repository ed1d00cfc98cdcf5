// Quantiles against sorting.
#include "statistics/quantile.h"

#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

enum { MOST = 3000 };

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double by_sorting(size_t count, const double *sorted, double share)
{
  const double place = share * (double)(count - 1), below = floor(place);
  const size_t k = (size_t)below;
  return k + 1 < count ? sorted[k] + (place - below) * (sorted[k + 1] - sorted[k]) : sorted[k];
}

// Columns at random, of few values, in order and against it.
static void fill(size_t count, double *values, int kind, ts_random *random)
{
  for (size_t k = 0; k < count; ++k)
    values[k] = kind == 0   ? ts_random_normal(random)
                : kind == 1 ? (double)ts_random_below(random, 3)
                : kind == 2 ? (double)k
                            : -0.5 * (double)k;
}

static void selection_agrees_with_sorting(void **state)
{
  static const size_t counts[] = {1, 2, 3, 4, 10, 101, MOST};
  static const double shares[] = {0.0, 0.001, 0.025, 0.25, 1.0 / 3.0, 0.5, 0.75, 0.975, 1.0};
  (void)state;
  ts_random random;
  ts_random_init(&random, 8);
  double values[MOST], sorted[MOST];
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
    for (int kind = 0; kind < 4; ++kind) {
      fill(counts[c], values, kind, &random);
      memcpy(sorted, values, sizeof sorted);
      qsort(sorted, counts[c], sizeof *sorted, ascending);
      for (size_t s = 0; s < sizeof shares / sizeof shares[0]; ++s) {
        const double exact = by_sorting(counts[c], sorted, shares[s]);
        assert_near(ts_quantile(counts[c], values, shares[s]), exact, 1e-15 * (1.0 + fabs(exact)));
      }
    }
}

// R's type 7 of 1 ... 10: quartiles 3.25, 5.5 and 7.75.
static void quartiles_are_those_of_definition_7(void **state)
{
  double values[] = {7, 3, 10, 1, 9, 2, 8, 4, 6, 5};
  (void)state;
  assert_near(ts_quantile(10, values, 0.25), 3.25, 1e-15);
  assert_near(ts_quantile(10, values, 0.5), 5.5, 1e-15);
  assert_near(ts_quantile(10, values, 0.75), 7.75, 1e-15);
}

static void missing_values_are_dropped(void **state)
{
  double values[] = {NAN, 3.0, NAN, 1.0, 2.0, NAN};
  (void)state;
  assert_int_equal(ts_drop_missing(6, values, values), 3);
  assert_true(values[0] == 3.0 && values[1] == 1.0 && values[2] == 2.0);
  assert_near(ts_quantile(3, values, 0.5), 2.0, 0.0);
  assert_true(isnan(ts_quantile(0, values, 0.5)));
}

// Infinite values have their place, too; halfway to one is infinite.
static void infinite_values_keep_their_place(void **state)
{
  double values[] = {INFINITY, 1.0, -INFINITY, 2.0, INFINITY};
  (void)state;
  assert_true(ts_quantile(5, values, 0.0) == -INFINITY);
  assert_true(ts_quantile(5, values, 0.5) == 2.0);
  assert_true(ts_quantile(5, values, 0.6) == INFINITY);
  assert_true(ts_quantile(5, values, 0.9) == INFINITY);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(selection_agrees_with_sorting),
      cmocka_unit_test(quartiles_are_those_of_definition_7),
      cmocka_unit_test(missing_values_are_dropped),
      cmocka_unit_test(infinite_values_keep_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
