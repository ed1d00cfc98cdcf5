// Sparse LU against dense LAPACK, against permuted triangular matrices whose factors are known, and on singular and
// ill-conditioned matrices.
#include "counting_allocator.h"
#include "math/sparse_lu.h"

#include "base/random.h"
#include "math/dense.h"
#include "math/matrix.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

typedef struct sparse {
  int n, *start, *index;
  double *value;
} sparse;

static ts_matrix view(const sparse *A)
{
  return (ts_matrix){A->n, A->n, A->start, A->index, A->value};
}

// Compress a dense matrix; entries that are exactly zero are dropped.
static sparse compress(int n, const double *dense, ts_arena *arena)
{
  sparse A = {n, ts_arena_ints(arena, (size_t)n + 1), ts_arena_ints(arena, (size_t)(n * n)),
              ts_arena_doubles(arena, (size_t)(n * n))};
  int used = 0;
  for (int j = 0; j < n; ++j) {
    A.start[j] = used;
    for (int i = 0; i < n; ++i)
      if (dense[j * n + i] != 0.0) {
        A.index[used] = i;
        A.value[used++] = dense[j * n + i];
      }
  }
  A.start[n] = used;
  return A;
}

// `density` of the entries random, plus a diagonal of size `diagonal` (0: none, which makes pivoting necessary).
static double *random_dense(int n, double density, double diagonal, bool symmetric_pattern, ts_random *random,
                            ts_arena *arena)
{
  double *A = ts_arena_zeros(arena, (size_t)(n * n));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (i != j && ts_random_uniform(random, 0.0, 1.0) < density) {
        A[j * n + i] = ts_random_normal(random);
        if (symmetric_pattern) A[i * n + j] = ts_random_normal(random);
      }
  for (int i = 0; i < n; ++i) A[i * n + i] = diagonal;
  return A;
}

static double largest_difference(int n, const double *x, const double *y)
{
  double worst = 0.0;
  for (int i = 0; i < n; ++i) worst = fmax(worst, fabs(x[i] - y[i]));
  return worst;
}

static double residual(const ts_matrix *A, const double *x, const double *b, bool transposed, double *r)
{
  memcpy(r, b, (size_t)A->rows * sizeof *r);
  (transposed ? ts_matrix_transpose_multiply_add : ts_matrix_multiply_add)(A, -1.0, x, r);
  double worst = 0.0;
  for (int i = 0; i < A->rows; ++i) worst = fmax(worst, fabs(r[i]));
  return worst;
}

static void random_matrices_agree_with_lapack(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 7);
  int compared = 0;
  for (int trial = 0; trial < 200; ++trial) {
    ts_arena_reset(arena);
    const int n = 1 + ts_random_below(&random, 80);
    const double density = ts_random_uniform(&random, 1.0, 6.0) / n;
    double *dense = random_dense(n, density, trial % 3 == 0 ? 0.0 : 2.0, trial % 2 == 0, &random, arena);
    const sparse S = compress(n, dense, arena);
    const ts_matrix A = view(&S);
    double *b = ts_arena_doubles(arena, (size_t)n), *x = ts_arena_doubles(arena, (size_t)n);
    double *y = ts_arena_doubles(arena, (size_t)n), *r = ts_arena_doubles(arena, (size_t)n);
    for (int i = 0; i < n; ++i) b[i] = ts_random_normal(&random);

    ts_sparse_lu lu;
    ts_sparse_lu_init(&lu, n, arena);
    ts_sparse_lu_order(&lu, &A);
    int *pivots = ts_arena_ints(arena, (size_t)n);
    const bool regular = ts_lu_factor(n, dense, pivots) && fabs(dense[n * n - 1]) > 1e-8;
    if (!regular) continue; // structurally singular draws; singular matrices have their own test
    assert_true(ts_sparse_lu_factor(&lu, &A));
    for (int transposed = 0; transposed < 2; ++transposed) {
      memcpy(x, b, (size_t)n * sizeof *x);
      memcpy(y, b, (size_t)n * sizeof *y);
      (transposed ? ts_sparse_lu_solve_transposed : ts_sparse_lu_solve)(&lu, x);
      (transposed ? ts_lu_solve_transposed : ts_lu_solve)(n, dense, pivots, y);
      double size = 1.0;
      for (int i = 0; i < n; ++i) size = fmax(size, fabs(y[i]));
      assert_true(largest_difference(n, x, y) < 1e-7 * size); // both backward stable, condition up to about 1e8
      assert_true(residual(&A, x, b, transposed, r) < 1e-11 * size);
    }
    ++compared;
  }
  assert_true(compared > 100);
}

