// The damped least-squares step, three ways: the condition J^T (J d + phi) + lambda d = 0 that defines it, and each way
// against the others.
#include "counting_allocator.h"
#include "complementarity/newton/damped_step.h"

#include "complementarity/newton/mcp_view.h"
#include "math/matrix.h"
#include "mcp_generator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { N = 40 };

// Largest component of J^T (J d + phi) + lambda d.
static double optimality(const ts_matrix *J, const double *phi, double lambda, const double *d)
{
  double r[N], g[N], worst = 0.0;
  memcpy(r, phi, sizeof r);
  ts_matrix_multiply_add(J, 1.0, d, r);
  for (int i = 0; i < N; ++i) g[i] = lambda * d[i];
  ts_matrix_transpose_multiply_add(J, 1.0, r, g);
  for (int i = 0; i < N; ++i) worst = fmax(worst, fabs(g[i]));
  return worst;
}

static void three_ways_give_the_same_step(void **state)
{
  ts_arena *arena = *state;
  for (int seed = 1; seed <= 10; ++seed) {
    ts_arena_reset(arena);
    mcp_instance *instance = mcp_generate(MCP_SPARSE_P, N, (uint64_t)seed);
    ts_mcp_view dense, sparse;
    ts_mcp_view_init(&dense, mcp_instance_problem(instance), TS_STORE_DENSE, arena);
    ts_mcp_view_init(&sparse, mcp_instance_problem(instance), TS_STORE_SPARSE, arena);
    ts_damped_step normal, stacked, augmented;
    ts_damped_step_init(&normal, &dense.J, TS_NORMAL_EQUATIONS, arena);
    ts_damped_step_init(&stacked, &dense.J, TS_STACKED_QR, arena);
    ts_damped_step_init(&augmented, &sparse.J, TS_STACKED_QR, arena);
    double phi[N], a[N], b[N], c[N];
    for (int i = 0; i < N; ++i) phi[i] = cos(i + seed);
    ts_damped_step_load(&normal, &dense.J, phi);
    ts_damped_step_load(&stacked, &dense.J, phi);
    ts_damped_step_load(&augmented, &sparse.J, phi);
    for (int i = 0; i < N; ++i) assert_true(fabs(normal.gradient[i] - augmented.gradient[i]) < 1e-12);
    const double lambdas[] = {1e3, 1.0, 1e-3, 1e-8, 1e-16};
    for (int k = 0; k < 5; ++k) {
      assert_true(ts_damped_step_solve(&normal, lambdas[k], phi, a));
      assert_true(ts_damped_step_solve(&stacked, lambdas[k], phi, b));
      assert_true(ts_damped_step_solve(&augmented, lambdas[k], phi, c));
      assert_true(optimality(&dense.J, phi, lambdas[k], a) < 1e-11);
      assert_true(optimality(&dense.J, phi, lambdas[k], b) < 1e-11);
      // Sparse steps may leave out a damping that changes them by less than 1e-8.
      assert_true(optimality(&dense.J, phi, lambdas[k], c) < 1e-6);
      for (int i = 0; i < N; ++i) {
        assert_true(fabs(a[i] - b[i]) < 1e-10);
        assert_true(fabs(c[i] - b[i]) < 1e-6);
      }
    }
    mcp_instance_destroy(instance);
  }
}

// A singular J: damping picks the step of least norm, undamped there is none.
static void a_singular_jacobian_needs_damping(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  const int start[] = {0, 1, 2}, index[] = {0, 0};
  const double full[] = {1.0, 0.0, 1.0, 0.0}, entries[] = {1.0, 1.0}, phi[] = {-2.0, 0.0};
  const ts_matrix dense = {2, 2, NULL, NULL, full}, sparse = {2, 2, start, index, entries};
  ts_damped_step normal, augmented;
  double d[2];
  ts_damped_step_init(&normal, &dense, TS_NORMAL_EQUATIONS, arena);
  ts_damped_step_load(&normal, &dense, phi);
  assert_false(ts_damped_step_solve(&normal, 0.0, phi, d));
  assert_true(ts_damped_step_solve(&normal, 1e-8, phi, d));
  assert_true(fabs(d[0] - 1.0) < 1e-7 && fabs(d[1] - 1.0) < 1e-7);
  ts_damped_step_init(&augmented, &sparse, TS_STACKED_QR, arena);
  ts_damped_step_load(&augmented, &sparse, phi);
  assert_false(ts_damped_step_solve(&augmented, 0.0, phi, d));
  assert_true(ts_damped_step_solve(&augmented, 1e-8, phi, d));
  assert_true(fabs(d[0] - 1.0) < 1e-7 && fabs(d[1] - 1.0) < 1e-7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_ways_give_the_same_step),
      cmocka_unit_test(a_singular_jacobian_needs_damping),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
