// Principal pivoting: closed forms, agreement with Lemke's method where the solution is unique, singular matrices,
// rays of infeasible problems, matrices it is not made for, warm starts and limits.
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
  assert_int_equal(linear_run_solve(run, "dantzig", &plain), TS_SOLVED);
  assert_true(largest_difference(2, run->z, (double[]){4.0 / 3.0, 7.0 / 3.0}) <= 1e-15);
  assert_int_equal(run->report.iterations, 2);

  double M[36] = {0};
  for (int i = 0; i < 6; ++i) M[7 * i] = 2.0;
  const double q[] = {-2, -8, 8, 4, -6, 100};
  const double lower[] = {-INF, 0, -1, -INF, -INF, 3}, upper[] = {INF, 3, 5, -1, 2, 3};
  const ts_problem boxed = dense_mlcp(6, M, q, lower, upper); // z = mid(lower, -q/2, upper)
  assert_int_equal(linear_run_solve(run, "dantzig", &boxed), TS_SOLVED);
  assert_true(largest_difference(6, run->z, (double[]){1, 3, -1, -2, 2, 3}) <= 1e-15);
}

// A block pair of zero diagonal entries: principal pivots of size 1 do not exist, the asymmetric version needs none.
static void zero_diagonal(void **state)
{
  linear_run *run = *state;
  const ts_problem problem = dense_lcp(2, (double[]){0, 1, -1, 0}, (double[]){1, -1}); // z = (1, 1) and more
  assert_int_equal(linear_run_solve(run, "dantzig", &problem), TS_SOLVED);
  assert_true(run->report.residual == 0.0);
}

static void unique_solutions_agree_with_lemke(void **state)
{
  linear_run *run = *state;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const int n = 1 + (int)seed;
    lcp_instance one = lcp_generate(seed % 2 ? LCP_P : LCP_SPD, n, seed);
    const ts_problem problem = ts_problem_lcp(one.lcp);
    double expected[64];
    assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
    memcpy(expected, run->z, (size_t)n * sizeof *expected);
    assert_int_equal(linear_run_solve(run, "dantzig", &problem), TS_SOLVED);
    for (int i = 0; i < n; ++i) assert_true(fabs(run->z[i] - expected[i]) <= 1e-12 * (1.0 + expected[i]));
    lcp_instance_release(&one);
  }
}

static void infeasible_problem_ends_on_a_ray(void **state)
{
  linear_run *run = *state;
  const ts_problem problem = dense_lcp(2, (double[]){1, -1, -1, 1}, (double[]){-1, -1}); // w1 + w2 = -2
  assert_int_equal(linear_run_solve(run, "dantzig", &problem), TS_RAY);
  assert_true(run->report.ray_found);
  assert_true(run->ray[0] > 0.0 && run->ray[0] == run->ray[1]); // M (1, 1) = 0, q.(1, 1) < 0
}

static void unsuitable_matrices_end_honestly(void **state)
{
  linear_run *run = *state;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const int n = 2 + (int)(seed % 30);
    lcp_instance one = lcp_generate(LCP_COPOSITIVE, n, seed);
    const ts_problem problem = ts_problem_lcp(one.lcp);
    const ts_outcome outcome = linear_run_solve(run, "dantzig", &problem);
    const double residual = ts_problem_residual(&problem, run->z);
    assert_true(isfinite(residual));
    assert_int_equal(outcome == TS_SOLVED, residual <= run->options.tolerance);
    lcp_instance_release(&one);
  }
}

static void warm_start_and_limits(void **state)
{
  linear_run *run = *state;
  mlcp_instance one = mlcp_generate(80, 4);
  const ts_problem problem = ts_problem_mlcp(one.mlcp);
  assert_int_equal(linear_run_solve(run, "dantzig", &problem), TS_SOLVED);
  run->options.warm_start = true;
  assert_int_equal(linear_run_solve(run, "dantzig", &problem), TS_SOLVED);
  assert_int_equal(run->report.iterations, 0);
  run->options.warm_start = false;
  run->options.max_iterations = 3;
  assert_int_equal(linear_run_solve(run, "dantzig", &problem), TS_ITERATION_LIMIT);
  assert_int_equal(run->report.iterations, 3);
  run->options.max_iterations = 0;
  run->options.time_limit = 1e-9;
  assert_int_equal(linear_run_solve(run, "dantzig", &problem), TS_TIME_LIMIT);
  run->options.time_limit = INF;
  mlcp_instance_release(&one);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(zero_diagonal),
      cmocka_unit_test(unique_solutions_agree_with_lemke),
      cmocka_unit_test(infeasible_problem_ends_on_a_ray),
      cmocka_unit_test(unsuitable_matrices_end_honestly),
      cmocka_unit_test(warm_start_and_limits),
  };
  return cmocka_run_group_tests(tests, linear_run_setup, linear_run_teardown);
}
