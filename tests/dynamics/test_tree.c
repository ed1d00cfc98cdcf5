// Which joints a tree takes, and what is left of them.
#include "dynamics/tree.h"

#include "tree_rig.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const ts_vec3 NONE = {0.0, 0.0, 0.0}, Z = {0.0, 0.0, 1.0}, ONE = {1.0, 1.0, 1.0};

static void add_bodies(tree_rig *rig, int count)
{
  for (int i = 0; i < count; ++i) {
    const ts_pose pose = {{i, 0.0, 0.0}, ts_quat_identity()};
    linkage_body(&rig->l, TS_DYNAMIC, 1.0, ONE, pose, 0.0);
  }
}

static void join(tree_rig *rig, int parent, int child)
{
  linkage_joint(&rig->l, TS_JOINT_REVOLUTE, parent, child, (ts_vec3){0.5 * (parent + child), 0.0, 0.0}, Z, NONE);
}

static const ts_tree_node *node_of(const tree_rig *rig, int body)
{
  return ts_tree_node_at(rig->tree, ts_tree_node_of_body(rig->tree, body));
}

static int parent_body(const tree_rig *rig, int body)
{
  const ts_tree_node *node = node_of(rig, body);
  return node->parent >= 0 ? ts_tree_node_at(rig->tree, node->parent)->body : node->base;
}

// The ring 0 - 1 - 2 - 3 - 4, held to the world at 0 and 4: two chains from the world meet in its middle.
static void make_bridge(tree_rig *rig)
{
  linkage_init(&rig->l, TS_SPACE_3D);
  add_bodies(rig, 5);
  join(rig, TS_WORLD, 0);
  for (int i = 1; i < 5; ++i) join(rig, i - 1, i);
  join(rig, TS_WORLD, 4);
}

static void trees_are_shallow(void **state)
{
  (void)state;
  tree_rig rig;
  make_bridge(&rig);
  tree_rig_start(&rig, NULL);
  assert_int_equal(rig.n.nodes, 5);
  assert_int_equal(rig.n.v, 5);
  assert_int_equal(rig.n.closures, 1);
  assert_int_equal(ts_tree_closures(rig.tree)[0], 3); // between 2 and 3
  assert_int_equal(parent_body(&rig, 0), TS_WORLD);
  assert_int_equal(parent_body(&rig, 2), 1);
  assert_int_equal(parent_body(&rig, 3), 4);
  assert_true(node_of(&rig, 3)->reversed);
  assert_false(node_of(&rig, 2)->reversed);
  for (int i = 0; i < rig.n.nodes; ++i) assert_true(ts_tree_node_at(rig.tree, i)->parent < i);
  tree_rig_release(&rig);
}

static void joints_that_close_loops_are_kept_out(void **state)
{
  (void)state;
  tree_rig rig;
  for (int cut = 0; cut < 6; ++cut) { // wherever the ring is cut, one joint is left over: that one
    bool closes_loop[6] = {false};
    closes_loop[cut] = true;
    make_bridge(&rig);
    tree_rig_start(&rig, closes_loop);
    assert_int_equal(rig.n.v, 5);
    assert_int_equal(rig.n.closures, 1);
    assert_int_equal(ts_tree_closures(rig.tree)[0], cut);
    for (int body = 0; body < 5; ++body) // joint i hangs body i on the one before, seen from the left end
      assert_int_equal(parent_body(&rig, body), body < cut ? body - 1 : body == 4 ? TS_WORLD : body + 1);
    tree_rig_release(&rig);
  }
  make_bridge(&rig);
  tree_rig_start(&rig, (const bool[]){true, true, false, false, false, false}); // 0 is free then, its joints remain
  assert_int_equal(rig.n.closures, 2);
  assert_int_equal(node_of(&rig, 0)->kind, TS_NODE_FREE);
  assert_int_equal(rig.n.v, 10);
  tree_rig_release(&rig);
}

