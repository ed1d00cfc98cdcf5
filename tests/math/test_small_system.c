// Small linear systems: against LAPACK's solution on random ones, and those that need exchanges or have no solution.
#include "math/small_system.h"

#include "base/random.h"
#include "math/dense.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = TS_SMALL_SYSTEM_ROWS };

static void random_systems_agree_with_lapack(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 11);
  for (int n = 0; n <= MOST; ++n) {
    ts_small_system system = {.count = n};
    double A[MOST * MOST], x[MOST], expected[MOST];
    int pivots[MOST];
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) A[c * n + r] = system.at[r][c] = ts_random_normal(&random) * pow(10.0, r % 5 - 2);
      expected[r] = system.at[r][n] = ts_random_normal(&random);
    }
    if (n > 0) {
      assert_true(ts_lu_factor(n, A, pivots));
      ts_lu_solve(n, A, pivots, expected);
    }
    assert_true(ts_small_system_solve(&system, x));
    double size = 0.0;
    for (int k = 0; k < n; ++k) size = fmax(size, fabs(expected[k]));
    for (int k = 0; k < n; ++k) assert_true(fabs(x[k] - expected[k]) <= 1e-10 * size);
  }
}

// B B^T and a little of the unit matrix: definite, though nearly singular where B has few columns. What stands below
// the diagonal must not matter.
static void definite_systems_need_no_pivots(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 12);
  for (int n = 0; n <= MOST; ++n) {
    ts_small_system whole = {.count = n}, half;
    double B[MOST][MOST], x[MOST], expected[MOST], size = 0.0;
    const int columns = n % 2 ? n : (n + 1) / 2;
    const double shift = n % 2 ? 0.0 : 1e-3;
    memset(&half, 0x7f, sizeof half);
    half.count = n;
    for (int r = 0; r < n; ++r) {
      for (int k = 0; k < columns; ++k) B[r][k] = ts_random_normal(&random);
      half.at[r][n] = whole.at[r][n] = ts_random_normal(&random);
    }
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        for (int k = 0; k < columns; ++k) whole.at[r][c] += B[r][k] * B[c][k];
        if (r == c) whole.at[r][c] += shift;
        if (c >= r) half.at[r][c] = whole.at[r][c];
      }
    assert_true(ts_small_system_solve(&whole, expected));
    assert_true(ts_small_system_solve_definite(&half, x));
    for (int k = 0; k < n; ++k) size = fmax(size, fabs(expected[k]));
    for (int k = 0; k < n; ++k) assert_true(fabs(x[k] - expected[k]) <= 1e-8 * size);
  }
}

// What stands beside the numbers must not matter, and rows are exchanged where a pivot is zero.
static void zeros_on_the_diagonal_are_exchanged(void **state)
{
  (void)state;
  ts_small_system system;
  memset(&system, 0x7f, sizeof system);
  system.count = 3;
  const double rows[3][4] = {{0, 2, 0, 4}, {0, 0, 3, 9}, {5, 0, 0, 5}};
  for (int r = 0; r < 3; ++r) memcpy(system.at[r], rows[r], sizeof rows[r]);
  double x[3];
  assert_true(ts_small_system_solve(&system, x));
  assert_true(x[0] == 1.0 && x[1] == 2.0 && x[2] == 3.0);
}

static void there_is_no_solution_without_pivots(void **state)
{
  (void)state;
  const double bad[] = {0.0, NAN, INFINITY, -1.0};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
    ts_small_system system = {.count = 2};
    double x[2];
    system.at[0][0] = 1.0;
    system.at[1][1] = bad[k];
    assert_true(ts_small_system_solve(&system, x) == (bad[k] < 0.0));
    assert_false(ts_small_system_solve_definite(&system, x));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_systems_agree_with_lapack),
      cmocka_unit_test(definite_systems_need_no_pivots),
      cmocka_unit_test(zeros_on_the_diagonal_are_exchanged),
      cmocka_unit_test(there_is_no_solution_without_pivots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
