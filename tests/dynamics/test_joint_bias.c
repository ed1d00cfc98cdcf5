// What motion alone makes of the rates of joints: a joint that is a coordinate of a tree holds whatever happens, so
// that d/dt (G^T V) = G^T V' + bias = 0 for all its rows, at all rates and accelerations.
#include "dynamics/joint_rows.h"

#include "tree_rig.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"

enum { MOST_ROWS = 6 };

static ts_twist random_twist(ts_space space, ts_random *random)
{
  ts_twist twist = {random_in_cube(random, 2.0), random_in_cube(random, 2.0)};
  if (space == TS_SPACE_2D) twist.linear.z = twist.angular.x = twist.angular.y = 0.0;
  return twist;
}

// Accelerations of all bodies: the first is the moving base.
static ts_twist *random_accelerations(tree_rig *rig, ts_random *random)
{
  const size_t bodies = (size_t)rig->l.model.body_count;
  ts_twist *all = ts_arena_bytes(&rig->l.arena, bodies, sizeof *all);
  double *a = ts_arena_doubles(&rig->l.arena, (size_t)rig->n.v);
  for (size_t b = 0; b < bodies; ++b) all[b] = random_twist(rig->l.model.freedoms->space, random);
  for (int k = 0; k < rig->n.v; ++k) a[k] = ts_random_uniform(random, -3.0, 3.0);
  ts_tree_body_accelerations(rig->tree, all, a, all);
  return all;
}

static double worst_of_joint(const tree_rig *rig, int joint, const ts_twist *acceleration)
{
  const ts_model *model = &rig->l.model;
  const ts_joint *j = &model->joints[joint];
  const ts_sides sides = ts_sides_of(model, j->parent, j->child);
  ts_bilateral_row rows[MOST_ROWS];
  double bias[MOST_ROWS], worst = 0.0;
  const int count = ts_write_joint_rows(model, &rig->l.state, &rig->l.kinematics, joint, 1.0, rows);
  assert_int_equal(ts_write_joint_bias(model, &rig->l.kinematics, rig->l.state.velocity, joint, bias), count);
  for (int k = 0; k < count; ++k)
    worst = fmax(worst, fabs(ts_row_rate(&rows[k].row, acceleration) +
                             ts_row_drift(&rows[k].row, &sides, acceleration) + bias[k]));
  return worst;
}

static void joints_that_hold_go_on_holding(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 71);
  double worst = 0.0;
  int seen[TS_JOINT_COUNT] = {0};
  for (int round = 0; round < 400; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, round % 4 ? TS_SPACE_3D : TS_SPACE_2D, 1 + ts_random_below(&random, 8), 0, &random);
    const ts_twist *a = random_accelerations(&rig, &random);
    for (int i = 0; i < rig.n.nodes; ++i) {
      const ts_tree_node *node = ts_tree_node_at(rig.tree, i);
      if (node->joint < 0) continue;
      worst = fmax(worst, worst_of_joint(&rig, node->joint, a));
      ++seen[node->kind];
    }
    tree_rig_release(&rig);
  }
  print_message("rows of joints in motion: within %.1e\n", worst);
  for (int kind = 0; kind < TS_JOINT_COUNT; ++kind) assert_true(seen[kind] > 50);
  assert_true(worst < 1e-11); // velocities add up to some 10, and their squares to 1e3 with ten digits to spare
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(joints_that_hold_go_on_holding)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
