// The common view of LCPs, MLCPs and MCPs: both storages show the same problem, scaling changes nothing but the
// variables, and the residual agrees with the certificate, which is other code.
#include "counting_allocator.h"
#include "complementarity/newton/mcp_view.h"

#include "math/matrix.h"
#include "mcp_generator.h"
#include "touchstone/builtin.h"
#include "touchstone/certificate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { N = 30 };

static void some_point(double *z)
{
  for (int i = 0; i < N; ++i) z[i] = sin(3.0 * i) + 0.2;
}

static void assert_close(const double *x, const double *y, int n, double tolerance)
{
  for (int i = 0; i < n; ++i) assert_true(fabs(x[i] - y[i]) <= tolerance * (1.0 + fabs(y[i])));
}

static void both_storages_show_the_same_problem(void **state)
{
  ts_arena *arena = *state;
  for (int class = 0; class < MCP_CLASS_COUNT; ++class) {
    ts_arena_reset(arena);
    mcp_instance *instance = mcp_generate((mcp_class) class, N, 11);
    ts_mcp_view dense, sparse;
    ts_mcp_view_init(&dense, mcp_instance_problem(instance), TS_STORE_DENSE, arena);
    ts_mcp_view_init(&sparse, mcp_instance_problem(instance), TS_STORE_SPARSE, arena);
    assert_true(ts_matrix_is_dense(&dense.J));
    assert_int_equal(ts_matrix_is_dense(&sparse.J), class == MCP_NONLINEAR); // a dense callback stays dense
    double z[N], F[N], G[N], J[N * N], K[N * N];
    some_point(z);
    assert_true(ts_mcp_view_evaluate(&dense, z, F) && ts_mcp_view_evaluate(&sparse, z, G));
    assert_close(F, G, N, 1e-14);
    assert_true(ts_mcp_view_jacobian(&dense, z) && ts_mcp_view_jacobian(&sparse, z));
    ts_matrix_to_dense(&dense.J, J, N);
    ts_matrix_to_dense(&sparse.J, K, N);
    assert_memory_equal(J, K, sizeof J);
    for (int i = 0; sparse.diagonal && i < N; ++i) assert_int_equal(sparse.J.index[sparse.diagonal[i]], i);
    mcp_instance_destroy(instance);
  }
}

// A matrix without diagonal entries gets them as zeros, in their place.
static void the_diagonal_of_a_sparse_view_is_complete(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  const int start[] = {0, 1, 2, 4}, index[] = {2, 0, 0, 1};
  const double value[] = {5.0, 6.0, 7.0, 8.0}, q[] = {1.0, 2.0, 3.0};
  const ts_problem lcp = ts_problem_lcp((ts_lcp){3, {3, 3, start, index, value}, q});
  ts_mcp_view view;
  ts_mcp_view_init(&view, &lcp, TS_STORE_SPARSE, arena);
  const int expected_start[] = {0, 2, 4, 7}, expected_index[] = {0, 2, 0, 1, 0, 1, 2};
  const double expected_value[] = {0, 5, 6, 0, 7, 8, 0};
  assert_memory_equal(view.J.start, expected_start, sizeof expected_start);
  assert_memory_equal(view.J.index, expected_index, sizeof expected_index);
  assert_memory_equal(view.J.value, expected_value, sizeof expected_value);
}

static void scaling_is_exact(void **state)
{
  ts_arena *arena = *state;
  const mcp_class classes[] = {MCP_SPARSE_P, MCP_NONLINEAR};
  for (int k = 0; k < 2; ++k) {
    ts_arena_reset(arena);
    mcp_instance *instance = mcp_generate(classes[k], N, 12);
    ts_mcp_view plain, scaled;
    ts_mcp_view_init(&plain, mcp_instance_problem(instance), TS_STORE_AUTO, arena);
    ts_mcp_view_init(&scaled, mcp_instance_problem(instance), TS_STORE_AUTO, arena);
    double z[N], y[N], back[N], F[N], G[N];
    some_point(z);
    assert_true(ts_mcp_view_jacobian(&scaled, z));
    ts_mcp_view_scale(&scaled);
    ts_mcp_view_from_problem(&scaled, z, y);
    ts_mcp_view_to_problem(&scaled, y, back);
    assert_memory_equal(z, back, sizeof z);
    assert_true(ts_mcp_view_evaluate(&plain, z, F) && ts_mcp_view_evaluate(&scaled, y, G));
    for (int i = 0; i < N; ++i) {
      int exponent;
      assert_true(frexp(scaled.scale[i], &exponent) == 0.5); // a power of two
      assert_true(G[i] == scaled.scale[i] * F[i]);           // so nothing was rounded
    }
    assert_true(ts_mcp_view_jacobian(&scaled, y));
    double largest = 0.0;
    const size_t entries = ts_matrix_entries(&scaled.J);
    for (size_t e = 0; e < entries; ++e) largest = fmax(largest, fabs(scaled.J.value[e]));
    assert_true(largest <= 2.0 && largest >= 0.5);
    mcp_instance_destroy(instance);
  }
}

static void the_residual_is_that_of_the_certificate(void **state)
{
  ts_arena *arena = *state;
  for (int class = 0; class < MCP_CLASS_COUNT; ++class) {
    ts_arena_reset(arena);
    mcp_instance *instance = mcp_generate((mcp_class) class, N, 13);
    const ts_problem *problem = mcp_instance_problem(instance);
    ts_mcp_view view;
    ts_mcp_view_init(&view, problem, TS_STORE_AUTO, arena);
    double z[N], F[N];
    some_point(z);
    assert_true(ts_mcp_view_evaluate(&view, z, F) && ts_mcp_view_jacobian(&view, z));
    const double expected = ts_problem_residual(problem, z);
    assert_true(fabs(ts_mcp_view_residual(&view, z, F) - expected) < 1e-12 * expected);
    ts_mcp_view_scale(&view); // no matter what the view shows
    ts_mcp_view_from_problem(&view, z, z);
    assert_true(ts_mcp_view_evaluate(&view, z, F) && ts_mcp_view_jacobian(&view, z));
    assert_true(fabs(ts_mcp_view_residual(&view, z, F) - expected) < 1e-12 * expected);
    mcp_instance_destroy(instance);
  }
}

static void a_cold_start_is_where_the_problem_is_defined(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  ts_builtin *builtin;
  assert_int_equal(ts_builtin_create("nash", 0, &builtin, NULL), TS_OK);
  ts_mcp_view view;
  ts_mcp_view_init(&view, ts_builtin_problem(builtin), TS_STORE_AUTO, arena);
  double z[10], F[10];
  memset(z, 0, sizeof z);
  assert_false(ts_mcp_view_evaluate(&view, z, F));
  assert_true(ts_mcp_view_cold_start(&view, z, F));
  for (int i = 0; i < 10; ++i) assert_true(z[i] > 0.0 && isfinite(F[i]));
  ts_builtin_destroy(builtin);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_storages_show_the_same_problem),
      cmocka_unit_test(the_diagonal_of_a_sparse_view_is_complete),
      cmocka_unit_test(scaling_is_exact),
      cmocka_unit_test(the_residual_is_that_of_the_certificate),
      cmocka_unit_test(a_cold_start_is_where_the_problem_is_defined),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