// A permuted triangular matrix can be factored without fill; COLAMD does not look for that order, but stays near it.
static void permuted_triangular_matrices_have_little_fill(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  ts_random random;
  ts_random_init(&random, 3);
  enum { N = 60 };
  int rows[N], columns[N];
  for (int i = 0; i < N; ++i) rows[i] = columns[i] = i;
  for (int i = N - 1; i > 0; --i) {
    const int a = ts_random_below(&random, i + 1), b = ts_random_below(&random, i + 1);
    const int row = rows[i], column = columns[i];
    rows[i] = rows[a], rows[a] = row;
    columns[i] = columns[b], columns[b] = column;
  }
  double *dense = ts_arena_zeros(arena, N * N);
  for (int j = 0; j < N; ++j) {
    dense[columns[j] * N + rows[j]] = 4.0;
    for (int k = 0; k < 3 && j > 0; ++k) dense[columns[j] * N + rows[ts_random_below(&random, j)]] = 0.25;
  }
  const sparse S = compress(N, dense, arena);
  const ts_matrix A = view(&S);
  ts_sparse_lu lu;
  ts_sparse_lu_init(&lu, N, arena);
  ts_sparse_lu_order(&lu, &A);
  assert_true(ts_sparse_lu_factor(&lu, &A));
  assert_true(lu.lower.start[N] + lu.upper.start[N] + N < 2 * (size_t)S.start[N]);
  double x[N], b[N], r[N];
  for (int i = 0; i < N; ++i) x[i] = b[i] = ts_random_normal(&random);
  ts_sparse_lu_solve(&lu, x);
  assert_true(residual(&A, x, b, false, r) < 1e-14);
}

static void singular_matrices_are_reported(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  enum { N = 30 };
  // An empty column, two equal columns of integers (elimination is exact), and an empty row.
  for (int kind = 0; kind < 3; ++kind) {
    double *dense = ts_arena_zeros(arena, N * N);
    for (int i = 0; i < N; ++i) {
      dense[i * N + i] = 1.0;
      dense[i * N + (i + 7) % N] = 2.0;
    }
    for (int i = 0; i < N; ++i) {
      if (kind == 0) dense[11 * N + i] = 0.0;
      if (kind == 1) dense[11 * N + i] = dense[12 * N + i];
      if (kind == 2) dense[i * N + 11] = 0.0;
    }
    const sparse S = compress(N, dense, arena);
    const ts_matrix A = view(&S);
    ts_sparse_lu lu;
    ts_sparse_lu_init(&lu, N, arena);
    ts_sparse_lu_order(&lu, &A);
    assert_false(ts_sparse_lu_factor(&lu, &A));
    assert_true(lu.singular_column >= 0);
    assert_true(lu.pivot_ratio == 0.0);
    if (kind == 0) assert_int_equal(lu.singular_column, 11);
    // The object serves the next matrix as if nothing had happened.
    double *identity = ts_arena_zeros(arena, N * N);
    for (int i = 0; i < N; ++i) identity[i * N + i] = 3.0;
    const sparse I = compress(N, identity, arena);
    const ts_matrix regular = view(&I);
    assert_true(ts_sparse_lu_factor(&lu, &regular));
    double x[N];
    for (int i = 0; i < N; ++i) x[i] = i;
    ts_sparse_lu_solve(&lu, x);
    for (int i = 0; i < N; ++i) assert_true(fabs(x[i] - i / 3.0) < 1e-15 * N);
  }
}

// Five-point Laplacian with a convection term on a side x side grid.
static sparse grid_matrix(int side, double convection, ts_arena *arena)
{
  const int n = side * side;
  sparse A = {n, ts_arena_ints(arena, (size_t)n + 1), ts_arena_ints(arena, (size_t)(5 * n)),
              ts_arena_doubles(arena, (size_t)(5 * n))};
  int used = 0;
  for (int j = 0; j < n; ++j) {
    A.start[j] = used;
    const int offsets[5] = {-side, -1, 0, 1, side};
    for (int k = 0; k < 5; ++k) {
      const int i = j + offsets[k];
      const bool beside = k == 1 || k == 3;
      if (i < 0 || i >= n || (beside && i / side != j / side)) continue;
      A.index[used] = i;
      A.value[used++] = k == 2 ? 4.0 : k < 2 ? -1.0 - convection : -1.0 + convection;
    }
  }
  A.start[n] = used;
  return A;
}

