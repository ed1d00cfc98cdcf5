// W = J M^-1 J^T along paths, against the dense product with the composite-body matrix.
#include "dynamics/tree.h"

#include "math/dense.h"
#include "tree_rig.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

// J M^-1 J^T by Cholesky
static double *dense_compliance(tree_rig *rig, const ts_tree_row *rows, int count, const double *softness)
{
  ts_arena *arena = &rig->l.arena;
  const int n = rig->n.v;
  double *M = ts_arena_doubles(arena, (size_t)(n * n)), *W = ts_arena_doubles(arena, (size_t)(count * count));
  const double *J = tree_rig_row_jacobian(rig, rows, count, arena);
  double *x = ts_arena_doubles(arena, (size_t)n);
  ts_tree_mass_matrix(rig->tree, M);
  if (softness)
    for (int i = 0; i < n; ++i) M[i * n + i] += softness[i];
  assert_true(n == 0 || ts_cholesky_factor(n, M));
  for (int i = 0; i < count; ++i) {
    memcpy(x, J + i * n, (size_t)n * sizeof *x);
    if (n > 0) ts_cholesky_solve(n, M, x);
    for (int j = 0; j < count; ++j) {
      W[i * count + j] = 0.0;
      for (int k = 0; k < n; ++k) W[i * count + j] += x[k] * J[j * n + k];
    }
  }
  return W;
}

// Largest difference relative to the largest entry; symmetric to the bit, exactly zero where nothing is shared.
static double compare(tree_rig *rig, const ts_tree_row *rows, int count, const double *softness)
{
  double *mine = ts_arena_doubles(&rig->l.arena, (size_t)(count * count));
  assert_true(ts_tree_factor(rig->tree, softness, NULL));
  ts_tree_compliance(rig->tree, rows, count, mine, &rig->l.arena);
  const double *theirs = dense_compliance(rig, rows, count, softness);
  const double scale = largest_of(theirs, count * count);
  double worst = 0.0;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      assert_true(mine[i * count + j] == mine[j * count + i]);
      worst = fmax(worst, fabs(mine[i * count + j] - theirs[i * count + j]));
    }
  return scale > 0.0 ? worst / scale : worst;
}

static void random_trees_agree_with_dense_algebra(void **state)
{
  enum { TREES = 1000, MOST_ROWS = 30 };
  (void)state;
  ts_random random;
  ts_random_init(&random, 101);
  double worst = 0.0;
  for (int round = 0; round < TREES; ++round) {
    tree_rig rig;
    ts_tree_row rows[MOST_ROWS];
    tree_rig_random(&rig, round % 5 ? TS_SPACE_3D : TS_SPACE_2D, 1 + ts_random_below(&random, 14), round % 3, &random);
    const int count = 1 + ts_random_below(&random, MOST_ROWS);
    for (int i = 0; i < count; ++i) rows[i] = tree_rig_random_row(&rig, &random);
    double *softness = ts_arena_zeros(&rig.l.arena, (size_t)rig.n.v);
    for (int i = 0; i < rig.n.v; ++i)
      if (ts_random_below(&random, 3) == 0) softness[i] = ts_random_uniform(&random, 0.0, 3.0);
    worst = fmax(worst, compare(&rig, rows, count, round % 2 ? softness : NULL));
    tree_rig_release(&rig);
  }
  print_message("%d random trees: W differs by at most %.1e\n", TREES, worst);
  assert_true(worst < 1e-11);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees_agree_with_dense_algebra),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
