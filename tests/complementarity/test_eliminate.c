// Eliminating bilateral rows against the whole saddle-point system solved dense, redundant rows included.
#include "complementarity/problem/eliminate.h"

#include "friction_generator.h"

#include "base/random.h"
#include "math/matrix.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double *zeros(int count)
{
  double *x = calloc((size_t)count + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static void draw(int count, double *x, uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed);
  for (int k = 0; k < count; ++k) x[k] = ts_random_normal(&random);
}

// For impulses r of the contacts: R l = -(V^T r + s) by minimum norm, whatever the rank of R, and u = W r + V l + q.
static void saddle_point_velocity(const ts_friction *p, const double *r, double *u)
{
  const int m = p->dimension * p->contacts, n = p->bilaterals;
  double *R = zeros(n * n), *l = zeros(n), *singular = zeros(n);
  lapack_int rank;
  ts_matrix_to_dense(&p->R, R, (size_t)n);
  memcpy(l, p->s, (size_t)n * sizeof *l);
  ts_matrix_transpose_multiply_add(&p->V, 1.0, r, l);
  cblas_dscal(n, -1.0, l, 1);
  assert_int_equal(LAPACKE_dgelss(LAPACK_COL_MAJOR, n, n, 1, R, n, l, n, singular, 1e-11, &rank), 0);
  memcpy(u, p->q, (size_t)m * sizeof *u);
  ts_block_multiply_add(&p->W, r, u);
  ts_matrix_multiply_add(&p->V, 1.0, l, u);
  free(R);
  free(l);
  free(singular);
}

static friction_recipe jointed(int d, int contacts, int joints, bool redundant)
{
  return (friction_recipe){.dimension = d,
                           .contacts = contacts,
                           .bodies = 8,
                           .joints = joints,
                           .redundant_joint = redundant,
                           .least_mu = 0.1,
                           .most_mu = 1.0};
}

// The reduced problem's velocity is that of the whole one, and the recovered l keeps every bilateral row, the redundant
// ones too. R has a condition of up to some 1e6 on its independent rows.
static void assert_elimination(const friction_recipe *recipe, uint64_t seed)
{
  friction_sample *sample = friction_sample_create(recipe, seed);
  const ts_friction *p = &sample->local.friction;
  const int m = p->dimension * p->contacts, n = p->bilaterals;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_elimination e;
  ts_eliminate_bilaterals(&e, p, &arena);
  const int axes = p->dimension == 2 ? 2 : 3;
  assert_true(e.rank <= n - (recipe->redundant_joint ? axes : 0));
  assert_int_equal(e.reduced.bilaterals, 0);
  const ts_problem reduced = ts_problem_friction(e.reduced);
  ts_error error = {0};
  if (ts_problem_check(&reduced, &error) != TS_OK) fail_msg("%s", error.text);
  double *r = zeros(m), *u = zeros(m), *expected = zeros(m), *l = zeros(n), *rows = zeros(n);
  draw(m, r, seed);
  memcpy(u, e.reduced.q, (size_t)m * sizeof *u);
  ts_block_multiply_add(&e.reduced.W, r, u);
  saddle_point_velocity(p, r, expected);
  const double scale = 1.0 + cblas_dnrm2(m, expected, 1) + cblas_dnrm2(m, p->q, 1);
  for (int k = 0; k < m; ++k)
    if (!(fabs(u[k] - expected[k]) <= 1e-9 * scale))
      fail_msg("seed %d: row %d is %g, expected is %g", (int)seed, k, u[k], expected[k]);
  ts_elimination_recover(&e, r, l);
  memcpy(rows, p->s, (size_t)n * sizeof *rows);
  ts_matrix_transpose_multiply_add(&p->V, 1.0, r, rows);
  ts_matrix_multiply_add(&p->R, 1.0, l, rows);
  for (int k = 0; k < n; ++k)
    if (!(fabs(rows[k]) <= 1e-9 * scale)) fail_msg("seed %d: bilateral row %d is off by %g", (int)seed, k, rows[k]);
  free(r);
  free(u);
  free(expected);
  free(l);
  free(rows);
  ts_arena_release(&arena);
  friction_sample_destroy(sample);
}

static void reduced_problems_agree_with_the_saddle_point(void **state)
{
  (void)state;
  for (int d = 2; d <= 4; ++d)
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const friction_recipe recipe = jointed(d, 6, 1 + (int)seed % 4, false);
      assert_elimination(&recipe, seed);
    }
}

