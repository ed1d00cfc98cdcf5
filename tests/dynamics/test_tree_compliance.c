// W = J M^-1 J^T along paths, against the dense product with the composite-body matrix.
#include "dynamics/tree.h"

#include "counting_allocator.h"
#include "math/dense.h"
#include "tree_rig.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "gives_back.h"
#include "near.h"

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

// Contacts on most links of a chain, on one link alone, and rates all along it: bundles end at every link.
static void crowded_chains_agree_with_dense_algebra(void **state)
{
  enum { LINKS = 40, ROWS = 3 * LINKS };
  (void)state;
  ts_random random;
  ts_random_init(&random, 102);
  for (int round = 0; round < 6; ++round) {
    tree_rig rig;
    ts_tree_row rows[ROWS];
    tree_rig_chain(&rig, LINKS);
    tree_rig_scatter(&rig, &random);
    for (int i = 0; i < LINKS; ++i) {
      const int body = round % 3 == 1 ? LINKS / 2 : (7 * i) % LINKS;
      const ts_vec3 at = ts_add(rig.l.state.pose[body].position, random_in_cube(&random, 0.5));
      tree_rig_point_rows(&rig, body, at, rows + 3 * i);
      if (round % 3 == 2) rows[3 * i].rate = i;
    }
    assert_true(compare(&rig, rows, ROWS, NULL) < 1e-11);
    tree_rig_release(&rig);
  }
}

// What a contact or two on one body are: up to six forces, which walk without bundles, and one more, which does not.
static void few_forces_on_a_body_agree_with_dense_algebra(void **state)
{
  enum { MOST = 7 };
  (void)state;
  ts_random random;
  ts_random_init(&random, 104);
  for (int round = 0; round < 300; ++round) {
    tree_rig rig;
    ts_tree_row rows[9];
    tree_rig_random(&rig, round % 5 ? TS_SPACE_3D : TS_SPACE_2D, 1 + ts_random_below(&random, 14), round % 3, &random);
    const int body = ts_tree_node_at(rig.tree, ts_random_below(&random, rig.n.nodes))->body;
    for (int i = 0; i < 3; ++i) {
      const ts_vec3 at = ts_add(rig.l.state.pose[body].position, random_in_cube(&random, 0.5));
      tree_rig_point_rows(&rig, body, at, rows + 3 * i);
    }
    assert_true(compare(&rig, rows, 1 + round % MOST, NULL) < 1e-11);
    tree_rig_release(&rig);
  }
}

// Bodies that no joint of the tree joins, and all that the world lies between
static void separate_trees_do_not_feel_each_other(void **state)
{
  const ts_vec3 z = {0.0, 0.0, 1.0}, none = {0.0, 0.0, 0.0};
  (void)state;
  ts_random random;
  ts_random_init(&random, 103);
  tree_rig rig;
  linkage_init(&rig.l, TS_SPACE_3D);
  for (int i = 0; i < 4; ++i) linkage_random_body(&rig.l, TS_DYNAMIC, &random);
  linkage_joint(&rig.l, TS_JOINT_REVOLUTE, TS_WORLD, 0, none, z, none);
  linkage_joint(&rig.l, TS_JOINT_SPHERICAL, TS_WORLD, 1, none, z, none);
  linkage_joint(&rig.l, TS_JOINT_PRISMATIC, 1, 2, none, z, none);
  tree_rig_start(&rig, NULL);
  ts_tree_row rows[12];
  double W[12 * 12];
  for (int body = 0; body < 4; ++body) tree_rig_point_rows(&rig, body, random_in_cube(&random, 1.0), rows + 3 * body);
  assert_true(compare(&rig, rows, 12, NULL) < 1e-13);
  ts_tree_compliance(rig.tree, rows, 12, W, &rig.l.arena);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) {
      const int a = i / 3, b = j / 3;
      const bool together = a == b || (a == 1 && b == 2) || (a == 2 && b == 1);
      assert_true(together || W[i * 12 + j] == 0.0);
    }
  tree_rig_release(&rig);
}

