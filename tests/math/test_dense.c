// Dense factorizations: systems with known solutions, the conditions that define a least-squares solution, and the
// matrices for which there is no factor.
#include "math/dense.h"

#include "base/random.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

enum { N = 12 };

static void random_matrix(ts_random *random, double *A, int count)
{
  for (int i = 0; i < count; ++i) A[i] = ts_random_normal(random);
}

// y = A x or A^T x for a column-major A.
static void multiply(const double *A, int rows, int columns, bool transposed, const double *x, double *y)
{
  for (int i = 0; i < (transposed ? columns : rows); ++i) y[i] = 0.0;
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) {
      if (transposed)
        y[j] += A[j * rows + i] * x[i];
      else
        y[i] += A[j * rows + i] * x[j];
    }
}

static void assert_near(const double *actual, const double *expected, int count, double tolerance)
{
  for (int i = 0; i < count; ++i) assert_true(fabs(actual[i] - expected[i]) <= tolerance);
}

static void lu_solves_what_was_built_from_a_solution(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 1);
  for (int n = 0; n <= N; ++n) {
    double A[N * N], LU[N * N], x[N], b[N];
    int pivots[N];
    random_matrix(&random, A, n * n);
    random_matrix(&random, x, n);
    memcpy(LU, A, sizeof LU);
    assert_true(ts_lu_factor(n, LU, pivots));
    multiply(A, n, n, false, x, b);
    ts_lu_solve(n, LU, pivots, b);
    assert_near(b, x, n, 1e-10);
    multiply(A, n, n, true, x, b);
    ts_lu_solve_transposed(n, LU, pivots, b);
    assert_near(b, x, n, 1e-10);
  }
}

static void lu_refuses_singular_and_undefined_matrices(void **state)
{
  (void)state;
  int pivots[2];
  double singular[] = {1.0, 2.0, 2.0, 4.0}, undefined[] = {1.0, NAN, 0.0, 1.0}, zero[] = {0.0};
  assert_false(ts_lu_factor(2, singular, pivots));
  assert_false(ts_lu_factor(2, undefined, pivots));
  assert_false(ts_lu_factor(1, zero, pivots));
}

// A = B B^T + 1 is positive definite. Only the lower triangle may be read.
static void cholesky_solves_what_was_built_from_a_solution(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 2);
  for (int n = 0; n <= N; ++n) {
    double A[N * N], B[N * N], x[N], b[N];
    random_matrix(&random, B, n * n);
    random_matrix(&random, x, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        A[j * n + i] = i == j;
        for (int k = 0; k < n; ++k) A[j * n + i] += B[k * n + i] * B[k * n + j];
      }
    multiply(A, n, n, false, x, b);
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) A[j * n + i] = NAN;
    assert_true(ts_cholesky_factor(n, A));
    ts_cholesky_solve(n, A, b);
    assert_near(b, x, n, 1e-9);
  }
}

static void cholesky_refuses_what_is_not_positive_definite(void **state)
{
  (void)state;
  double indefinite[] = {1.0, 2.0, 2.0, 1.0}, semidefinite[] = {0.0};
  assert_false(ts_cholesky_factor(2, indefinite));
  assert_false(ts_cholesky_factor(1, semidefinite));
}

// At the least-squares solution the residual is orthogonal to the columns: A^T (A x - b) = 0.
static void least_squares_leaves_a_residual_orthogonal_to_the_columns(void **state)
{
  (void)state;
  enum { ROWS = 9, COLUMNS = 4 };
  ts_random random;
  ts_random_init(&random, 3);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  double A[ROWS * COLUMNS], QR[ROWS * COLUMNS], b[ROWS], x[ROWS], residual[ROWS], gradient[COLUMNS];
  random_matrix(&random, A, ROWS * COLUMNS);
  random_matrix(&random, b, ROWS);
  memcpy(QR, A, sizeof A);
  memcpy(x, b, sizeof b);
  assert_true(ts_least_squares(ROWS, COLUMNS, QR, x, &arena));
  multiply(A, ROWS, COLUMNS, false, x, residual);
  for (int i = 0; i < ROWS; ++i) residual[i] -= b[i];
  multiply(A, ROWS, COLUMNS, true, residual, gradient);
  assert_near(gradient, (const double[COLUMNS]){0}, COLUMNS, 1e-12);

  double deficient[] = {1.0, 2.0, 3.0, 0.0, 0.0, 0.0}, c[] = {1.0, 1.0, 1.0};
  assert_false(ts_least_squares(3, 2, deficient, c, &arena)); // a column of zeros
  assert_true(ts_least_squares(3, 0, NULL, c, &arena));
  assert_int_equal(ts_arena_in_use(&arena), 0);
  ts_arena_release(&arena);
}

