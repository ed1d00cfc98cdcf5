// Rows of gears: their rates are the derivatives of their errors, and what motion alone makes of the rates is what is
// left of the accelerations of the coordinates. Trees and bodies with rows obey them alike.
#include "dynamics/gear_rows.h"

#include "dynamics/articulation.h"
#include "dynamics/loops.h"

#include "tree_rig.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

// A random tree with gears between its joints, on the same tree or on others.
static void geared_rig(tree_rig *rig, ts_space space, int bodies, double error, ts_random *random)
{
  tree_rig_random(rig, space, bodies, 0, random);
  for (int i = 0; i < rig->n.nodes; ++i) { // the coordinates know how often joints have turned
    const ts_tree_node *node = ts_tree_node_at(rig->tree, i);
    if (node->joint >= 0 && ts_joint_has_angle(rig->l.model.joints[node->joint].kind))
      rig->l.state.turned[node->joint] = rig->q[node->q];
  }
  const ts_model *model = &rig->l.model;
  bool *in_tree = ts_arena_bytes(&rig->l.arena, (size_t)model->joint_count, sizeof *in_tree);
  bool *on_tree = ts_arena_bytes(&rig->l.arena, (size_t)model->body_count, sizeof *on_tree);
  ts_tree_mark(rig->tree, in_tree, on_tree);
  rig->l.state.on_tree = on_tree;
  linkage_random_gears(&rig->l, in_tree, error, random);
}

static ts_bilateral_row *rows_of(tree_rig *rig)
{
  linkage *l = &rig->l;
  ts_bilateral_row *rows = ts_arena_bytes(&l->arena, (size_t)ts_bilateral_row_limit(&l->model), sizeof *rows);
  assert_int_equal(ts_gear_rows(&l->model, &l->state, &l->kinematics, 1.0, rows, &l->arena), l->model.gear_count);
  return rows;
}

// The place of a joint's rate among those of the tree.
static int rate_of_joint(const tree_rig *rig, int joint)
{
  for (int i = 0; i < rig->n.nodes; ++i)
    if (ts_tree_node_at(rig->tree, i)->joint == joint) return ts_tree_node_at(rig->tree, i)->v;
  fail_msg("joint %d is not in the tree", joint);
  return -1;
}

// What a gear makes of numbers that go with the rates.
static double combine(const tree_rig *rig, int gear, const double *x)
{
  const ts_gear *g = &rig->l.model.gears[gear];
  double sum = x[rate_of_joint(rig, g->joint)];
  for (int k = 0; k < g->term_count; ++k) sum -= g->terms[k].ratio * x[rate_of_joint(rig, g->terms[k].joint)];
  return sum;
}

static void bodies_of_a_row_differ(const ts_bilateral_row *row)
{
  for (int s = 0; s < ts_side_count(row); ++s)
    for (int t = 0; t < s; ++t) assert_true(ts_side_body(row, s) < 0 || ts_side_body(row, s) != ts_side_body(row, t));
}

static void rows_are_those_of_the_coordinates(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 81);
  double worst[3] = {0.0};
  int gears = 0;
  for (int round = 0; round < 200; ++round) {
    tree_rig rig;
    geared_rig(&rig, round % 4 ? TS_SPACE_3D : TS_SPACE_2D, 3 + ts_random_below(&random, 8), 0.1, &random);
    const ts_bilateral_row *rows = rows_of(&rig);
    const size_t bodies = (size_t)rig.l.model.body_count;
    double *a = ts_arena_doubles(&rig.l.arena, (size_t)rig.n.v);
    ts_twist *base = ts_arena_bytes(&rig.l.arena, bodies, sizeof *base);
    ts_twist *all = ts_arena_bytes(&rig.l.arena, bodies, sizeof *all);
    for (int k = 0; k < rig.n.v; ++k) a[k] = ts_random_uniform(&random, -3.0, 3.0);
    for (size_t b = 0; b < bodies; ++b) {
      base[b] = (ts_twist){random_in_cube(&random, 2.0), random_in_cube(&random, 2.0)};
      if (round % 4 == 0) base[b].linear.z = base[b].angular.x = base[b].angular.y = 0.0;
    }
    memcpy(all, base, bodies * sizeof *all);
    ts_tree_body_accelerations(rig.tree, base, a, all);
    for (int g = 0; g < rig.l.model.gear_count; ++g) {
      bodies_of_a_row_differ(&rows[g]);
      const double rate = ts_bilateral_rate(&rows[g], rig.l.state.velocity) + rows[g].drift;
      const double bias = ts_gear_bias(&rig.l.model, &rig.l.kinematics, rig.l.state.velocity, base, g);
      worst[0] = fmax(worst[0], fabs(rate - combine(&rig, g, rig.v)));
      worst[1] = fmax(worst[1], fabs(ts_bilateral_rate(&rows[g], all) + bias - combine(&rig, g, a)));
      worst[2] = fmax(worst[2], fabs(rows[g].error - ts_gear_error(&rig.l.model, &rig.l.state, &rig.l.kinematics, g)));
    }
    gears += rig.l.model.gear_count;
    tree_rig_release(&rig);
  }
  print_message("%d gears: rates within %.1e, accelerations within %.1e\n", gears, worst[0], worst[1]);
  assert_true(gears > 100);
  assert_true(worst[0] < 1e-12 && worst[1] < 1e-11 && worst[2] < 1e-12);
}

