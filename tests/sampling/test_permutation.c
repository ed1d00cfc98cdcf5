// Permutations against what makes them ones: each image comes once; and against chance: all are equally likely.
#include "sampling/permutation.h"

#include "goodness_of_fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void assert_bijection(uint64_t seed, uint64_t n)
{
  char *seen = calloc(n, 1);
  assert_non_null(seen);
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t image = ts_permutation(seed, 1, 2, n, i);
    if (image < n) ++seen[image];
  }
  for (uint64_t i = 0; i < n; ++i) assert_int_equal(seen[i], 1);
  free(seen);
}

static void each_image_comes_once(void **state)
{
  (void)state;
  for (uint64_t n = 1; n <= 300; ++n)
    for (uint64_t seed = 0; seed < 4; ++seed) assert_bijection(seed, n);
  assert_bijection(5, 65536);
  assert_bijection(6, 65537); // where nearly half of the numbers of so many bits lie outside
  assert_bijection(7, 131071);
  assert_bijection(8, 1000003);
}

static int compare(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// From both ends. What comes of a part of the indices is spread over all.
static void images_of_large_ones_differ(void **state)
{
  (void)state;
  enum { COUNT = 1 << 18 };
  static uint64_t images[COUNT];
  static const uint64_t sizes[] = {TS_PERMUTATION_LIMIT, TS_PERMUTATION_LIMIT / 2 + 1, UINT64_C(1000000000000)};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    for (uint64_t i = 0; i < COUNT; ++i) {
      const uint64_t index = i % 2 ? sizes[k] - 1 - i : i;
      images[i] = ts_permutation(k, 0, 0, sizes[k], index);
      assert_true(images[i] < sizes[k]);
    }
    int counts[64] = {0};
    for (int i = 0; i < COUNT; ++i) ++counts[(int)((double)images[i] / (double)sizes[k] * 64.0)];
    assert_true(chi_square(counts, 64, COUNT / 64.0) < chi_square_bound(63));
    qsort(images, COUNT, sizeof *images, compare);
    for (int i = 1; i < COUNT; ++i) assert_true(images[i - 1] != images[i]);
  }
}

// The number of a permutation among all n! of them.
static int rank_of(const uint64_t *image, int n)
{
  int rank = 0;
  for (int i = 0; i < n; ++i) {
    int smaller = 0;
    for (int j = i + 1; j < n; ++j) smaller += image[j] < image[i];
    rank = rank * (n - i) + smaller;
  }
  return rank;
}

static void all_of_few_elements_are_equally_likely(void **state)
{
  (void)state;
  enum { SEEDS = 50000 };
  for (int n = 2, factorial = 2; n <= 6; factorial *= ++n) {
    int counts[720] = {0};
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
      uint64_t image[6];
      for (int i = 0; i < n; ++i) image[i] = ts_permutation(seed, 0, 0, (uint64_t)n, (uint64_t)i);
      ++counts[rank_of(image, n)];
    }
    assert_true(chi_square(counts, factorial, (double)SEEDS / factorial) < chi_square_bound(factorial - 1));
  }
}

// Images of the first, the second and the last element: n (n-1) (n-2) triples, by seeds or by dimensions.
static void triples_of_images_are_equally_likely(void **state)
{
  (void)state;
  enum { DRAWS = 40000 };
  static const int sizes[] = {12, 13, 16, 17, 20};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    const int n = sizes[k];
    const uint64_t last = (uint64_t)n - 1, size = (uint64_t)n;
    int *counts = calloc((size_t)n * (size_t)n * (size_t)n, sizeof *counts);
    assert_non_null(counts);
    for (uint32_t draw = 0; draw < DRAWS; ++draw) {
      const uint64_t seed = k % 2 ? draw : 9;
      const uint32_t dimension = k % 2 ? 4 : draw;
      const uint64_t a = ts_permutation(seed, 0, dimension, size, 0), b = ts_permutation(seed, 0, dimension, size, 1);
      ++counts[(a * size + b) * size + ts_permutation(seed, 0, dimension, size, last)];
    }
    const int triples = n * (n - 1) * (n - 2);
    const double expected = (double)DRAWS / triples;
    // cells that cannot be are empty, and count as expected each: they are taken off
    const double impossible = (double)(n * n * n - triples) * expected;
    assert_true(chi_square(counts, n * n * n, expected) - impossible < chi_square_bound(triples - 1));
    free(counts);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_image_comes_once),
      cmocka_unit_test(images_of_large_ones_differ),
      cmocka_unit_test(all_of_few_elements_are_equally_likely),
      cmocka_unit_test(triples_of_images_are_equally_likely),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