static void refactoring_uses_the_old_pivots_and_notices_when_they_fail(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  const sparse S = grid_matrix(20, 0.3, arena);
  const int n = S.n;
  const ts_matrix A = view(&S);
  ts_sparse_lu lu;
  ts_sparse_lu_init(&lu, n, arena);
  ts_sparse_lu_order(&lu, &A);
  assert_true(ts_sparse_lu_factor(&lu, &A));
  double *x = ts_arena_doubles(arena, (size_t)n), *b = ts_arena_doubles(arena, (size_t)n);
  double *r = ts_arena_doubles(arena, (size_t)n);
  for (int k = 0; k < S.start[n]; ++k) S.value[k] *= 1.0 + 0.3 * sin(k);
  assert_true(ts_sparse_lu_refactor(&lu, &A));
  for (int i = 0; i < n; ++i) x[i] = b[i] = cos(i);
  ts_sparse_lu_solve(&lu, x);
  assert_true(residual(&A, x, b, false, r) < 1e-13);
  // Pivots that vanish are refused, and a fresh factorization finds others.
  for (int j = 0; j < n; ++j)
    for (int k = S.start[j]; k < S.start[j + 1]; ++k) S.value[k] = S.index[k] == j ? 1e-9 : S.value[k];
  assert_false(ts_sparse_lu_refactor(&lu, &A));
  if (ts_sparse_lu_factor(&lu, &A)) {
    memcpy(x, b, (size_t)n * sizeof *x);
    ts_sparse_lu_solve(&lu, x);
    double size = 1.0;
    for (int i = 0; i < n; ++i) size = fmax(size, fabs(x[i]));
    assert_true(residual(&A, x, b, false, r) < 1e-11 * size);
  }
}

// Rows scaled over 12 decades: refinement brings the residual of every row to the rounding of that row.
static void refinement_repairs_an_ill_conditioned_system(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  const sparse S = grid_matrix(15, 0.1, arena);
  const int n = S.n;
  for (int k = 0; k < S.start[n]; ++k) S.value[k] *= pow(10.0, S.index[k] % 13 - 6);
  const ts_matrix A = view(&S);
  ts_sparse_lu lu;
  ts_sparse_lu_init(&lu, n, arena);
  ts_sparse_lu_order(&lu, &A);
  assert_true(ts_sparse_lu_factor(&lu, &A));
  double *exact = ts_arena_doubles(arena, (size_t)n), *b = ts_arena_zeros(arena, (size_t)n);
  double *x = ts_arena_doubles(arena, (size_t)n), *scratch = ts_arena_doubles(arena, (size_t)n);
  for (int i = 0; i < n; ++i) exact[i] = 1.0 + sin(i);
  ts_matrix_multiply_add(&A, 1.0, exact, b);
  memcpy(x, b, (size_t)n * sizeof *x);
  ts_sparse_lu_solve(&lu, x);
  ts_sparse_lu_refine(&lu, &A, b, x, scratch);
  // Row scaling does not change the solution, whose condition is that of the grid, about 100.
  assert_true(largest_difference(n, x, exact) < 1e-12);
}

static void a_second_factorization_of_the_same_size_allocates_nothing(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  const sparse S = grid_matrix(40, 0.3, arena);
  const ts_matrix A = view(&S);
  ts_sparse_lu lu;
  ts_sparse_lu_init(&lu, S.n, arena);
  ts_sparse_lu_order(&lu, &A);
  assert_true(ts_sparse_lu_factor(&lu, &A));
  const size_t used = ts_arena_in_use(arena);
  assert_true(ts_sparse_lu_factor(&lu, &A));
  assert_int_equal(ts_arena_in_use(arena), used);
  // AMD keeps the fill of a 40 x 40 grid to a few times n log n; the natural order would give 40 n.
  assert_true(lu.lower.start[S.n] < (size_t)(12 * S.n));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_matrices_agree_with_lapack),
      cmocka_unit_test(permuted_triangular_matrices_have_little_fill),
      cmocka_unit_test(singular_matrices_are_reported),
      cmocka_unit_test(refactoring_uses_the_old_pivots_and_notices_when_they_fail),
      cmocka_unit_test(refinement_repairs_an_ill_conditioned_system),
      cmocka_unit_test(a_second_factorization_of_the_same_size_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
