// The sparse Cholesky factor against dense LU: grids, arrow and block matrices, random and full ones, in the natural
// and in the minimum-degree order.
#include "math/sparse_cholesky.h"

#include "base/random.h"
#include "math/dense.h"
#include "math/matrix.h"
#include "math/sparse.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double *zeros(ts_arena *arena, int n)
{
  return ts_arena_zeros(arena, (size_t)n * (size_t)n);
}

// Discrete Laplacian of a k x k grid plus a shift: heavy fill in the natural order.
static double *grid(ts_arena *arena, int k)
{
  const int n = k * k;
  double *A = zeros(arena, n);
  for (int i = 0; i < n; ++i) {
    A[i * n + i] = 4.1;
    if (i % k + 1 < k) A[i * n + i + 1] = A[(i + 1) * n + i] = -1.0;
    if (i + k < n) A[i * n + i + k] = A[(i + k) * n + i] = -1.0;
  }
  return A;
}

// Every unknown coupled with the first: the natural order fills everything, the reverse nothing.
static double *arrow(ts_arena *arena, int n)
{
  double *A = zeros(arena, n);
  for (int i = 0; i < n; ++i) {
    A[i * n + i] = n;
    A[i] = A[i * n] = i == 0 ? 2.0 * n : 1.0;
  }
  return A;
}

static double *random_spd(ts_arena *arena, int n, double density, uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed);
  double *A = zeros(arena, n);
  for (int i = 0; i < n; ++i) A[i * n + i] = 0.1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      if (ts_random_uniform(&random, 0.0, 1.0) >= density) continue;
      const double a = ts_random_normal(&random);
      A[i * n + j] = A[j * n + i] = a;
      A[i * n + i] += fabs(a);
      A[j * n + j] += fabs(a);
    }
  return A;
}

static double *blocks(ts_arena *arena, int count, int size)
{
  const int n = count * size;
  double *A = zeros(arena, n);
  for (int b = 0; b < count; ++b)
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) A[(b * size + i) * n + b * size + j] = i == j ? b + 2.0 * size : 1.0 / (i + j + 1);
  return A;
}

static void assert_solves(const double *dense, int n, ts_arena *arena)
{
  const ts_matrix view = {n, n, NULL, NULL, dense}, A = ts_compress(&view, arena);
  ts_sparse_cholesky factor;
  assert_true(ts_sparse_cholesky_factor(&A, arena, &factor));
  double *LU = zeros(arena, n), *x = ts_arena_doubles(arena, (size_t)n), *y = ts_arena_doubles(arena, (size_t)n);
  double *scratch = ts_arena_doubles(arena, (size_t)n);
  int *pivots = ts_arena_ints(arena, (size_t)n);
  memcpy(LU, dense, (size_t)n * (size_t)n * sizeof *LU);
  assert_true(ts_lu_factor(n, LU, pivots));
  for (int i = 0; i < n; ++i) x[i] = y[i] = sin(1.0 + i);
  ts_sparse_cholesky_solve(&factor, x, scratch);
  ts_lu_solve(n, LU, pivots, y);
  for (int i = 0; i < n; ++i) assert_true(fabs(x[i] - y[i]) <= 1e-12 * (1.0 + fabs(y[i])));
}

static void solutions_agree_with_dense_lu(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  assert_solves(grid(&arena, 13), 169, &arena);
  assert_solves(arrow(&arena, 60), 60, &arena);
  assert_solves(blocks(&arena, 20, 6), 120, &arena);
  assert_solves(blocks(&arena, 1, 40), 40, &arena); // full: the dense factor
  for (uint64_t seed = 1; seed <= 20; ++seed)
    assert_solves(random_spd(&arena, 5 + 5 * (int)seed, 2.0 / (double)seed, seed), 5 + 5 * (int)seed, &arena);
  const double one = 4.0;
  assert_solves(&one, 1, &arena);
  ts_arena_release(&arena);
}

static void minimum_degree_avoids_the_fill_of_an_arrow(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const ts_matrix view = {200, 200, NULL, NULL, arrow(&arena, 200)}, A = ts_compress(&view, &arena);
  ts_sparse_cholesky factor;
  assert_true(ts_sparse_cholesky_factor(&A, &arena, &factor));
  assert_non_null(factor.index);
  assert_int_equal(factor.start[200], 399); // the lower triangle and nothing more
  ts_arena_release(&arena);
}

// b^T A^-1 b is |L^-1 P b|^2, which the half solution has to give from the rows it reaches alone.
static void assert_half_solution(const double *dense, int n, int row, ts_arena *arena)
{
  const ts_matrix view = {n, n, NULL, NULL, dense}, A = ts_compress(&view, arena);
  ts_sparse_cholesky factor;
  assert_true(ts_sparse_cholesky_factor(&A, arena, &factor));
  int *mark = ts_arena_ints(arena, (size_t)n), *reach = ts_arena_ints(arena, (size_t)n);
  for (int i = 0; i < n; ++i) mark[i] = -1;
  const int count = ts_sparse_cholesky_reach(&factor, row, 7, mark, reach, 0);
  assert_int_equal(ts_sparse_cholesky_reach(&factor, row, 7, mark, reach, count), count);
  double *x = ts_arena_zeros(arena, (size_t)n), *y = ts_arena_zeros(arena, (size_t)n), norm = 0.0;
  x[factor.position[row]] = 1.0;
  ts_sparse_cholesky_half_solve(&factor, count, reach, x); // one path: ascending as it is
  for (int a = 0; a < count; ++a) norm += x[reach[a]] * x[reach[a]];
  y[row] = 1.0;
  ts_sparse_cholesky_solve(&factor, y, ts_arena_doubles(arena, (size_t)n));
  assert_true(fabs(norm - y[row]) <= 1e-12 * y[row]);
}

static void half_solutions_square_to_the_inverse(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  for (int row = 0; row < 49; row += 6) assert_half_solution(grid(&arena, 7), 49, row, &arena);
  for (int row = 0; row < 30; row += 7) assert_half_solution(blocks(&arena, 1, 30), 30, row, &arena);
  ts_arena_release(&arena);
}

static bool factors(const double *dense, int n, ts_arena *arena)
{
  const ts_matrix view = {n, n, NULL, NULL, dense}, A = ts_compress(&view, arena);
  ts_sparse_cholesky factor;
  return ts_sparse_cholesky_factor(&A, arena, &factor);
}

static void what_is_not_positive_definite_is_refused(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  assert_false(factors((double[]){1, 2, 2, 1}, 2, &arena)); // indefinite
  assert_false(factors((double[]){1, 1, 1, 1}, 2, &arena)); // singular
  assert_false(factors((double[]){0, 0, 0, 1}, 2, &arena)); // a row without entries
  assert_false(factors((double[]){-1}, 1, &arena));
  double *dense = blocks(&arena, 1, 40); // refused by the dense factor too
  dense[39 * 40 + 39] = -1.0;
  assert_false(factors(dense, 40, &arena));
  memset(dense, 0, 1600 * sizeof *dense);
  for (int i = 0; i < 1600; ++i) dense[i] = 3.0;
  assert_false(factors(dense, 40, &arena));
  assert_true(factors(NULL, 0, &arena));
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_agree_with_dense_lu),
      cmocka_unit_test(minimum_degree_avoids_the_fill_of_an_arrow),
      cmocka_unit_test(half_solutions_square_to_the_inverse),
      cmocka_unit_test(what_is_not_positive_definite_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
