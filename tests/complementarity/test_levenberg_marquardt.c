// The two Levenberg-Marquardt drivers on small systems with known answers: a curved valley, a singular solution, a
// residual that is not defined everywhere, and minima that are no solutions.
#include "complementarity/newton/levenberg_marquardt.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

typedef ts_outcome method(const ts_equations *equations, ts_run *run, double *x);

static method *const methods[] = {ts_levenberg_marquardt_regular, ts_levenberg_marquardt_projected};
enum { METHODS = 2 };

typedef struct result {
  ts_outcome outcome;
  ts_report report;
} result;

static ts_iteration history[300];

static result minimize(method *run_method, const ts_equations *equations, ts_line_search line_search, double *x)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_solve_options options = ts_solve_options_default();
  options.line_search = line_search;
  result r = {.report = {.history = history, .history_capacity = 300}};
  ts_run run = {.options = &options, .arena = &arena, .report = &r.report, .deadline = INFINITY, .limit = 300};
  r.outcome = run_method(equations, &run, x);
  ts_arena_release(&arena);
  return r;
}

static double largest(void *user, const double *x, const double *phi)
{
  (void)x;
  double worst = 0.0;
  for (int i = 0; i < *(const int *)user; ++i) worst = fmax(worst, fabs(phi[i]));
  return worst;
}

static int one = 1, two = 2, four = 4; // sizes, handed to largest()

static bool rosenbrock(void *user, const double *x, double *phi)
{
  (void)user;
  phi[0] = 10.0 * (x[1] - x[0] * x[0]);
  phi[1] = 1.0 - x[0];
  return true;
}

static bool rosenbrock_jacobian(void *user, const double *x, double *J)
{
  (void)user;
  J[0] = -20.0 * x[0];
  J[1] = -1.0;
  J[2] = 10.0;
  J[3] = 0.0;
  return true;
}

static void both_follow_the_curved_valley(void **state)
{
  (void)state;
  const ts_equations equations = {
      .size = 2, .residual = rosenbrock, .jacobian = rosenbrock_jacobian, .measure = largest, .user = &two};
  for (int k = 0; k < METHODS; ++k)
    for (int search = TS_NONMONOTONE; search <= TS_MONOTONE; ++search) {
      double x[2] = {-1.2, 1.0};
      const result r = minimize(methods[k], &equations, (ts_line_search)search, x);
      assert_int_equal(r.outcome, TS_SOLVED);
      assert_true(fabs(x[0] - 1.0) <= 1e-9 && fabs(x[1] - 1.0) <= 1e-9);
      assert_true(r.report.claimed <= 1e-10 && r.report.iterations > 0 && r.report.factorizations > 0);
    }
}

// Powell's singular function: the Jacobian has rank 2 at the solution 0.
static bool powell(void *user, const double *x, double *phi)
{
  (void)user;
  phi[0] = x[0] + 10.0 * x[1];
  phi[1] = sqrt(5.0) * (x[2] - x[3]);
  phi[2] = pow(x[1] - 2.0 * x[2], 2.0);
  phi[3] = sqrt(10.0) * pow(x[0] - x[3], 2.0);
  return true;
}

static bool powell_jacobian(void *user, const double *x, double *J)
{
  (void)user;
  for (int k = 0; k < 16; ++k) J[k] = 0.0;
  J[0] = 1.0;
  J[4] = 10.0;
  J[9] = sqrt(5.0);
  J[13] = -sqrt(5.0);
  J[6] = 2.0 * (x[1] - 2.0 * x[2]);
  J[10] = -4.0 * (x[1] - 2.0 * x[2]);
  J[3] = 2.0 * sqrt(10.0) * (x[0] - x[3]);
  J[15] = -J[3];
  return true;
}

static void both_reach_a_singular_solution(void **state)
{
  (void)state;
  const ts_equations equations = {
      .size = 4, .residual = powell, .jacobian = powell_jacobian, .measure = largest, .user = &four};
  for (int k = 0; k < METHODS; ++k) {
    double x[4] = {3.0, -1.0, 0.0, 1.0};
    const result r = minimize(methods[k], &equations, TS_NONMONOTONE, x);
    assert_int_equal(r.outcome, TS_SOLVED);
    for (int i = 0; i < 4; ++i) assert_true(fabs(x[i]) <= 1e-4); // |phi| <= 1e-10 is quadratic in x
  }
}