// The error changes as the row says.
static void rates_are_differences_of_errors(void **state)
{
  (void)state;
  const double h = 1e-6;
  ts_random random;
  ts_random_init(&random, 82);
  for (int round = 0; round < 100; ++round) {
    tree_rig rig;
    geared_rig(&rig, round % 4 ? TS_SPACE_3D : TS_SPACE_2D, 3 + ts_random_below(&random, 8), 0.1, &random);
    linkage *l = &rig.l;
    l->state.on_tree = NULL; // bodies move by themselves
    const ts_bilateral_row *rows = rows_of(&rig);
    double *before = ts_arena_doubles(&l->arena, (size_t)l->model.gear_count);
    linkage_drift(l, -h);
    for (int g = 0; g < l->model.gear_count; ++g) before[g] = ts_gear_error(&l->model, &l->state, &l->kinematics, g);
    linkage_drift(l, h);
    linkage_drift(l, h);
    for (int g = 0; g < l->model.gear_count; ++g) {
      const double after = ts_gear_error(&l->model, &l->state, &l->kinematics, g);
      const double rate = ts_bilateral_rate(&rows[g], l->state.velocity) + rows[g].drift;
      assert_near((after - before[g]) / (2.0 * h), rate, 1e-7);
    }
    tree_rig_release(&rig);
  }
}

// Velocities after the gears are obeyed: by coordinates and gears, and by all joints and gears as rows.
static double difference_of_projections(tree_rig *rig)
{
  linkage *l = &rig->l;
  const size_t bodies = (size_t)l->model.body_count;
  ts_bilateral_row *all = ts_arena_bytes(&l->arena, (size_t)ts_bilateral_row_limit(&l->model), sizeof *all);
  int count = ts_bilateral_rows(&l->model, &l->state, &l->kinematics, 1.0, NULL, all);
  ts_bilateral_row *gears = all + count;
  count += ts_gear_rows(&l->model, &l->state, &l->kinematics, 1.0, all + count, &l->arena);
  for (int k = 0; k < count; ++k) all[k].bias = all[k].drift;
  ts_twist *v[2];
  for (int k = 0; k < 2; ++k) {
    v[k] = ts_arena_bytes(&l->arena, bodies, sizeof **v);
    memcpy(v[k], l->state.velocity, bodies * sizeof **v);
  }
  double *impulse = ts_arena_doubles(&l->arena, (size_t)count);
  ts_bilateral bilateral;
  ts_bilateral_factor(&l->model, &l->kinematics, all, count, &l->arena, &bilateral);
  ts_bilateral_project(&bilateral, v[0], impulse, &l->arena);
  ts_articulation articulation;
  assert_true(ts_tree_factor(rig->tree, NULL, NULL));
  ts_articulation_factor(&l->model, &l->kinematics, rig->tree, l->state.on_tree, gears, l->model.gear_count, &l->arena,
                         &articulation);
  assert_int_equal(articulation.dropped, 0);
  ts_articulation_project(&articulation, v[1], impulse, &l->arena);
  double worst = ts_bilateral_rows_residual(gears, l->model.gear_count, v[1], impulse);
  for (size_t b = 0; b < bodies; ++b) {
    const ts_twist off = ts_twist_add_scaled(v[0][b], -1.0, v[1][b]);
    worst = fmax(worst, fmax(ts_length(off.linear), ts_length(off.angular)));
  }
  return worst;
}

static void trees_and_bodies_obey_alike(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 83);
  double worst = 0.0;
  for (int round = 0; round < 200; ++round) {
    tree_rig rig;
    geared_rig(&rig, round % 4 ? TS_SPACE_3D : TS_SPACE_2D, 3 + ts_random_below(&random, 8), 0.0, &random);
    if (rig.n.closures == 0) worst = fmax(worst, difference_of_projections(&rig)); // joints of particles close loops
    tree_rig_release(&rig);
  }
  print_message("trees and bodies: velocities within %.1e\n", worst);
  assert_true(worst < 1e-10);
}

// Accelerations that loops hold obey the gears: no drift at second order.
static void accelerations_obey(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 84);
  double worst = 0.0;
  for (int round = 0; round < 100; ++round) {
    tree_rig rig;
    geared_rig(&rig, round % 4 ? TS_SPACE_3D : TS_SPACE_2D, 3 + ts_random_below(&random, 8), 0.0, &random);
    linkage *l = &rig.l;
    const size_t bodies = (size_t)l->model.body_count;
    double *a = ts_arena_doubles(&l->arena, (size_t)rig.n.v);
    for (int k = 0; k < rig.n.v; ++k) a[k] = ts_random_uniform(&random, -3.0, 3.0);
    ts_twist *base = ts_arena_bytes(&l->arena, bodies, sizeof *base);
    memset(base, 0, bodies * sizeof *base);
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    ts_loops_hold(rig.tree, &l->model, &l->state, &l->kinematics, base, a, NULL, &l->arena);
    for (int g = 0; g < l->model.gear_count; ++g) worst = fmax(worst, fabs(combine(&rig, g, a)));
    tree_rig_release(&rig);
  }
  print_message("accelerations of geared coordinates: within %.1e\n", worst);
  assert_true(worst < 1e-10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_those_of_the_coordinates),
      cmocka_unit_test(rates_are_differences_of_errors),
      cmocka_unit_test(trees_and_bodies_obey_alike),
      cmocka_unit_test(accelerations_obey),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
