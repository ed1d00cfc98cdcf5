// Histograms against counting by hand, and at the edges of what doubles can hold.
#include "statistics/histogram.h"

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

typedef struct rig {
  ts_arena arena;
  jmp_buf recovery;
} rig;

static int set_up(void **state)
{
  rig *r = malloc(sizeof *r);
  ts_arena_init(&r->arena, NULL);
  r->arena.recovery = &r->recovery;
  *state = r;
  return 0;
}

static int tear_down(void **state)
{
  rig *r = *state;
  ts_arena_release(&r->arena);
  free(r);
  return 0;
}

static ts_histogram make(rig *r, size_t count, const double *values, int most)
{
  ts_histogram h;
  assert_int_equal(ts_histogram_make(count, values, most, &r->arena, &h, NULL), TS_OK);
  return h;
}

// Every value in one bin, between its edges, which ascend.
static void check_counts(const ts_histogram *h, size_t count, const double *values)
{
  size_t sum = 0;
  for (int i = 0; i < h->bins; ++i) {
    const double low = ts_histogram_edge(h, i), high = ts_histogram_edge(h, i + 1);
    assert_true(low < high);
    size_t inside = 0;
    for (size_t k = 0; k < count; ++k)
      inside += values[k] >= low && (values[k] < high || (i == h->bins - 1 && values[k] == high));
    assert_int_equal(h->counts[i], inside);
    sum += inside;
  }
  assert_int_equal(sum, h->count);
  assert_true(ts_histogram_edge(h, 0) == h->low && ts_histogram_edge(h, h->bins) == h->high);
}

// Of n uniform values the IQR is 1/2 of the range: n^(1/3) bins. Of normal ones it is 1.349 sigma.
static void bins_follow_freedman_and_diaconis(void **state)
{
  enum { COUNT = 8000 };
  double *values = malloc(COUNT * sizeof *values);
  for (int k = 0; k < COUNT; ++k) values[k] = (k * 4001 % COUNT) / (COUNT - 1.0);
  ts_histogram h = make(*state, COUNT, values, 100);
  assert_in_range(h.bins, 20, 21); // 20 but for rounding
  check_counts(&h, COUNT, values);
  ts_random random;
  ts_random_init(&random, 4);
  for (int k = 0; k < COUNT; ++k) values[k] = ts_random_normal(&random);
  h = make(*state, COUNT, values, 100);
  assert_near(h.bins, (h.high - h.low) * 20.0 / (2.0 * 1.349), 3.0); // IQR to some percent
  check_counts(&h, COUNT, values);
  assert_int_equal(make(*state, COUNT, values, 7).bins, 7);
  free(values);
}

// Most values are equal and some are far off: no IQR. 100 values: ceil(log2 100) + 1 = 8 bins.
static void sturges_helps_where_half_are_equal(void **state)
{
  double values[100];
  for (int k = 0; k < 100; ++k) values[k] = k < 90 ? 0.5 : 0.1 * k;
  const ts_histogram h = make(*state, 100, values, 50);
  assert_int_equal(h.bins, 8);
  check_counts(&h, 100, values);
}

static void whole_numbers_have_bins_of_whole_numbers(void **state)
{
  double values[1000];
  for (int k = 0; k < 1000; ++k) values[k] = 1.0 + k * 7 % 6; // a die
  ts_histogram h = make(*state, 1000, values, 50);
  assert_true(h.integers && h.bins == 6 && h.low == 0.5 && h.high == 6.5);
  for (int i = 0; i < 6; ++i) assert_int_equal(h.counts[i], i < 4 ? 167 : 166);
  values[3] = 4.0;
  h = make(*state, 3, values, 50); // 1, 2, 3
  assert_true(h.integers && h.bins == 3);
  for (int k = 0; k < 1000; ++k) values[k] = -300.0 + k;
  h = make(*state, 1000, values, 50);
  assert_int_equal(h.bins, 11); // 2 499.5/10, so 99 numbers each
  const double width = (h.high - h.low) / h.bins;
  assert_true(h.integers && width == floor(width) && h.low == -300.5 && h.high >= 699.5 && h.bins <= 50);
  for (int i = 0; i <= h.bins; ++i) assert_true(fabs(fmod(ts_histogram_edge(&h, i), 1.0)) == 0.5);
  check_counts(&h, 1000, values);
  values[500] = 0.25;
  assert_false(make(*state, 1000, values, 50).integers);
}

static void one_value_has_one_bin(void **state)
{
  static const double values[] = {0.3, 0.3, NAN, 0.3}, zero = 0.0, largest = DBL_MAX, smallest = 5e-324;
  ts_histogram h = make(*state, 4, values, 50);
  assert_true(h.bins == 1 && h.count == 3 && h.missing == 1 && h.counts[0] == 3);
  assert_near(h.low, 0.285, 1e-15);
  assert_near(h.high, 0.315, 1e-15);
  h = make(*state, 1, &zero, 50);
  assert_true(h.integers && h.bins == 1 && h.low == -0.5 && h.high == 0.5 && h.counts[0] == 1);
  h = make(*state, 1, &largest, 50);
  assert_true(h.bins == 1 && h.counts[0] == 1 && isfinite(h.high));
  h = make(*state, 1, &smallest, 50);
  assert_true(h.bins == 1 && h.counts[0] == 1 && h.low < h.high);
}

static void nothing_has_no_bins(void **state)
{
  static const double values[] = {NAN, NAN};
  ts_histogram h = make(*state, 2, values, 50);
  assert_true(h.bins == 0 && h.count == 0 && h.missing == 2);
  h = make(*state, 0, NULL, 50);
  assert_true(h.bins == 0 && h.missing == 0);
}

static void infinite_values_are_refused(void **state)
{
  rig *r = *state;
  static const double values[] = {1.0, -INFINITY, 2.0};
  ts_histogram h;
  ts_error error;
  assert_int_equal(ts_histogram_make(3, values, 50, &r->arena, &h, &error), TS_INVALID);
  assert_string_equal(error.text, "a histogram has no place for infinite values");
}

// A range too large for a double; values next to each other; denormal ones.
static void extreme_ranges_are_counted(void **state)
{
  double values[64];
  for (int k = 0; k < 64; ++k) values[k] = (k - 31.5) / 31.5 * DBL_MAX;
  ts_histogram h = make(*state, 64, values, 50);
  assert_true(h.bins > 1);
  check_counts(&h, 64, values);
  for (int k = 0; k < 64; ++k) values[k] = 1.1 + (k % 5) * DBL_EPSILON;
  h = make(*state, 64, values, 50);
  check_counts(&h, 64, values);
  for (int k = 0; k < 64; ++k) values[k] = k * 5e-324;
  h = make(*state, 64, values, 50);
  check_counts(&h, 64, values);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bins_follow_freedman_and_diaconis),
      cmocka_unit_test(sturges_helps_where_half_are_equal),
      cmocka_unit_test(whole_numbers_have_bins_of_whole_numbers),
      cmocka_unit_test(one_value_has_one_bin),
      cmocka_unit_test(nothing_has_no_bins),
      cmocka_unit_test(infinite_values_are_refused),
      cmocka_unit_test(extreme_ranges_are_counted),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
