// Least-index pivoting: closed forms, the exponential example, agreement with Lemke's method, bounds, breakdown.
#include "lcp_generator.h"
#include "linear_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define INF ((double)INFINITY)

static void closed_forms(void **state)
{
  linear_run *run = *state;
  const ts_problem plain = dense_lcp(2, (double[]){2, 1, 1, 2}, (double[]){-5, -6});
  assert_int_equal(linear_run_solve(run, "murty", &plain), TS_SOLVED);
  assert_true(largest_difference(2, run->z, (double[]){4.0 / 3.0, 7.0 / 3.0}) <= 1e-15);

  double M[36] = {0};
  for (int i = 0; i < 6; ++i) M[7 * i] = 2.0;
  const double q[] = {-2, -8, 8, 4, -6, 100};
  const double lower[] = {-INF, 0, -1, -INF, -INF, 3}, upper[] = {INF, 3, 5, -1, 2, 3};
  const ts_problem boxed = dense_mlcp(6, M, q, lower, upper); // z = mid(lower, -q/2, upper)
  assert_int_equal(linear_run_solve(run, "murty", &boxed), TS_SOLVED);
  assert_true(largest_difference(6, run->z, (double[]){1, 3, -1, -2, 2, 3}) <= 1e-15);
}

// Murty's own example: all 2^n - 1 changes are made, and z = (0, ..., 0, 2^n).
static void exponential_example(void **state)
{
  enum { N = 10 };
  linear_run *run = *state;
  double M[N * N] = {0}, q[N];
  for (int j = 0; j < N; ++j) {
    for (int i = 0; i <= j; ++i) M[j * N + i] = i == j ? 1.0 : 2.0;
    q[j] = ldexp(1.0, j + 1) - ldexp(1.0, N + 1);
  }
  const ts_problem problem = dense_lcp(N, M, q);
  assert_int_equal(linear_run_solve(run, "murty", &problem), TS_SOLVED);
  assert_true(run->z[0] == 0.0 && run->z[N - 1] == ldexp(1.0, N));
  assert_int_equal(run->report.iterations, (1 << N) - 1);
}

// Positive definite M has the P property for every box, so that the mixed problem has one solution.
static void bounds_and_free_variables_agree_with_lemke(void **state)
{
  linear_run *run = *state;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const int n = 1 + (int)seed;
    mlcp_instance one = mlcp_generate(n, seed);
    double expected[64], *M = (double *)one.mlcp.M.value;
    for (int i = 0; i < n; ++i) M[i * n + i] += 0.5;
    const ts_problem problem = ts_problem_mlcp(one.mlcp);
    assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
    memcpy(expected, run->z, (size_t)n * sizeof *expected);
    assert_int_equal(linear_run_solve(run, "murty", &problem), TS_SOLVED);
    assert_true(largest_difference(n, run->z, expected) <= 1e-11);
    mlcp_instance_release(&one);
  }
}

static void zero_pivots_break_it_down(void **state)
{
  linear_run *run = *state;
  const ts_problem problem = dense_lcp(2, (double[]){0, 1, -1, 0}, (double[]){-1, -1});
  assert_int_equal(linear_run_solve(run, "murty", &problem), TS_BROKE_DOWN);
  assert_true(isfinite(run->z[0]) && isfinite(run->z[1]));
}

// Not a P-matrix: z_1 changes sides for ever, and the limit ends it.
static void cycles_end_at_the_limit(void **state)
{
  linear_run *run = *state;
  const ts_problem problem = dense_lcp(2, (double[]){1, -2, -2, 1}, (double[]){-1, -1});
  run->options.max_iterations = 50;
  assert_int_equal(linear_run_solve(run, "murty", &problem), TS_ITERATION_LIMIT);
  assert_int_equal(run->report.iterations, 50);
  run->options.max_iterations = 0;
}

static void warm_start_and_limits(void **state)
{
  linear_run *run = *state;
  lcp_instance one = lcp_generate(LCP_P, 80, 4);
  const ts_problem problem = ts_problem_lcp(one.lcp);
  assert_int_equal(linear_run_solve(run, "murty", &problem), TS_SOLVED);
  run->options.warm_start = true;
  assert_int_equal(linear_run_solve(run, "murty", &problem), TS_SOLVED);
  assert_int_equal(run->report.iterations, 0);
  run->options.warm_start = false;
  run->options.max_iterations = 3;
  assert_int_equal(linear_run_solve(run, "murty", &problem), TS_ITERATION_LIMIT);
  run->options.max_iterations = 0;
  run->options.time_limit = 1e-9;
  assert_int_equal(linear_run_solve(run, "murty", &problem), TS_TIME_LIMIT);
  run->options.time_limit = INF;
  lcp_instance_release(&one);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(exponential_example),
      cmocka_unit_test(bounds_and_free_variables_agree_with_lemke),
      cmocka_unit_test(zero_pivots_break_it_down),
      cmocka_unit_test(cycles_end_at_the_limit),
      cmocka_unit_test(warm_start_and_limits),
  };
  return cmocka_run_group_tests(tests, linear_run_setup, linear_run_teardown);
}