// A = a c^T has rank 1, and the minimum-norm solution of A x = b is x = c (a.b) / (|a|^2 |c|^2).
static void minimum_norm_solves_rank_one_systems_in_closed_form(void **state)
{
  (void)state;
  static const int shapes[][2] = {{5, 3}, {3, 5}, {4, 4}};
  ts_random random;
  ts_random_init(&random, 4);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
    const int rows = shapes[k][0], columns = shapes[k][1];
    double a[5], c[5], b[5], A[25], expected[5], aa = 0.0, cc = 0.0, ab = 0.0;
    random_matrix(&random, a, rows);
    random_matrix(&random, c, columns);
    random_matrix(&random, b, 5);
    for (int i = 0; i < rows; ++i) {
      aa += a[i] * a[i];
      ab += a[i] * b[i];
    }
    for (int j = 0; j < columns; ++j) {
      cc += c[j] * c[j];
      for (int i = 0; i < rows; ++i) A[j * rows + i] = a[i] * c[j];
    }
    for (int j = 0; j < columns; ++j) expected[j] = c[j] * ab / (aa * cc);
    assert_int_equal(ts_minimum_norm(rows, columns, A, b, 1e-10, &arena), 1);
    assert_near(b, expected, columns, 1e-12);
  }
  assert_int_equal(ts_arena_in_use(&arena), 0);
  ts_arena_release(&arena);
}

static void minimum_norm_equals_lu_where_the_matrix_is_regular(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 5);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  double A[N * N], x[N], b[N];
  random_matrix(&random, A, N * N);
  random_matrix(&random, x, N);
  multiply(A, N, N, false, x, b);
  assert_int_equal(ts_minimum_norm(N, N, A, b, 1e-12, &arena), N);
  assert_near(b, x, N, 1e-10);
  ts_arena_release(&arena);
}

// Sizes on both sides of where plain loops end and LAPACK begins.
static const int sizes[] = {1, 5, 33, 72, 73, 90};
enum { LARGEST = 90, SIZES = sizeof sizes / sizeof sizes[0] };

static void an_inverse_times_its_matrix_is_the_identity(void **state)
{
  (void)state;
  static double A[LARGEST * LARGEST], X[(LARGEST + 3) * LARGEST], column[LARGEST], y[LARGEST];
  ts_random random;
  ts_random_init(&random, 6);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  for (int k = 0; k < SIZES; ++k) {
    const int n = sizes[k], leading = n + 3;
    random_matrix(&random, A, n * n);
    for (int j = 0; j < n; ++j) memcpy(X + j * leading, A + j * n, (size_t)n * sizeof *X);
    const double reciprocal = ts_invert(n, X, (size_t)leading, &arena);
    assert_true(reciprocal > 1e-8 && reciprocal <= 1.0 + 1e-12);
    for (int j = 0; j < n; ++j) {
      memcpy(column, X + j * leading, sizeof column);
      multiply(A, n, n, false, column, y);
      for (int i = 0; i < n; ++i) assert_true(fabs(y[i] - (i == j)) <= 1e-9);
    }
    memset(X, 0, sizeof X);
    assert_true(ts_invert(n, X, (size_t)leading, &arena) == 0.0);
  }
  assert_int_equal(ts_arena_in_use(&arena), 0);
  ts_arena_release(&arena);
}

