// Random numbers: published sequences of the generators, and the moments of the distributions.
#include "base/random.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <cmocka.h>

enum { DRAWS = 200000 };

// Reference outputs of splitmix64 from seed 0, and of xoshiro256** from the state 1, 2, 3, 4, as the authors' programs
// print them (https://prng.di.unimi.it).
static void sequences_are_those_of_the_authors(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 0);
  assert_true(random.state[0] == UINT64_C(0xe220a8397b1dcdaf));
  assert_true(random.state[1] == UINT64_C(0x6e789e6aa1b965f4));
  assert_true(random.state[2] == UINT64_C(0x06c45d188009454f));
  assert_true(random.state[3] == UINT64_C(0xf88bb8a8724c81ec));

  const uint64_t expected[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240), UINT64_C(1216172134540287360)};
  random = (ts_random){{1, 2, 3, 4}};
  for (int i = 0; i < 5; ++i) assert_true(ts_random_bits(&random) == expected[i]);
}

static void a_seed_fixes_the_sequence(void **state)
{
  (void)state;
  ts_random a, b, c;
  ts_random_init(&a, 42);
  ts_random_init(&b, 42);
  ts_random_init(&c, 43);
  int equal = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t bits = ts_random_bits(&a);
    assert_true(bits == ts_random_bits(&b));
    equal += bits == ts_random_bits(&c);
  }
  assert_int_equal(equal, 0);
}

// A mean of n draws with standard deviation s stays within 5 s/sqrt(n) of its expectation but once in 1.7 million.
static void assert_mean(double sum, double expected, double deviation)
{
  assert_true(fabs(sum / DRAWS - expected) < 5.0 * deviation / sqrt(DRAWS));
}

// Uniform on [0, 1): E x = 1/2, Var x = 1/12, E (x-1/2)^2 = 1/12 with variance 1/180.
static void uniform_draws_have_the_moments_of_the_uniform_distribution(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 1);
  double first = 0.0, second = 0.0;
  for (int i = 0; i < DRAWS; ++i) {
    const double x = ts_random_uniform(&random, -3.0, 5.0), y = (x + 3.0) / 8.0;
    assert_true(x >= -3.0 && x < 5.0);
    first += y;
    second += (y - 0.5) * (y - 0.5);
  }
  assert_mean(first, 0.5, sqrt(1.0 / 12.0));
  assert_mean(second, 1.0 / 12.0, sqrt(1.0 / 180.0));
}

// The state whose next 64 bits are all ones: the output rotl(5 s, 7) * 9 solved for s, 5 and 9 having inverses mod
// 2^64.
static void the_upper_end_is_never_reached(void **state)
{
  (void)state;
  const uint64_t ninth = UINT64_C(0x8e38e38e38e38e39), fifth = UINT64_C(0xcccccccccccccccd);
  const uint64_t rotated = UINT64_MAX * ninth;
  ts_random random = {{0, ((rotated >> 7) | (rotated << 57)) * fifth, 0, 0}};
  ts_random copy = random;
  assert_true(ts_random_bits(&copy) == UINT64_MAX);
  assert_true(ts_random_uniform(&random, 1.0, 2.0) < 2.0); // 1 + (1 - 2^-53) rounds to 2
}

// Normal: E x = 0, E x^2 = 1, E x^3 = 0, E x^4 = 3; the variances of these powers are 1, 2, 15, 96.
static void normal_draws_have_the_moments_of_the_normal_distribution(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 2);
  double sum[4] = {0};
  for (int i = 0; i < DRAWS; ++i) {
    const double x = ts_random_normal(&random);
    sum[0] += x;
    sum[1] += x * x;
    sum[2] += x * x * x;
    sum[3] += x * x * x * x;
  }
  assert_mean(sum[0], 0.0, 1.0);
  assert_mean(sum[1], 1.0, sqrt(2.0));
  assert_mean(sum[2], 0.0, sqrt(15.0));
  assert_mean(sum[3], 3.0, sqrt(96.0));
}

// Chi-squared with 6 degrees of freedom exceeds 33.1 once in 100000.
static void whole_numbers_below_a_limit_are_equally_frequent(void **state)
{
  (void)state;
  enum { LIMIT = 7 };
  ts_random random;
  ts_random_init(&random, 3);
  int count[LIMIT] = {0};
  for (int i = 0; i < DRAWS; ++i) {
    const int k = ts_random_below(&random, LIMIT);
    assert_in_range(k, 0, LIMIT - 1);
    ++count[k];
  }
  const double expected = (double)DRAWS / LIMIT;
  double chi_squared = 0.0;
  for (int k = 0; k < LIMIT; ++k) chi_squared += (count[k] - expected) * (count[k] - expected) / expected;
  assert_true(chi_squared < 33.1);
  assert_int_equal(ts_random_below(&random, 1), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequences_are_those_of_the_authors),
      cmocka_unit_test(a_seed_fixes_the_sequence),
      cmocka_unit_test(uniform_draws_have_the_moments_of_the_uniform_distribution),
      cmocka_unit_test(the_upper_end_is_never_reached),
      cmocka_unit_test(normal_draws_have_the_moments_of_the_normal_distribution),
      cmocka_unit_test(whole_numbers_below_a_limit_are_equally_frequent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
