// The scaled form of linear problems: exact scaling there and back, both storages, products.
#include "complementarity/linear/boxed.h"

#include "lcp_generator.h"
#include "linear_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define INF ((double)INFINITY)

static void scaling_is_exact_and_balances(void **state)
{
  (void)state;
  enum { N = 12 };
  double M[N * N], q[N];
  lcp_instance one = lcp_generate(LCP_SPD, N, 1);
  for (int j = 0; j < N; ++j) {
    for (int i = 0; i < N; ++i) M[j * N + i] = one.lcp.M.value[j * N + i] * pow(10.0, i - j % 5);
    q[j] = one.lcp.q[j] * pow(10.0, j);
  }
  const ts_problem problem = dense_lcp(N, M, q);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_boxed p;
  ts_boxed_init(&p, &problem, &arena);
  double data = 0.0;
  for (int i = 0; i < N; ++i) {
    double row = 0.0, column = 0.0;
    for (int j = 0; j < N; ++j) {
      const double entry = ts_boxed_entry(&p, i, j);
      assert_true(entry == M[j * N + i] * (p.row_scale[i] * p.column_scale[j])); // powers of two: no rounding
      row = fmax(row, fabs(entry));
      column = fmax(column, fabs(ts_boxed_entry(&p, j, i)));
    }
    assert_true(row >= 0.125 && row <= 8.0 && column >= 0.125 && column <= 8.0);
    assert_true(p.q[i] == q[i] * p.row_scale[i]);
    data = fmax(data, fabs(p.q[i]));
  }
  assert_true(data >= 0.5 && data <= 1.0);
  double z[N], scaled[N], back[N];
  for (int i = 0; i < N; ++i) z[i] = 1.0 / (1.0 + i);
  ts_boxed_scale(&p, z, scaled);
  ts_boxed_unscale(&p, &problem, scaled, back);
  assert_memory_equal(z, back, sizeof z);
  ts_arena_release(&arena);
  lcp_instance_release(&one);
}

static void storages_give_the_same_products(void **state)
{
  (void)state;
  enum { N = 40 };
  static double M[N * N];
  double q[N] = {0}, x[N], by_sparse[N] = {0}, by_hand[N] = {0};
  for (int k = 0; k < N * N; ++k) M[k] = (k * 7 + k / N) % 11 == 0 ? 1.0 + k % 3 : 0.0;
  for (int i = 0; i < N; ++i) x[i] = i % 4 ? 1.0 / (1 + i) : 0.0;
  q[0] = -1.0;
  const ts_problem problem = dense_lcp(N, M, q);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_boxed p;
  ts_boxed_init(&p, &problem, &arena);
  assert_null(p.dense); // one entry in eleven
  ts_boxed_multiply_add(&p, x, by_sparse);
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < N; ++i) by_hand[i] += ts_boxed_entry(&p, i, j) * x[j];
  assert_true(largest_difference(N, by_sparse, by_hand) <= 1e-15);
  for (int i = 0; i < N; ++i) // rows are the columns turned
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      assert_true(p.row_value[k] == ts_boxed_entry(&p, i, p.column_of_entry[k]));
  assert_int_equal(p.row_start[N], p.column_start[N]);
  ts_arena_release(&arena);
}

static void huge_bounds_are_none(void **state)
{
  (void)state;
  const double lower[] = {-1e20, -1e19, 0}, upper[] = {1e30, INF, 1e20};
  const ts_problem problem = dense_mlcp(3, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, (double[]){1, 1, 1}, lower, upper);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_boxed p;
  ts_boxed_init(&p, &problem, &arena);
  assert_true(ts_boxed_is_free(&p, 0));
  assert_true(isfinite(p.lower[1]) && p.upper[1] == INF && p.lower[2] == 0.0 && p.upper[2] == INF);
  ts_arena_release(&arena);
}

static void natural_map_by_hand(void **state)
{
  (void)state;
  const ts_problem problem = dense_mlcp(2, (double[]){1, 0, 0, 1}, (double[]){-1, 0.5}, (double[]){0, -1},
                                        (double[]){0.5, 1}); // z = (0.5, -0.5)
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_boxed p;
  ts_boxed_init(&p, &problem, &arena);
  double w[2], z[2];
  ts_boxed_scale(&p, (double[]){0.5, -0.5}, z);
  assert_true(ts_boxed_natural(&p, z, w) == 0.0);
  ts_boxed_scale(&p, (double[]){0.25, -0.5}, z);
  assert_true(ts_boxed_natural(&p, z, w) * p.column_scale[0] == 0.25);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scaling_is_exact_and_balances),
      cmocka_unit_test(storages_give_the_same_products),
      cmocka_unit_test(huge_bounds_are_none),
      cmocka_unit_test(natural_map_by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