// A ring that floats is free at its lowest body.
static void floating_rings_have_a_free_root(void **state)
{
  (void)state;
  tree_rig rig;
  linkage_init(&rig.l, TS_SPACE_3D);
  add_bodies(&rig, 6);
  for (int i = 1; i < 6; ++i) join(&rig, i, i % 5 + 1); // 1 .. 5; body 0 is loose
  tree_rig_start(&rig, NULL);
  assert_int_equal(rig.n.v, 6 + 6 + 4);
  assert_int_equal(rig.n.q, 7 + 7 + 4);
  assert_int_equal(rig.n.closures, 1);
  assert_int_equal(node_of(&rig, 0)->joint, -1);
  assert_int_equal(node_of(&rig, 1)->kind, TS_NODE_FREE);
  tree_rig_release(&rig);
}

static void particles_hang_on_nothing(void **state)
{
  const ts_mat3 none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  (void)state;
  for (int round = 0; round < 2; ++round) {
    tree_rig rig;
    linkage_init(&rig.l, round ? TS_SPACE_2D : TS_SPACE_3D);
    add_bodies(&rig, 2);
    rig.l.model.bodies[0].inertia = rig.l.model.bodies[0].inverse_inertia = none;
    join(&rig, TS_WORLD, 0);
    join(&rig, 0, 1);
    tree_rig_start(&rig, NULL);
    assert_int_equal(node_of(&rig, 0)->kind, round ? TS_NODE_PARTICLE_IN_PLANE : TS_NODE_PARTICLE);
    assert_int_equal(node_of(&rig, 0)->v_count, round ? 2 : 3);
    assert_int_equal(parent_body(&rig, 1), 0);
    assert_int_equal(rig.n.closures, 1);
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    tree_rig_release(&rig);
  }
}

// Nothing, nothing that moves, one body, no joints.
static void small_models_are_trees_too(void **state)
{
  (void)state;
  for (int bodies = 0; bodies < 4; ++bodies) {
    tree_rig rig;
    double W[1], M[18 * 18];
    linkage_init(&rig.l, TS_SPACE_3D);
    if (bodies == 3)
      linkage_body(&rig.l, TS_FIXED, 0.0, NONE, ts_pose_identity(), 0.0);
    else
      add_bodies(&rig, bodies);
    tree_rig_start(&rig, NULL);
    const int dynamic = bodies == 3 ? 0 : bodies;
    assert_int_equal(rig.n.nodes, dynamic);
    assert_int_equal(rig.n.v, 6 * dynamic);
    assert_int_equal(rig.n.closures, 0);
    if (bodies == 3) assert_int_equal(ts_tree_node_of_body(rig.tree, 0), -1);
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    ts_tree_compliance(rig.tree, NULL, 0, W, &rig.l.arena);
    ts_tree_mass_matrix(rig.tree, M);
    for (int i = 0; i < 6 * dynamic; ++i) assert_near(M[i * (6 * dynamic + 1)], 1.0, 0.0);
    tree_rig_release(&rig);
  }
}

static void stars_and_long_chains_are_spanned(void **state)
{
  enum { ARMS = 200, LINKS = 1000 };
  (void)state;
  tree_rig rig;
  linkage_init(&rig.l, TS_SPACE_3D);
  add_bodies(&rig, ARMS + 1);
  for (int i = 1; i <= ARMS; ++i) join(&rig, 0, i);
  tree_rig_start(&rig, NULL);
  assert_int_equal(rig.n.v, 6 + ARMS);
  for (int i = 1; i <= ARMS; ++i) assert_int_equal(parent_body(&rig, i), 0);
  tree_rig_release(&rig);
  tree_rig_chain(&rig, LINKS);
  assert_int_equal(rig.n.nodes, LINKS);
  for (int i = 0; i < LINKS; ++i) assert_int_equal(ts_tree_node_at(rig.tree, i)->parent, i - 1);
  tree_rig_release(&rig);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_are_shallow),
      cmocka_unit_test(joints_that_close_loops_are_kept_out),
      cmocka_unit_test(floating_rings_have_a_free_root),
      cmocka_unit_test(particles_hang_on_nothing),
      cmocka_unit_test(small_models_are_trees_too),
      cmocka_unit_test(stars_and_long_chains_are_spanned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
