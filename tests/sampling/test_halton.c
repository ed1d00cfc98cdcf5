// Halton's points against values by hand, and against the count of points in intervals that are powers of the base.
#include "sampling/halton.h"

#include "goodness_of_fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void digits_are_mirrored(void **state)
{
  (void)state;
  static const double by_hand[3][10] = {
      {0.0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875, 0.0625, 0.5625},
      {0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0 / 9.0, 4.0 / 9.0, 7.0 / 9.0, 2.0 / 9.0, 5.0 / 9.0, 8.0 / 9.0, 1.0 / 27.0},
      {0.0, 0.2, 0.4, 0.6, 0.8, 0.04, 0.24, 0.44, 0.64, 0.84},
  };
  for (uint32_t d = 0; d < 3; ++d)
    for (uint64_t i = 0; i < 10; ++i) assert_true(ts_halton(i, d) == by_hand[d][i]);
  // 1000 = 2 343 + 6 49 + 2 7 + 6: in base 7 it is 2626, and 0.6262 mirrored
  assert_true(fabs(ts_halton(1000, 3) - (6.0 / 7.0 + 2.0 / 49.0 + 6.0 / 343.0 + 2.0 / 2401.0)) < 1e-15);
  // 40 ones
  assert_true(ts_halton(TS_HALTON_LIMIT - 1, 0) == 1.0 - 0x1p-40);
}

static int base_of(uint32_t dimension)
{
  int prime = 2;
  for (uint32_t found = 0;; ++prime) {
    bool is_prime = true;
    for (int k = 2; k * k <= prime; ++k) is_prime = is_prime && prime % k != 0;
    if (is_prime && found++ == dimension) return prime;
  }
}

// Large indices keep all their digits: the sum of digits times b^-k.
static void no_digit_is_lost(void **state)
{
  (void)state;
  for (uint32_t d = 0; d < TS_HALTON_DIMENSIONS; ++d)
    for (uint64_t i = 1; i <= 20; ++i) {
      const uint64_t base = (uint64_t)base_of(d), index = TS_HALTON_LIMIT - i * i;
      double sum = 0.0;
      for (uint64_t rest = index, scale = 1; rest > 0; rest /= base, scale *= base)
        sum += (double)(rest % base) / ((double)base * (double)scale);
      assert_true(fabs(ts_halton(index, d) - sum) < 4e-16);
    }
}

static void bases_are_the_primes(void **state)
{
  (void)state;
  for (uint32_t d = 0; d < TS_HALTON_DIMENSIONS; ++d) assert_true(ts_halton(1, d) == 1.0 / base_of(d));
}

// seed 0: plain
static double point(uint64_t seed, uint64_t i, uint32_t dimension)
{
  return seed == 0 ? ts_halton(i, dimension) : ts_halton_permuted(seed, i, dimension);
}

// Of b^m points from a multiple of b^m on, one lies in each interval of b^-m. Plain ones lie
// at its lower end, where rounding must not put them into the one below.
static void intervals_hold_one_point(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 3; ++seed)
    for (uint32_t d = 0; d < TS_HALTON_DIMENSIONS; ++d) {
      const int base = base_of(d);
      for (int count = base; count <= (d < 10 ? 3000 : base); count *= base)
        for (uint64_t block = 0; block <= 4; block += 4) {
          char seen[3000] = {0};
          for (uint64_t i = 0; i < (uint64_t)count; ++i) {
            const double x = point(seed, block * (uint64_t)count + i, d);
            assert_true(x >= 0.0 && x < 1.0);
            const int cell = (int)(x * count + 1e-10);
            assert_true(!seen[cell]);
            seen[cell] = 1;
          }
        }
    }
}

static void permuted_points_are_uniform(void **state)
{
  (void)state;
  enum { SEEDS = 5000 };
  static double values[SEEDS];
  static const uint32_t dimensions[] = {0, 1, 4, 5, 63, 127};
  for (size_t k = 0; k < sizeof dimensions / sizeof *dimensions; ++k) {
    int pairs[64] = {0}, others[64] = {0};
    for (int s = 0; s < SEEDS; ++s) {
      const uint64_t seed = (uint64_t)s + 1;
      const double x = values[s] = ts_halton_permuted(seed, 7, dimensions[k]);
      const double other = ts_halton_permuted(seed, 7, (dimensions[k] + 1) % TS_HALTON_DIMENSIONS);
      const double deep = ldexp(x, 20) - floor(ldexp(x, 20));
      ++pairs[(int)(8.0 * x) * 8 + (int)(8.0 * other)];
      ++others[(int)(8.0 * x) * 8 + (int)(8.0 * deep)];
    }
    assert_true(chi_square(pairs, 64, SEEDS / 64.0) < chi_square_bound(63));
    assert_true(chi_square(others, 64, SEEDS / 64.0) < chi_square_bound(63));
    assert_true(kolmogorov_distance(values, SEEDS, uniform_probability) < kolmogorov_bound(SEEDS));
  }
}

static double correlation(uint64_t seed, uint32_t dimension, int count)
{
  double xy = 0.0, xx = 0.0, yy = 0.0;
  for (uint64_t i = 1; i <= (uint64_t)count; ++i) {
    const double x = point(seed, i, dimension) - 0.5, y = point(seed, i, dimension + 1) - 0.5;
    xy += x * y;
    xx += x * x;
    yy += y * y;
  }
  return xy / sqrt(xx * yy);
}

// 100 points in the bases 311 and 313 rise together along a line; permuted ones do so as by chance: 1/sqrt(100),
// times 4.
static void large_bases_are_not_correlated_when_permuted(void **state)
{
  (void)state;
  assert_true(correlation(0, 63, 100) > 0.8);
  for (uint64_t seed = 1; seed <= 20; ++seed) assert_true(fabs(correlation(seed, 63, 100)) < 0.4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digits_are_mirrored),
      cmocka_unit_test(bases_are_the_primes),
      cmocka_unit_test(no_digit_is_lost),
      cmocka_unit_test(intervals_hold_one_point),
      cmocka_unit_test(permuted_points_are_uniform),
      cmocka_unit_test(large_bases_are_not_correlated_when_permuted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