static bool logarithm(void *user, const double *x, double *phi)
{
  (void)user;
  if (x[0] <= 0.0) return false;
  phi[0] = log(x[0]);
  return true;
}

static bool logarithm_jacobian(void *user, const double *x, double *J)
{
  (void)user;
  J[0] = 1.0 / x[0];
  return true;
}

// From 20 the Newton step leads to -40, where the logarithm is not defined.
static void steps_that_leave_the_domain_are_shortened(void **state)
{
  (void)state;
  const ts_equations equations = {
      .size = 1, .residual = logarithm, .jacobian = logarithm_jacobian, .measure = largest, .user = &one};
  for (int k = 0; k < METHODS; ++k) {
    double x[1] = {20.0}, outside[1] = {-1.0};
    assert_int_equal(minimize(methods[k], &equations, TS_NONMONOTONE, x).outcome, TS_SOLVED);
    assert_true(fabs(x[0] - 1.0) <= 1e-10);
    assert_int_equal(minimize(methods[k], &equations, TS_NONMONOTONE, outside).outcome, TS_BROKE_DOWN);
    assert_true(outside[0] == -1.0);
  }
}

static bool parabola(void *user, const double *x, double *phi)
{
  (void)user;
  phi[0] = x[0] * x[0] + 1.0;
  return true;
}

static bool parabola_jacobian(void *user, const double *x, double *J)
{
  (void)user;
  J[0] = 2.0 * x[0];
  return true;
}

// |x|^2 + 1 has its minimum at 0, which is no solution: stop there and say so.
static void a_minimum_that_is_no_solution_is_reported(void **state)
{
  (void)state;
  const ts_equations equations = {
      .size = 1, .residual = parabola, .jacobian = parabola_jacobian, .measure = largest, .user = &one};
  for (int k = 0; k < METHODS; ++k) {
    double x[1] = {1.5};
    const result r = minimize(methods[k], &equations, TS_NONMONOTONE, x);
    assert_int_equal(r.outcome, TS_STALLED);
    assert_true(isfinite(x[0]) && fabs(x[0]) <= 1e-3);
    assert_true(r.report.claimed >= 1.0);
  }
}

static double length(void *user, const double *x, const double *phi)
{
  (void)x;
  double sum = 0.0;
  for (int i = 0; i < *(const int *)user; ++i) sum += phi[i] * phi[i];
  return sqrt(sum);
}

static int count_rises(const ts_report *report)
{
  int rises = 0;
  for (int k = 1; k < report->history_count; ++k)
    rises += report->history[k].residual > report->history[k - 1].residual;
  return rises;
}

// |phi| never rises in the monotone search, nor in the regular method; the other search makes use of its freedom.
static void only_the_non_monotone_search_lets_the_merit_rise(void **state)
{
  (void)state;
  const ts_equations equations = {
      .size = 2, .residual = rosenbrock, .jacobian = rosenbrock_jacobian, .measure = length, .user = &two};
  int free_rises = 0;
  for (int k = 0; k < 20; ++k) {
    const double start[2] = {-3.0 + 0.3 * k, 1.0 + 0.1 * k};
    double x[2] = {start[0], start[1]};
    const result free_run = minimize(methods[1], &equations, TS_NONMONOTONE, x);
    free_rises += count_rises(&free_run.report);
    for (int m = 0; m < METHODS; ++m) {
      x[0] = start[0];
      x[1] = start[1];
      const result r = minimize(methods[m], &equations, TS_MONOTONE, x);
      assert_int_equal(r.outcome, TS_SOLVED);
      assert_int_equal(count_rises(&r.report), 0);
    }
  }
  assert_true(free_rises > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_follow_the_curved_valley),
      cmocka_unit_test(both_reach_a_singular_solution),
      cmocka_unit_test(only_the_non_monotone_search_lets_the_merit_rise),
      cmocka_unit_test(steps_that_leave_the_domain_are_shortened),
      cmocka_unit_test(a_minimum_that_is_no_solution_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
