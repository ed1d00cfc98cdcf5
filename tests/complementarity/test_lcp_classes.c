// Random problems of every class that theory promises a solver to handle, certified by ts_problem_residual(). The
// environment variable LCP_CLASS_COUNT sets how many of each.
#include "effort.h"
#include "lcp_generator.h"
#include "linear_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { LARGEST = 200 };

static int instances(int standard)
{
  const char *text = getenv("LCP_CLASS_COUNT");
  return text ? atoi(text) : standard;
}

// From one instance to the next: sizes grow along a thousand of them.
static int stride(void)
{
  return effort_stride(3, 11);
}

// Sizes from 1 to LARGEST, small ones more often.
static int size_of(int k)
{
  const int cycle = k % 1000;
  return 1 + cycle * cycle * (LARGEST - 1) / (999 * 999);
}

static void certify(const char *solver, lcp_class class, int n, int seed, linear_run *r)
{
  lcp_instance one = lcp_generate(class, n, (uint64_t)seed);
  const ts_problem problem = ts_problem_lcp(one.lcp);
  linear_run_solve(r, solver, &problem);
  const double residual = ts_problem_residual(&problem, r->z);
  if (!(residual <= 1e-9))
    fail_msg("%s, %s, size %d, seed %d: %s, residual %g", solver, lcp_class_name(class), n, seed,
             ts_outcome_name(r->report.outcome), residual);
  assert_int_equal(r->report.outcome, TS_SOLVED);
  lcp_instance_release(&one);
}

static void certify_class(const char *solver, lcp_class class, int count)
{
  linear_run r;
  linear_run_init(&r);
  for (int k = 0; k < count; k += stride()) certify(solver, class, size_of(k), k, &r);
  linear_run_release(&r);
}

static void lemke_solves_positive_semidefinite_problems(void **state)
{
  (void)state;
  certify_class("lemke", LCP_PSD, instances(1000));
}

static void lemke_solves_p_matrices(void **state)
{
  (void)state;
  certify_class("lemke", LCP_P, instances(1000));
}

static void lemke_solves_feasible_copositive_plus_problems(void **state)
{
  (void)state;
  certify_class("lemke", LCP_COPOSITIVE, instances(1000));
}

static void lemke_solves_degenerate_problems(void **state)
{
  (void)state;
  certify_class("lemke", LCP_DEGENERATE, instances(1000));
}

// The ray of a copositive-plus problem proves that nothing is feasible (Cottle, Pang and Stone, theorem 4.4.12): u >=
// 0, u is not 0, M^T u <= 0, q.u < 0. Measured on the caller's data.
static void assert_ray_proves_infeasibility(const ts_lcp *lcp, const double *u)
{
  const int n = lcp->size;
  double size = 0.0, product = 0.0, q_size = 0.0;
  for (int i = 0; i < n; ++i) {
    size = fmax(size, fabs(u[i]));
    product += lcp->q[i] * u[i];
    q_size = fmax(q_size, fabs(lcp->q[i]));
  }
  assert_true(size > 0.0);
  for (int i = 0; i < n; ++i) assert_true(u[i] >= -1e-9 * size);
  assert_true(product < -1e-9 * size * q_size);
  for (int j = 0; j < n; ++j) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += lcp->M.value[j * n + i] * u[i];
    assert_true(sum <= 1e-8 * size);
  }
}

static void lemke_proves_infeasible_problems_infeasible(void **state)
{
  (void)state;
  linear_run r;
  linear_run_init(&r);
  const int count = instances(1000);
  for (int k = 0; k < count; k += stride()) {
    lcp_instance one = lcp_generate(LCP_INFEASIBLE, size_of(k), (uint64_t)k);
    const ts_problem problem = ts_problem_lcp(one.lcp);
    linear_run_solve(&r, "lemke", &problem);
    if (r.report.outcome != TS_RAY) fail_msg("seed %d, size %d: %s", k, size_of(k), ts_outcome_name(r.report.outcome));
    assert_true(r.report.ray_found);
    assert_ray_proves_infeasibility(&one.lcp, r.ray);
    lcp_instance_release(&one);
  }
  linear_run_release(&r);
}

static void dantzig_solves_positive_semidefinite_problems(void **state)
{
  (void)state;
  certify_class("dantzig", LCP_PSD, instances(1000));
}

static void dantzig_solves_p_matrices(void **state)
{
  (void)state;
  certify_class("dantzig", LCP_P, instances(1000));
}

static void dantzig_solves_degenerate_problems(void **state)
{
  (void)state;
  certify_class("dantzig", LCP_DEGENERATE, instances(1000));
}

static void murty_solves_p_matrices(void **state)
{
  (void)state;
  certify_class("murty", LCP_P, instances(1000));
}

static void murty_solves_positive_definite_problems(void **state)
{
  (void)state;
  certify_class("murty", LCP_SPD, instances(1000));
}

static void gauss_seidel_solves_positive_definite_problems(void **state)
{
  (void)state;
  certify_class("pgs", LCP_SPD, instances(200));
  certify_class("psor", LCP_SPD, instances(200));
}

static void certify_mixed(const char *solver, int count)
{
  linear_run r;
  linear_run_init(&r);
  for (int k = 0; k < count; k += stride()) {
    mlcp_instance one = mlcp_generate(size_of(k), (uint64_t)k);
    const ts_problem problem = ts_problem_mlcp(one.mlcp);
    linear_run_solve(&r, solver, &problem);
    const double residual = ts_problem_residual(&problem, r.z);
    if (!(residual <= 1e-9))
      fail_msg("%s, seed %d, size %d: %s, residual %g", solver, k, size_of(k), ts_outcome_name(r.report.outcome),
               residual);
    mlcp_instance_release(&one);
  }
  linear_run_release(&r);
}

static void lemke_solves_mixed_problems_with_all_kinds_of_bounds(void **state)
{
  (void)state;
  certify_mixed("lemke", instances(1000));
}

static void dantzig_solves_mixed_problems_with_all_kinds_of_bounds(void **state)
{
  (void)state;
  certify_mixed("dantzig", instances(1000));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lemke_solves_positive_semidefinite_problems),
      cmocka_unit_test(lemke_solves_p_matrices),
      cmocka_unit_test(lemke_solves_feasible_copositive_plus_problems),
      cmocka_unit_test(lemke_solves_degenerate_problems),
      cmocka_unit_test(lemke_proves_infeasible_problems_infeasible),
      cmocka_unit_test(lemke_solves_mixed_problems_with_all_kinds_of_bounds),
      cmocka_unit_test(dantzig_solves_positive_semidefinite_problems),
      cmocka_unit_test(dantzig_solves_p_matrices),
      cmocka_unit_test(dantzig_solves_degenerate_problems),
      cmocka_unit_test(dantzig_solves_mixed_problems_with_all_kinds_of_bounds),
      cmocka_unit_test(murty_solves_p_matrices),
      cmocka_unit_test(murty_solves_positive_definite_problems),
      cmocka_unit_test(gauss_seidel_solves_positive_definite_problems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