static void systems_of_any_size_are_solved(void **state)
{
  (void)state;
  static double A[LARGEST * LARGEST], G[LARGEST * LARGEST], x[LARGEST], b[LARGEST];
  ts_random random;
  ts_random_init(&random, 7);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  for (int k = 0; k < SIZES; ++k) {
    const int n = sizes[k];
    int pivots[LARGEST];
    random_matrix(&random, A, n * n);
    for (int i = 0; i < n; ++i) A[i * n + i] += 3.0 * sqrt(n);
    random_matrix(&random, x, n);
    multiply(A, n, n, false, x, b); // A^T A x
    multiply(A, n, n, true, memcpy(G, b, sizeof b), b);
    ts_gram(n, A, G);
    assert_true(ts_cholesky_factor(n, G));
    ts_cholesky_solve(n, G, b);
    assert_near(b, x, n, 1e-10);
    multiply(A, n, n, false, x, b);
    memcpy(G, A, sizeof A);
    assert_int_equal(ts_minimum_norm(n, n, G, b, 1e-12, &arena), n);
    assert_near(b, x, n, 1e-10);
    multiply(A, n, n, true, x, b);
    assert_true(ts_lu_factor(n, A, pivots));
    ts_lu_solve_transposed(n, A, pivots, b);
    assert_near(b, x, n, 1e-10);
  }
  ts_arena_release(&arena);
}

// B B^T of a B with `rank` columns: L L^T gives it back in the order of the pivots, and L^-1 undoes L.
static void pivoted_cholesky_finds_the_rank(void **state)
{
  (void)state;
  static double A[LARGEST * LARGEST], B[LARGEST * LARGEST], L[LARGEST * LARGEST];
  ts_random random;
  ts_random_init(&random, 8);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  for (int k = 0; k < SIZES; ++k) {
    const int n = sizes[k], rank = (n + 1) / 2;
    int order[LARGEST];
    random_matrix(&random, B, n * rank);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        A[j * n + i] = 0.0;
        for (int c = 0; c < rank; ++c) A[j * n + i] += B[c * n + i] * B[c * n + j];
      }
    memcpy(L, A, sizeof A);
    assert_int_equal(ts_cholesky_pivoted(n, L, order, 1e-9, &arena), rank);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int c = 0; c < rank && c <= i && c <= j; ++c) sum += L[c * n + i] * L[c * n + j];
        assert_true(fabs(sum - A[order[j] * n + order[i]]) <= 1e-9);
      }
  }
  ts_arena_release(&arena);
}

static void lower_triangles_are_solved_column_by_column(void **state)
{
  (void)state;
  static double L[LARGEST * LARGEST], Y[LARGEST * 3], x[LARGEST * 3];
  ts_random random;
  ts_random_init(&random, 9);
  for (int k = 0; k < SIZES; ++k) {
    const int n = sizes[k];
    random_matrix(&random, x, 3 * n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) L[j * n + i] = i < j ? 0.0 : i == j ? 2.0 : 0.1 * ts_random_normal(&random);
    for (int c = 0; c < 3; ++c) multiply(L, n, n, false, x + c * n, Y + c * n);
    ts_lower_solve(n, L, 3, Y);
    assert_near(Y, x, 3 * n, 1e-9);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lu_solves_what_was_built_from_a_solution),
      cmocka_unit_test(lu_refuses_singular_and_undefined_matrices),
      cmocka_unit_test(cholesky_solves_what_was_built_from_a_solution),
      cmocka_unit_test(cholesky_refuses_what_is_not_positive_definite),
      cmocka_unit_test(least_squares_leaves_a_residual_orthogonal_to_the_columns),
      cmocka_unit_test(minimum_norm_solves_rank_one_systems_in_closed_form),
      cmocka_unit_test(minimum_norm_equals_lu_where_the_matrix_is_regular),
      cmocka_unit_test(an_inverse_times_its_matrix_is_the_identity),
      cmocka_unit_test(systems_of_any_size_are_solved),
      cmocka_unit_test(pivoted_cholesky_finds_the_rank),
      cmocka_unit_test(lower_triangles_are_solved_column_by_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
