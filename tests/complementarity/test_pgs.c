// Projected Gauss-Seidel and over-relaxation: one sweep by hand, agreement with Lemke's method, bounds, diagonals that
// are not positive, storage, stagnation and limits.
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

// Five sweeps of z_i = max(0, z_i - omega w_i / M_ii) on M = [4 1; 2 5], q = (-8, -3), by rows here.
static void sweeps_by_hand(double omega, double *z)
{
  z[0] = z[1] = 0.0;
  for (int sweep = 0; sweep < 5; ++sweep) {
    z[0] = fmax(0.0, z[0] - omega * (4.0 * z[0] + z[1] - 8.0) / 4.0);
    z[1] = fmax(0.0, z[1] - omega * (2.0 * z[0] + 5.0 * z[1] - 3.0) / 5.0);
  }
}

static void iterates_are_those_of_the_formula(void **state)
{
  linear_run *run = *state;
  const ts_problem problem = dense_lcp(2, (double[]){4, 2, 1, 5}, (double[]){-8, -3});
  double expected[2];
  run->options.max_iterations = 5;
  run->options.tolerance = 1e-15;
  linear_run_solve(run, "pgs", &problem);
  sweeps_by_hand(1.0, expected);
  assert_true(largest_difference(2, run->z, expected) <= 1e-14);
  linear_run_solve(run, "psor", &problem);
  sweeps_by_hand(1.3, expected);
  assert_true(largest_difference(2, run->z, expected) <= 1e-14);
  run->options.relaxation = 0.7;
  linear_run_solve(run, "psor", &problem);
  sweeps_by_hand(0.7, expected);
  assert_true(largest_difference(2, run->z, expected) <= 1e-14);
  run->options = ts_solve_options_default();
}

static void agrees_with_lemke(void **state)
{
  static const char *const names[] = {"pgs", "psor"};
  linear_run *run = *state;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const int n = 1 + (int)seed;
    lcp_instance one = lcp_generate(LCP_SPD, n, seed);
    const ts_problem problem = ts_problem_lcp(one.lcp);
    double expected[64];
    assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
    memcpy(expected, run->z, (size_t)n * sizeof *expected);
    for (int k = 0; k < 2; ++k) {
      assert_int_equal(linear_run_solve(run, names[k], &problem), TS_SOLVED);
      assert_true(largest_difference(n, run->z, expected) <= 1e-8); // smallest eigenvalue 0.1
    }
    lcp_instance_release(&one);
  }
}

// Symmetric positive definite with every kind of bound.
static void bounds_and_free_variables(void **state)
{
  linear_run *run = *state;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const int n = 1 + (int)seed;
    mlcp_instance box = mlcp_generate(n, seed);
    lcp_instance definite = lcp_generate(LCP_SPD, n, seed);
    const ts_problem problem = dense_mlcp(n, definite.lcp.M.value, definite.lcp.q, box.mlcp.lower, box.mlcp.upper);
    double expected[64];
    assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
    memcpy(expected, run->z, (size_t)n * sizeof *expected);
    assert_int_equal(linear_run_solve(run, "pgs", &problem), TS_SOLVED);
    assert_true(largest_difference(n, run->z, expected) <= 1e-7);
    lcp_instance_release(&definite);
    mlcp_instance_release(&box);
  }
}

static void sparse_and_dense_storage_agree(void **state)
{
  linear_run *run = *state;
  enum { N = 100 };
  static double M[N * N]; // the string: 2 on, -1 beside the diagonal
  double q[N], expected[N];
  for (int k = 0; k < N * N; ++k) M[k] = k / N == k % N ? 2.0 : abs(k / N - k % N) == 1 ? -1.0 : 0.0;
  for (int i = 0; i < N; ++i) q[i] = i % 10 < 5 ? -0.3 : 0.5;
  const ts_problem dense = dense_lcp(N, M, q);
  ts_problem sparse = sparse_copy(&dense);
  assert_int_equal(linear_run_solve(run, "pgs", &dense), TS_SOLVED);
  memcpy(expected, run->z, sizeof expected);
  assert_int_equal(linear_run_solve(run, "pgs", &sparse), TS_SOLVED);
  assert_memory_equal(run->z, expected, sizeof expected);
  sparse_copy_release(&sparse);
}

static void diagonals_that_are_not_positive_do_no_harm(void **state)
{
  linear_run *run = *state;
  const double matrices[][4] = {{0, 0, 0, 0}, {0, 1, -1, 0}, {-1, 0, 0, -2}, {1, 0, 0, 0}, {1e-300, 0, 0, 1}};
  for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; ++k) {
    const ts_problem problem = dense_lcp(2, matrices[k], (double[]){-1, -1});
    const ts_outcome outcome = linear_run_solve(run, "pgs", &problem);
    assert_true(isfinite(run->z[0]) && isfinite(run->z[1]));
    assert_int_equal(outcome == TS_SOLVED, ts_problem_residual(&problem, run->z) <= run->options.tolerance);
  }
}

static void stagnation_is_noticed(void **state)
{
  linear_run *run = *state;
  const ts_problem problem = dense_lcp(2, (double[]){1, -1, -1, 1}, (double[]){-1, -1}); // infeasible: z grows for ever
  const ts_outcome outcome = linear_run_solve(run, "pgs", &problem);
  assert_true(outcome == TS_STALLED || outcome == TS_BROKE_DOWN);
  assert_true(run->report.iterations <= 5000);
}

static void warm_start_and_limits(void **state)
{
  linear_run *run = *state;
  lcp_instance one = lcp_generate(LCP_SPD, 80, 4);
  const ts_problem problem = ts_problem_lcp(one.lcp);
  assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
  run->options.warm_start = true;
  assert_int_equal(linear_run_solve(run, "pgs", &problem), TS_SOLVED);
  assert_int_equal(run->report.iterations, 0);
  run->options.warm_start = false;
  run->options.max_iterations = 3;
  assert_int_equal(linear_run_solve(run, "pgs", &problem), TS_ITERATION_LIMIT);
  assert_int_equal(run->report.iterations, 3);
  run->options.max_iterations = 0;
  run->options.time_limit = 1e-9;
  assert_int_equal(linear_run_solve(run, "pgs", &problem), TS_TIME_LIMIT);
  run->options.time_limit = INF;
  lcp_instance_release(&one);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(iterates_are_those_of_the_formula),
      cmocka_unit_test(agrees_with_lemke),
      cmocka_unit_test(bounds_and_free_variables),
      cmocka_unit_test(sparse_and_dense_storage_agree),
      cmocka_unit_test(diagonals_that_are_not_positive_do_no_harm),
      cmocka_unit_test(stagnation_is_noticed),
      cmocka_unit_test(warm_start_and_limits),
  };
  return cmocka_run_group_tests(tests, linear_run_setup, linear_run_teardown);
}
