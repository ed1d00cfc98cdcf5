// The core inverse under exchanges of all four kinds, against the core itself.
#include "complementarity/linear/basis.h"

#include "base/random.h"
#include "lcp_generator.h"
#include "linear_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { N = 24 };

static double core_entry(const ts_basis *b, int r, int c)
{
  return b->columns[c] < N ? ts_boxed_entry(b->problem, b->rows[r], b->columns[c]) : b->cover[b->rows[r]];
}

// max |C X - I|, relative to the size of X.
static double inverse_error(const ts_basis *b)
{
  double worst = 0.0, size = 1.0;
  for (int j = 0; j < b->core; ++j)
    for (int i = 0; i < b->core; ++i) {
      double sum = i == j ? -1.0 : 0.0;
      for (int k = 0; k < b->core; ++k) sum += core_entry(b, i, k) * b->X[j * b->capacity + k];
      worst = fmax(worst, fabs(sum));
      size = fmax(size, fabs(b->X[j * b->capacity + i]));
    }
  return worst / size;
}

// A variable that is not basic, at random.
static int random_outsider(const ts_basis *b, ts_random *random)
{
  for (;;) {
    const int v = ts_random_below(random, 2 * N + 1);
    if (v <= N ? b->column_place[v] < 0 : b->row_place[v - N - 1] >= 0) return v;
  }
}

// The basic variable with the largest pivot among a few at random, or -1.
static int random_leaver(const ts_basis *b, ts_random *random)
{
  int best = -1;
  double largest = 0.1;
  for (int k = 0; k < 6; ++k) {
    const int v = ts_random_below(random, 2 * N + 1);
    if (v <= N ? b->column_place[v] < 0 : b->row_place[v - N - 1] >= 0) continue;
    const double pivot = fabs(v <= N ? b->y[b->column_place[v]] : b->slope[v - N - 1]);
    if (pivot > largest) largest = pivot, best = v;
  }
  return best;
}

static void exchange_at_random(const ts_problem *problem, uint64_t seed)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_boxed boxed;
  ts_boxed_init(&boxed, problem, &arena);
  double cover[N];
  for (int i = 0; i < N; ++i) cover[i] = 1.0 + 0.1 * i;
  ts_basis basis;
  ts_basis_init(&basis, &boxed, cover, &arena);
  ts_random random;
  ts_random_init(&random, seed);
  int kinds[2][2] = {{0, 0}, {0, 0}};
  for (int step = 0; step < 400; ++step) {
    const int entering = random_outsider(&basis, &random);
    ts_basis_column(&basis, entering);
    const int leaving = random_leaver(&basis, &random);
    if (leaving < 0) continue;
    ++kinds[entering > N][leaving > N];
    assert_true(ts_basis_exchange(&basis, entering, leaving));
    if (step % 10 == 0) assert_true(inverse_error(&basis) <= 1e-9);
  }
  assert_true(kinds[0][0] > 0 && kinds[0][1] > 0 && kinds[1][0] > 0 && kinds[1][1] > 0);
  assert_true(ts_basis_refactor(&basis) > 0.0);
  assert_true(inverse_error(&basis) <= 1e-13);
  ts_arena_release(&arena);
}

static void the_inverse_survives_exchanges(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    lcp_instance one = lcp_generate(LCP_SPD, N, seed);
    const ts_problem dense = ts_problem_lcp(one.lcp);
    exchange_at_random(&dense, seed);
    double *M = (double *)one.lcp.M.value;
    for (int k = 0; k < N * N; ++k)
      if (k / N != k % N && (k / N + k % N) % 6 != 1) M[k] = 0.0; // sparse enough to be stored so
    exchange_at_random(&dense, seed);
    lcp_instance_release(&one);
  }
}

static void solve_leaves_no_residual(void **state)
{
  (void)state;
  lcp_instance one = lcp_generate(LCP_SPD, N, 3);
  const ts_problem problem = ts_problem_lcp(one.lcp);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_boxed boxed;
  ts_boxed_init(&boxed, &problem, &arena);
  ts_basis basis;
  ts_basis_init(&basis, &boxed, NULL, &arena);
  int list[N / 2];
  for (int i = 0; i < N / 2; ++i) list[i] = 2 * i;
  assert_true(ts_basis_set(&basis, N / 2, list, list) > 1e-6);
  double w[N], x[N], z[N] = {0}, product[N];
  for (int i = 0; i < N; ++i) w[i] = product[i] = boxed.q[i];
  assert_true(ts_basis_solve(&basis, w, x) <= 1e-14);
  for (int c = 0; c < N / 2; ++c) z[basis.columns[c]] = x[c];
  ts_boxed_multiply_add(&boxed, z, product);
  assert_true(largest_difference(N, w, product) <= 1e-14);
  for (int i = 0; i < N / 2; ++i) assert_true(fabs(product[2 * i]) <= 1e-14);
  ts_arena_release(&arena);
  lcp_instance_release(&one);
}

static void a_singular_core_is_refused(void **state)
{
  (void)state;
  const ts_problem problem = dense_lcp(2, (double[]){1, 1, 1, 1}, (double[]){-1, -1});
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_boxed boxed;
  ts_boxed_init(&boxed, &problem, &arena);
  ts_basis basis;
  ts_basis_init(&basis, &boxed, NULL, &arena);
  assert_true(ts_basis_set(&basis, 2, (int[]){0, 1}, (int[]){0, 1}) == 0.0);
  assert_int_equal(basis.core, 0);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_inverse_survives_exchanges),
      cmocka_unit_test(solve_leaves_no_residual),
      cmocka_unit_test(a_singular_core_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