// Impulses p on rows change their rates by W p, through the forces on bodies and joints.
static void rows_push_and_are_moved(void **state)
{
  enum { ROWS = 9 };
  (void)state;
  ts_random random;
  ts_random_init(&random, 104);
  for (int round = 0; round < 100; ++round) {
    tree_rig rig;
    ts_tree_row rows[ROWS];
    double W[ROWS * ROWS], p[ROWS], rates[ROWS];
    tree_rig_random(&rig, round % 4 ? TS_SPACE_3D : TS_SPACE_2D, 1 + ts_random_below(&random, 8), 0, &random);
    for (int i = 0; i < ROWS; ++i) {
      rows[i] = tree_rig_random_row(&rig, &random);
      p[i] = ts_random_uniform(&random, -1.0, 1.0);
    }
    const size_t bodies = (size_t)rig.l.model.body_count;
    ts_wrench *f = ts_arena_bytes(&rig.l.arena, bodies, sizeof *f);
    ts_twist *twists = ts_arena_bytes(&rig.l.arena, bodies, sizeof *twists);
    double *force = ts_arena_zeros(&rig.l.arena, (size_t)rig.n.v),
           *change = ts_arena_zeros(&rig.l.arena, (size_t)rig.n.v);
    memset(f, 0, bodies * sizeof *f);
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    const size_t in_use = ts_arena_in_use(&rig.l.arena);
    ts_tree_compliance(rig.tree, rows, ROWS, W, &rig.l.arena);
    assert_true(ts_arena_in_use(&rig.l.arena) == in_use);
    ts_tree_push_rows(rows, ROWS, p, f, force);
    ts_tree_respond(rig.tree, f, force, change, twists);
    ts_tree_row_rates(rows, ROWS, change, twists, rates);
    for (int i = 0; i < ROWS; ++i) {
      double expected = 0.0;
      for (int j = 0; j < ROWS; ++j) expected += W[i * ROWS + j] * p[j];
      assert_near(rates[i], expected, 1e-12 * (1.0 + largest_of(W, ROWS * ROWS)));
    }
    tree_rig_release(&rig);
  }
}

// A unit of one force moves the bodies; what the others do on the way is a column of W. Few forces on one body, and
// many on all, take different ways.
static void forces_are_moved_by_each_other(void **state)
{
  enum { FORCES = 9 };
  (void)state;
  ts_random random;
  ts_random_init(&random, 105);
  for (int round = 0; round < 200; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, round % 4 ? TS_SPACE_3D : TS_SPACE_2D, 1 + ts_random_below(&random, 8), 0, &random);
    const int nodes = rig.n.nodes, count = round % 2 ? 3 : FORCES, chosen = ts_random_below(&random, nodes);
    const size_t bodies = (size_t)rig.l.model.body_count;
    ts_tree_force forces[FORCES];
    double W[FORCES * FORCES];
    for (int i = 0; i < count; ++i) {
      const int node = round % 2 ? chosen : ts_random_below(&random, nodes);
      forces[i] = (ts_tree_force){
          i, ts_tree_node_at(rig.tree, node)->body, {random_in_cube(&random, 1.0), random_in_cube(&random, 1.0)}};
    }
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    assert_gives_back(&rig.l.arena, ts_tree_force_compliance(rig.tree, forces, count, count, W, &rig.l.arena));
    ts_wrench *push = ts_arena_bytes(&rig.l.arena, bodies, sizeof *push);
    ts_twist *twists = ts_arena_bytes(&rig.l.arena, bodies, sizeof *twists);
    double *change = ts_arena_zeros(&rig.l.arena, (size_t)rig.n.v);
    for (int i = 0; i < count; ++i) {
      memset(push, 0, bodies * sizeof *push);
      push[forces[i].body] = forces[i].wrench;
      ts_tree_respond(rig.tree, push, NULL, change, twists);
      for (int j = 0; j < count; ++j) {
        const ts_twist *v = &twists[forces[j].body];
        const double power = ts_dot(forces[j].wrench.force, v->linear) + ts_dot(forces[j].wrench.moment, v->angular);
        assert_near(W[j * count + i], power, 1e-11 * (1.0 + largest_of(W, count * count)));
      }
    }
    tree_rig_release(&rig);
  }
}

// After a first call of its size the scratch is there.
static void the_second_call_allocates_nothing(void **state)
{
  enum { LINKS = 20, ROWS = 3 * LINKS };
  (void)state;
  allocation_count count = UNLIMITED_ALLOCATIONS;
  const ts_allocator allocator = counting_allocator(&count);
  ts_arena scratch;
  ts_arena_init(&scratch, &allocator);
  tree_rig rig;
  ts_tree_row rows[ROWS];
  static double W[ROWS * ROWS];
  tree_rig_chain(&rig, LINKS);
  for (int i = 0; i < LINKS; ++i) tree_rig_point_rows(&rig, i, rig.l.state.pose[i].position, rows + 3 * i);
  assert_true(ts_tree_factor(rig.tree, NULL, NULL));
  ts_tree_compliance(rig.tree, rows, ROWS, W, &scratch);
  ts_arena_reset(&scratch);
  const int calls = count.calls;
  for (int i = 0; i < 100; ++i) {
    ts_tree_compliance(rig.tree, rows, ROWS, W, &scratch);
    ts_arena_reset(&scratch);
  }
  assert_int_equal(count.calls, calls);
  ts_arena_release(&scratch);
  tree_rig_release(&rig);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees_agree_with_dense_algebra),
      cmocka_unit_test(crowded_chains_agree_with_dense_algebra),
      cmocka_unit_test(few_forces_on_a_body_agree_with_dense_algebra),
      cmocka_unit_test(separate_trees_do_not_feel_each_other),
      cmocka_unit_test(rows_push_and_are_moved),
      cmocka_unit_test(forces_are_moved_by_each_other),
      cmocka_unit_test(the_second_call_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
