// Coordinates there and back, for every kind of node.
#include "dynamics/tree.h"

#include "tree_rig.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const ts_vec3 NONE = {0.0, 0.0, 0.0};

static void check_round_trip(tree_rig *rig)
{
  double *q = ts_arena_doubles(&rig->l.arena, (size_t)rig->n.q);
  double *v = ts_arena_doubles(&rig->l.arena, (size_t)rig->n.v);
  ts_tree_read(rig->tree, &rig->l.state, q, v);
  for (int i = 0; i < rig->n.nodes; ++i) {
    const ts_tree_node *node = ts_tree_node_at(rig->tree, i);
    const double *mine = q + node->q, *given = rig->q + node->q;
    double sign = 1.0; // of a quaternion, which stands for the same turn as its negative
    if (node->q_count > node->v_count) {
      double product = 0.0;
      for (int k = 0; k < 4; ++k) product += mine[k] * given[k];
      sign = product < 0.0 ? -1.0 : 1.0;
    }
    for (int k = 0; k < node->q_count; ++k)
      assert_near(mine[k], (node->q_count > node->v_count && k < 4 ? sign : 1.0) * given[k], 1e-12);
  }
  for (int j = 0; j < rig->n.v; ++j) assert_near(v[j], rig->v[j], 1e-12);
}

// All kinds, walked either way, in space and in the plane; ts_tree_place() and ts_tree_update() agree to the bit.
static void reading_undoes_placing(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 5);
  for (int round = 0; round < 200; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, round % 3 ? TS_SPACE_3D : TS_SPACE_2D, 1 + ts_random_below(&random, 10), 0, &random);
    check_round_trip(&rig);
    const size_t bodies = (size_t)rig.l.model.body_count;
    ts_pose *poses = ts_arena_bytes(&rig.l.arena, bodies, sizeof *poses);
    ts_twist *twists = ts_arena_bytes(&rig.l.arena, bodies, sizeof *twists);
    memcpy(poses, rig.l.state.pose, bodies * sizeof *poses);
    memcpy(twists, rig.l.state.velocity, bodies * sizeof *twists);
    ts_tree_place(rig.tree, rig.q, rig.v, &rig.l.state);
    for (size_t b = 0; b < bodies; ++b) {
      assert_vec_near(rig.l.state.pose[b].position, poses[b].position, 0.0);
      assert_vec_near(rig.l.state.velocity[b].linear, twists[b].linear, 0.0);
      assert_vec_near(rig.l.state.velocity[b].angular, twists[b].angular, 0.0);
      assert_memory_equal(&rig.l.state.pose[b].orientation, &poses[b].orientation, sizeof(ts_quat));
    }
    tree_rig_release(&rig);
  }
}

// At the start of a model every joint is at 0, which makes the bodies' own poses.
static void the_start_is_zero(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 6);
  for (int round = 0; round < 60; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, round % 3 ? TS_SPACE_3D : TS_SPACE_2D, 8, 0, &random);
    linkage_start(&rig.l);
    ts_tree_read(rig.tree, &rig.l.state, rig.q, rig.v);
    for (int i = 0; i < rig.n.nodes; ++i) {
      const ts_tree_node *node = ts_tree_node_at(rig.tree, i);
      if (node->joint < 0) continue;
      for (int k = 0; k < node->q_count; ++k)
        if (node->kind != TS_JOINT_SPHERICAL || k > 0) assert_near(rig.q[node->q + k], 0.0, 1e-14);
    }
    tree_rig_update(&rig);
    for (int b = 1; b < rig.l.model.body_count; ++b) {
      assert_vec_near(rig.l.state.pose[b].position, rig.l.model.bodies[b].pose.position, 1e-13);
      assert_near(rig.l.state.angle[b],
                  rig.l.model.freedoms->space == TS_SPACE_2D ? rig.l.model.bodies[b].angle : rig.l.state.angle[b],
                  1e-13);
    }
    tree_rig_release(&rig);
  }
}

// Revolute and prismatic coordinates are those that limits and drives know, whichever way a joint is walked.
static void coordinates_are_the_joints_own(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 12);
  int reversed = 0;
  for (int round = 0; round < 100; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, round % 3 ? TS_SPACE_3D : TS_SPACE_2D, 8, 0, &random);
    for (int i = 0; i < rig.n.nodes; ++i) {
      const ts_tree_node *node = ts_tree_node_at(rig.tree, i);
      if (node->kind != TS_JOINT_REVOLUTE && node->kind != TS_JOINT_PRISMATIC) continue;
      double rate;
      const double position = ts_joint_position(&rig.l.model, &rig.l.state, &rig.l.kinematics, node->joint, &rate);
      assert_near(position, rig.q[node->q], 1e-12);
      assert_near(rate, rig.v[node->v], 1e-12);
      reversed += node->reversed;
    }
    tree_rig_release(&rig);
  }
  assert_true(reversed > 50);
}

static void pendulum(tree_rig *rig, ts_space space)
{
  linkage_init(&rig->l, space);
  const ts_pose pose = {{1.0, 0.0, 0.0}, ts_quat_identity()};
  linkage_body(&rig->l, TS_DYNAMIC, 1.0, (ts_vec3){1.0, 1.0, 1.0}, pose, 0.0);
  linkage_joint(&rig->l, TS_JOINT_REVOLUTE, TS_WORLD, 0, NONE, (ts_vec3){0.0, 0.0, 1.0}, NONE);
}

// Plane: the angles of bodies count turns. Space: of equal angles the nearest to the last one known.
static void turns_are_told_apart(void **state)
{
  (void)state;
  tree_rig rig;
  pendulum(&rig, TS_SPACE_2D);
  tree_rig_start(&rig, NULL);
  rig.q[0] = 7.0 * TS_PI + 0.25;
  tree_rig_update(&rig);
  assert_near(rig.l.state.angle[0], 7.0 * TS_PI + 0.25, 1e-13);
  check_round_trip(&rig);
  tree_rig_release(&rig);
  pendulum(&rig, TS_SPACE_3D);
  tree_rig_start(&rig, NULL);
  rig.q[0] = 4.5 * TS_PI;
  rig.l.state.turned[0] = 4.0 * TS_PI;
  tree_rig_update(&rig);
  check_round_trip(&rig);
  tree_rig_release(&rig);
}

// Constant rates for a time in one step or in many: the same place, quaternions of unit length.
static void advancing_is_exact_at_constant_rates(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 13);
  for (int round = 0; round < 50; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, TS_SPACE_3D, 6, 0, &random);
    double *q = ts_arena_doubles(&rig.l.arena, (size_t)rig.n.q);
    memcpy(q, rig.q, (size_t)rig.n.q * sizeof *q);
    ts_tree_advance(rig.tree, 2.0, rig.v, q);
    for (int i = 0; i < 64; ++i) ts_tree_advance(rig.tree, 2.0 / 64.0, rig.v, rig.q);
    for (int i = 0; i < rig.n.q; ++i) assert_near(q[i], rig.q[i], 1e-13);
    tree_rig_release(&rig);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reading_undoes_placing),
      cmocka_unit_test(the_start_is_zero),
      cmocka_unit_test(coordinates_are_the_joints_own),
      cmocka_unit_test(turns_are_told_apart),
      cmocka_unit_test(advancing_is_exact_at_constant_rates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