static void redundant_rows_do_no_harm(void **state)
{
  (void)state;
  for (int d = 2; d <= 4; ++d)
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const friction_recipe recipe = jointed(d, 6, 1 + (int)seed % 4, true);
      assert_elimination(&recipe, seed);
    }
}

// Two separate bodies, one of them hung from a joint: W = diag blocks, V acts on contact 1 alone.
static void contacts_without_joints_keep_their_blocks(void **state)
{
  (void)state;
  static const int start[] = {0, 1, 2}, index[] = {0, 1};
  static const double W[] = {2.0, 0.3, 0.3, 1.0, 4.0, 0.5, 0.5, 3.0}, q[] = {-1.0, 0.5, -2.0, 0.25};
  static const double V[] = {0.0, 0.0, 1.0, 2.0}, R[] = {5.0}, s[] = {0.7}, mu[] = {0.3, 0.4};
  const ts_friction p = {.dimension = 2,
                         .contacts = 2,
                         .bilaterals = 1,
                         .W = {2, 2, start, index, W},
                         .q = q,
                         .mu = mu,
                         .V = {.rows = 4, .columns = 1, .value = V},
                         .R = {.rows = 1, .columns = 1, .value = R},
                         .s = s};
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_elimination e;
  ts_eliminate_bilaterals(&e, &p, &arena);
  assert_memory_equal(ts_block_diagonal(&e.reduced.W, 0), W, 4 * sizeof *W); // bit for bit
  assert_int_equal(e.reduced.W.start[2], 2);                                 // and no new coupling
  assert_true(e.reduced.q[0] == q[0] && e.reduced.q[1] == q[1]);
  const double *block = ts_block_diagonal(&e.reduced.W, 1);
  const double expected[4] = {4.0 - 0.2, 0.5 - 0.4, 0.5 - 0.4, 3.0 - 0.8}; // W - V V^T / 5
  for (int k = 0; k < 4; ++k) assert_true(fabs(block[k] - expected[k]) <= 1e-15 * 8.0);
  assert_true(fabs(e.reduced.q[2] - (-2.0 - 0.14)) <= 1e-15 && fabs(e.reduced.q[3] - (0.25 - 0.28)) <= 1e-15);
  ts_arena_release(&arena);
}

// A contact on a body that a joint holds in every direction has no freedom left: exactly none, so that nothing of the
// order of round-off is scaled up later. R = 0 for a body of infinite mass leaves W as it is.
static void contacts_that_joints_hold_fast_have_no_block(void **state)
{
  (void)state;
  static const int start[] = {0, 1}, index[] = {0};
  static const double W[] = {2.0, 0.3, 0.3, 0.1}, q[] = {-1.0, 0.5}, s[] = {-1.0, 0.5}, mu[] = {0.3};
  ts_friction p = {.dimension = 2,
                   .contacts = 1,
                   .bilaterals = 2,
                   .W = {1, 2, start, index, W},
                   .q = q,
                   .mu = mu,
                   .V = {.rows = 2, .columns = 2, .value = W},
                   .R = {.rows = 2, .columns = 2, .value = W},
                   .s = s};
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_elimination e;
  ts_eliminate_bilaterals(&e, &p, &arena);
  for (int k = 0; k < 4; ++k) assert_true(e.reduced.W.value[k] == 0.0);
  for (int k = 0; k < 2; ++k) assert_true(fabs(e.reduced.q[k]) <= 1e-14); // q - V R^-1 s with V = R, s = q
  static const double nothing[4] = {0.0};
  p.R.value = p.V.value = nothing;
  p.s = nothing;
  ts_eliminate_bilaterals(&e, &p, &arena);
  assert_int_equal(e.rank, 0);
  assert_memory_equal(e.reduced.W.value, W, sizeof W);
  assert_memory_equal(e.reduced.q, q, sizeof q);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduced_problems_agree_with_the_saddle_point),
      cmocka_unit_test(redundant_rows_do_no_harm),
      cmocka_unit_test(contacts_without_joints_keep_their_blocks),
      cmocka_unit_test(contacts_that_joints_hold_fast_have_no_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
