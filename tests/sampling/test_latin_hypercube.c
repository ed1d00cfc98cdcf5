// Latin hypercubes against their definition: in each dimension one point a stratum.
#include "sampling/latin_hypercube.h"

#include "sampling/permutation.h"
#include "sampling/philox.h"

#include "goodness_of_fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void assert_stratified(uint64_t seed, uint64_t n, uint32_t dimension)
{
  char *seen = calloc(n, 1);
  assert_non_null(seen);
  for (uint64_t i = 0; i < n; ++i) {
    const double x = ts_latin_hypercube(seed, n, i, dimension);
    assert_true(x > 0.0 && x < 1.0);
    const uint64_t stratum = (uint64_t)(x * (double)n);
    if (stratum < n) ++seen[stratum];
  }
  for (uint64_t k = 0; k < n; ++k) assert_int_equal(seen[k], 1);
  free(seen);
}

static void each_stratum_has_one_point(void **state)
{
  (void)state;
  for (uint64_t n = 1; n <= 130; ++n)
    for (uint32_t dimension = 0; dimension < 8; ++dimension) assert_stratified(n, n, dimension);
  assert_stratified(1, 4096, 0);
  assert_stratified(2, 4097, 100);
  assert_stratified(3, 1000000, 1);
}

// Without rounding: k < n x < k + 1, where n x is a product and its error. And with it.
static void points_are_inside_their_strata(void **state)
{
  (void)state;
  static const uint64_t sizes[] = {1, 2, 3, 49, 1000000, UINT64_C(999999999989), TS_PERMUTATION_LIMIT};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
    for (uint64_t i = 0; i < 20000; ++i) {
      const uint64_t n = sizes[k], index = i % 2 ? n - 1 - i % n : i % n;
      const double x = ts_latin_hypercube(i, n, index, 3);
      const uint64_t stratum = ts_permutation(i, TS_STREAM_STRATA, 3, n, index);
      const double product = x * (double)n, error = fma(x, (double)n, -product);
      assert_true(product > (double)stratum || (product == (double)stratum && error > 0.0));
      assert_true(product < (double)(stratum + 1) || (product == (double)(stratum + 1) && error < 0.0));
      assert_true((uint64_t)product == stratum);
    }
}

static void places_in_strata_are_uniform(void **state)
{
  (void)state;
  enum { COUNT = 50000 };
  static double places[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const double x = COUNT * ts_latin_hypercube(11, COUNT, (uint64_t)i, 5);
    places[i] = x - floor(x);
  }
  assert_true(kolmogorov_distance(places, COUNT, uniform_probability) < kolmogorov_bound(COUNT));
}

static void strata_of_dimensions_are_independent(void **state)
{
  (void)state;
  enum { SIDE = 25, REPEATS = 2000 };
  int counts[SIDE * SIDE] = {0};
  for (uint64_t seed = 0; seed < REPEATS; ++seed)
    for (uint64_t i = 0; i < SIDE; i += 8) // few: the points of one hypercube exclude each other
      ++counts[(int)(SIDE * ts_latin_hypercube(seed, SIDE, i, 0)) * SIDE +
               (int)(SIDE * ts_latin_hypercube(seed, SIDE, i, 1))];
  assert_true(chi_square(counts, SIDE * SIDE, 4.0 * REPEATS / (SIDE * SIDE)) < chi_square_bound(SIDE * SIDE - 1));
}

// The mean of what is a sum over dimensions has an error of 1/n^(3/2) instead of 1/n^(1/2): the sum of u over n strata
// has variance n / 12 / n^2 a dimension. Here three of them: (3/12)^(1/2) / n^(3/2), and a bound of 4 deviations.
static void sums_have_small_errors(void **state)
{
  (void)state;
  enum { COUNT = 1000 };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    double sum = 0.0;
    for (uint64_t i = 0; i < COUNT; ++i)
      for (uint32_t d = 0; d < 3; ++d) sum += ts_latin_hypercube(seed, COUNT, i, d);
    assert_true(fabs(sum / COUNT - 1.5) < 4.0 * 0.5 / pow(COUNT, 1.5));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_stratum_has_one_point),   cmocka_unit_test(points_are_inside_their_strata),
      cmocka_unit_test(places_in_strata_are_uniform), cmocka_unit_test(strata_of_dimensions_are_independent),
      cmocka_unit_test(sums_have_small_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
