// The built-in problems: Jacobians against central differences, closed-form solutions by the certificate, and the data
// tables at points where F is known by hand.
#include "touchstone/builtin.h"

#include "touchstone/certificate.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static ts_builtin *create(const char *name, int grid)
{
  ts_builtin *builtin;
  assert_int_equal(ts_builtin_create(name, grid, &builtin, NULL), TS_OK);
  assert_int_equal(ts_problem_check(ts_builtin_problem(builtin), NULL), TS_OK);
  return builtin;
}

// Spread compressed (or dense) Jacobian values over an n x n matrix.
static void to_dense(const ts_mcp *mcp, const double *values, double *dense)
{
  const int n = mcp->size;
  for (int k = 0; k < n * n; ++k) dense[k] = mcp->start ? 0.0 : values[k];
  for (int j = 0; mcp->start && j < n; ++j)
    for (int k = mcp->start[j]; k < mcp->start[j + 1]; ++k) dense[j * n + mcp->index[k]] = values[k];
}

static void check_jacobian(const ts_mcp *mcp, const double *z)
{
  const size_t n = (size_t)mcp->size;
  double *values = malloc((n * n + 4 * n) * sizeof *values), *dense = malloc(n * n * sizeof *dense);
  double *x = values + n * n, *plus = x + n, *minus = plus + n;
  if (mcp->jacobian(mcp->user, z, values) == 0) {
    to_dense(mcp, values, dense);
    memcpy(x, z, n * sizeof *x);
    for (size_t j = 0; j < n; ++j) {
      const double h = 1e-6 * (1.0 + fabs(z[j]));
      x[j] = z[j] + h;
      assert_int_equal(mcp->evaluate(mcp->user, x, plus), 0);
      x[j] = z[j] - h;
      if (mcp->evaluate(mcp->user, x, minus)) break; // at the edge of the domain
      x[j] = z[j];
      for (size_t i = 0; i < n; ++i) {
        const double difference = (plus[i] - minus[i]) / (2.0 * h);
        assert_true(fabs(dense[j * n + i] - difference) < 1e-6 * (1.0 + fabs(difference)));
      }
    }
  }
  free(values);
  free(dense);
}

static void jacobians_are_derivatives(void **state)
{
  (void)state;
  for (int p = 0; p < ts_builtin_count(); ++p) {
    ts_builtin *builtin = create(ts_builtin_name(p), 6);
    const ts_mcp *mcp = &ts_builtin_problem(builtin)->mcp;
    double z[36];
    assert_true(mcp->size <= 36);
    assert_true(ts_builtin_start_count(builtin) > 0);
    for (int k = 0; k < ts_builtin_start_count(builtin); ++k) {
      ts_builtin_start(builtin, k, z);
      for (int i = 0; i < mcp->size; ++i) assert_true(mcp->lower[i] <= z[i] && z[i] <= mcp->upper[i]);
      check_jacobian(mcp, z);
    }
    for (int i = 0; i < mcp->size; ++i) z[i] = 1.3 + sin(i);
    check_jacobian(mcp, z);
    ts_builtin_destroy(builtin);
  }
}

static void assert_solution(const char *name, const double *z)
{
  ts_builtin *builtin = create(name, 0);
  assert_true(ts_problem_residual(ts_builtin_problem(builtin), z) < 1e-14);
  ts_builtin_destroy(builtin);
}

static void closed_forms_are_solutions(void **state)
{
  (void)state;
  const double degenerate[] = {sqrt(6.0) / 2.0, 0, 0, 0.5};
  assert_solution("kojshin", degenerate);
  assert_solution("kojshin", (double[]){1, 0, 3, 0});
  assert_solution("josephy", degenerate);
  assert_solution("billups", (double[]){1.0 + sqrt(1.01)});
  assert_solution("munson1", (double[]){1, 0, 0});
}

// Two firms of ten computed by hand at x = 1: Q = 10, P = 500^(1/1.2).
static void nash_is_not_defined_at_the_origin(void **state)
{
  (void)state;
  ts_builtin *builtin = create("nash", 0);
  const ts_mcp *mcp = &ts_builtin_problem(builtin)->mcp;
  double z[10], F[10], J[100];
  ts_builtin_start(builtin, 0, z);
  assert_int_equal(mcp->evaluate(mcp->user, z, F), 0);
  const double P = pow(500.0, 1.0 / 1.2);
  assert_true(fabs(F[1] - (3.0 + 10.0 - P + P / 12.0)) < 1e-12);
  assert_true(fabs(F[3] - (5.0 + pow(10.0, 1.0 / 0.6) - P + P / 12.0)) < 1e-12);
  memset(z, 0, sizeof z);
  assert_int_not_equal(mcp->evaluate(mcp->user, z, F), 0);
  assert_int_not_equal(mcp->jacobian(mcp->user, z, J), 0);
  ts_builtin_destroy(builtin);
}

// The discrete Laplacian of x(1-x)/2 + y(1-y)/2 is exact: -Laplace = 2, so F = 2 d^2 - d^2 away from the edge.
static void obstacle_has_the_five_point_laplacian(void **state)
{
  (void)state;
  enum { SIDE = 9 };
  ts_builtin *builtin = create("obstacle", SIDE);
  const ts_mcp *mcp = &ts_builtin_problem(builtin)->mcp;
  assert_int_equal(mcp->size, SIDE * SIDE);
  double v[SIDE * SIDE], F[SIDE * SIDE];
  for (int j = 0; j < SIDE; ++j)
    for (int i = 0; i < SIDE; ++i) {
      const double x = (i + 1) / (SIDE + 1.0), y = (j + 1) / (SIDE + 1.0);
      v[j * SIDE + i] = 0.5 * x * (1 - x) + 0.5 * y * (1 - y);
    }
  assert_int_equal(mcp->evaluate(mcp->user, v, F), 0);
  const double d = 1.0 / (SIDE + 1);
  for (int j = 1; j < SIDE - 1; ++j)
    for (int i = 1; i < SIDE - 1; ++i) assert_true(fabs(F[j * SIDE + i] - d * d) < 1e-14);
  ts_builtin_destroy(builtin);
  builtin = create("obstacle", 0);
  assert_int_equal(ts_builtin_problem(builtin)->mcp.size, 2500);
  ts_builtin_destroy(builtin);
}

static void unknown_names_and_grids_are_refused(void **state)
{
  (void)state;
  ts_builtin *builtin = (ts_builtin *)1;
  ts_error error;
  assert_int_equal(ts_builtin_create("nonsense", 0, &builtin, &error), TS_INVALID);
  assert_null(builtin);
  assert_non_null(strstr(error.text, "nonsense"));
  assert_int_equal(ts_builtin_create("obstacle", -3, &builtin, NULL), TS_INVALID);
  assert_null(builtin);
  ts_builtin_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobians_are_derivatives),           cmocka_unit_test(closed_forms_are_solutions),
      cmocka_unit_test(nash_is_not_defined_at_the_origin),   cmocka_unit_test(obstacle_has_the_five_point_laplacian),
      cmocka_unit_test(unknown_names_and_grids_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
