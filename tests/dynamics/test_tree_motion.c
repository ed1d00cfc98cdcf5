// Kinematics of trees against finite differences and against the joints' own rows.
#include "dynamics/tree.h"

#include "tree_rig.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

enum { ROUNDS = 60 };

static double *copy_of(tree_rig *rig, const double *from, int count)
{
  double *copy = ts_arena_doubles(&rig->l.arena, (size_t)count);
  memcpy(copy, from, (size_t)count * sizeof *copy);
  return copy;
}

static ts_pose *copy_poses(tree_rig *rig)
{
  const size_t n = (size_t)rig->l.model.body_count;
  ts_pose *copy = ts_arena_bytes(&rig->l.arena, n, sizeof *copy);
  memcpy(copy, rig->l.state.pose, n * sizeof *copy);
  return copy;
}

static ts_twist *copy_twists(tree_rig *rig)
{
  const size_t n = (size_t)rig->l.model.body_count;
  ts_twist *copy = ts_arena_bytes(&rig->l.arena, n, sizeof *copy);
  memcpy(copy, rig->l.state.velocity, n * sizeof *copy);
  return copy;
}

// The base moves along its own twist, whose derivative is `base_acceleration`.
static void move_base(tree_rig *rig, const ts_pose *at, const ts_twist *twist, const ts_twist *acceleration, double h)
{
  const ts_vec3 turn = ts_add_scaled(ts_scale(h, twist->angular), 0.5 * h * h, acceleration->angular);
  const ts_vec3 way = ts_add_scaled(ts_scale(h, twist->linear), 0.5 * h * h, acceleration->linear);
  rig->l.state.pose[0].position = ts_add(at->position, way);
  rig->l.state.pose[0].orientation = ts_quat_product(ts_quat_exp(turn), at->orientation);
  rig->l.state.velocity[0] = ts_twist_add_scaled(*twist, h, *acceleration);
}

// Coordinates at time h when the rates are v + t a: with the exponential map at the middle, exact to O(h^3).
static void advance(tree_rig *rig, const double *q, const double *v, const double *a, double h)
{
  double *middle = ts_arena_doubles(&rig->l.arena, (size_t)rig->n.v);
  for (int i = 0; i < rig->n.v; ++i) middle[i] = v[i] + 0.5 * h * a[i];
  memcpy(rig->q, q, (size_t)rig->n.q * sizeof *q);
  ts_tree_advance(rig->tree, h, middle, rig->q);
  for (int i = 0; i < rig->n.v; ++i) rig->v[i] = v[i] + h * a[i];
}

static ts_vec3 turn_between(ts_quat from, ts_quat to)
{
  const ts_quat d = ts_quat_product(to, ts_quat_conjugate(from));
  return ts_scale(d.w < 0.0 ? -2.0 : 2.0, (ts_vec3){d.x, d.y, d.z});
}

// Twists are derivatives of poses, and accelerations derivatives of twists: central differences, every joint kind,
// bases that move and accelerate.
static void velocities_and_accelerations_are_derivatives(void **state)
{
  const double h = 1e-4;
  (void)state;
  ts_random random;
  ts_random_init(&random, 7);
  double worst_velocity = 0.0, worst_acceleration = 0.0;
  for (int round = 0; round < ROUNDS; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, TS_SPACE_3D, 1 + ts_random_below(&random, 8), 0, &random);
    const double *q = copy_of(&rig, rig.q, rig.n.q), *v = copy_of(&rig, rig.v, rig.n.v);
    double *a = copy_of(&rig, rig.v, rig.n.v);
    for (int i = 0; i < rig.n.v; ++i) a[i] = ts_random_uniform(&random, -1.0, 1.0);
    const ts_pose base = rig.l.state.pose[0];
    const ts_twist base_twist = rig.l.state.velocity[0];
    const ts_twist *twists = copy_twists(&rig);
    ts_twist *accelerations = copy_twists(&rig), *base_acceleration = copy_twists(&rig);
    base_acceleration[0] = (ts_twist){random_in_cube(&random, 1.0), random_in_cube(&random, 1.0)};
    ts_tree_body_accelerations(rig.tree, base_acceleration, a, accelerations);
    move_base(&rig, &base, &base_twist, &base_acceleration[0], h);
    advance(&rig, q, v, a, h);
    tree_rig_update(&rig);
    const ts_pose *later = copy_poses(&rig);
    const ts_twist *later_twist = copy_twists(&rig);
    move_base(&rig, &base, &base_twist, &base_acceleration[0], -h);
    advance(&rig, q, v, a, -h);
    tree_rig_update(&rig);
    for (int b = 1; b < rig.l.model.body_count; ++b) {
      const ts_pose *earlier = &rig.l.state.pose[b];
      const ts_twist *before = &rig.l.state.velocity[b];
      const ts_vec3 linear = ts_scale(0.5 / h, ts_sub(later[b].position, earlier->position));
      const ts_vec3 angular = ts_scale(0.5 / h, turn_between(earlier->orientation, later[b].orientation));
      worst_velocity = fmax(worst_velocity, ts_distance_of(linear, twists[b].linear));
      worst_velocity = fmax(worst_velocity, ts_distance_of(angular, twists[b].angular));
      const ts_vec3 rise = ts_scale(0.5 / h, ts_sub(later_twist[b].linear, before->linear));
      const ts_vec3 spin_up = ts_scale(0.5 / h, ts_sub(later_twist[b].angular, before->angular));
      worst_acceleration = fmax(worst_acceleration, ts_distance_of(rise, accelerations[b].linear));
      worst_acceleration = fmax(worst_acceleration, ts_distance_of(spin_up, accelerations[b].angular));
    }
    tree_rig_release(&rig);
  }
  print_message("central differences: velocities %.1e, accelerations %.1e\n", worst_velocity, worst_acceleration);
  assert_true(worst_velocity < 1e-5); // h^2 times third derivatives of up to some 100
  assert_true(worst_acceleration < 1e-5);
}

// Joints of the tree are closed wherever the coordinates are, and their rows do not move.
static void joints_stay_closed(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 8);
  for (int round = 0; round < ROUNDS; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, round % 3 ? TS_SPACE_3D : TS_SPACE_2D, 1 + ts_random_below(&random, 10), 0, &random);
    linkage *l = &rig.l;
    ts_bilateral_row *rows =
        ts_arena_bytes(&l->arena, (size_t)ts_bilateral_row_limit(&l->model), sizeof(ts_bilateral_row));
    const int count = ts_bilateral_rows(&l->model, &l->state, &l->kinematics, 1.0, NULL, rows);
    bool *is_closure = ts_arena_bytes(&l->arena, (size_t)l->model.joint_count, sizeof *is_closure);
    memset(is_closure, 0, (size_t)l->model.joint_count * sizeof *is_closure);
    for (int i = 0; i < rig.n.closures; ++i) is_closure[ts_tree_closures(rig.tree)[i]] = true;
    for (int i = 0; i < count; ++i) {
      if (is_closure[rows[i].source]) continue;
      const ts_joint *joint = &l->model.joints[rows[i].source];
      double rate = ts_row_rate(&rows[i].row, l->state.velocity);
      for (int side = 0; side < 2; ++side) // the base's part
        if ((side ? joint->child : joint->parent) == 0)
          rate += ts_twist_dot(rows[i].row.jacobian[side], l->state.velocity[0]);
      assert_near(rows[i].error, 0.0, 1e-13);
      assert_near(rate, 0.0, 1e-12);
    }
    tree_rig_release(&rig);
  }
}

static void check_jacobian(tree_rig *rig, int body, ts_vec3 local, double h)
{
  const int n = rig->n.v;
  double *linear = ts_arena_doubles(&rig->l.arena, 6 * (size_t)n), *angular = linear + 3 * n;
  const ts_vec3 point = ts_pose_apply(&rig->l.state.pose[body], local);
  ts_tree_point_jacobian(rig->tree, body, point, linear, angular);
  const double *q = copy_of(rig, rig->q, rig->n.q);
  double *unit = ts_arena_zeros(&rig->l.arena, (size_t)n);
  for (int j = 0; j < n; ++j) {
    ts_vec3 at[2];
    ts_quat turn[2];
    unit[j] = 1.0;
    for (int side = 0; side < 2; ++side) {
      memcpy(rig->q, q, (size_t)rig->n.q * sizeof *q);
      ts_tree_advance(rig->tree, side ? h : -h, unit, rig->q);
      ts_tree_place(rig->tree, rig->q, rig->v, &rig->l.state);
      at[side] = ts_pose_apply(&rig->l.state.pose[body], local);
      turn[side] = rig->l.state.pose[body].orientation;
    }
    unit[j] = 0.0;
    const ts_vec3 way = ts_scale(0.5 / h, ts_sub(at[1], at[0]));
    const ts_vec3 spin = ts_scale(0.5 / h, turn_between(turn[0], turn[1]));
    assert_vec_near((ts_vec3){linear[j], linear[n + j], linear[2 * n + j]}, way, 1e-7);
    assert_vec_near((ts_vec3){angular[j], angular[n + j], angular[2 * n + j]}, spin, 1e-7);
  }
  memcpy(rig->q, q, (size_t)rig->n.q * sizeof *q);
  tree_rig_update(rig);
}

static void point_jacobians_are_derivatives(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 9);
  for (int round = 0; round < ROUNDS; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, round % 3 ? TS_SPACE_3D : TS_SPACE_2D, 1 + ts_random_below(&random, 6), 0, &random);
    const int body = 1 + ts_random_below(&random, rig.l.model.body_count - 1);
    const ts_vec3 local = {ts_random_uniform(&random, -1.0, 1.0), ts_random_uniform(&random, -1.0, 1.0), 0.0};
    check_jacobian(&rig, body, local, 1e-5);
    double only[3 * 64];
    assert_true(rig.n.v <= 64);
    ts_tree_point_jacobian(rig.tree, body, local, only, NULL);
    ts_tree_point_jacobian(rig.tree, body, local, NULL, only);
    tree_rig_release(&rig);
  }
}

// What other parts of the library read is what they would have worked out themselves.
static void kinematics_are_brought_up_to_date(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 14);
  for (int round = 0; round < ROUNDS; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, round % 3 ? TS_SPACE_3D : TS_SPACE_2D, 6, 0, &random);
    const size_t n = (size_t)rig.l.model.body_count;
    ts_kinematics mine = {ts_arena_bytes(&rig.l.arena, n, sizeof(ts_frame)),
                          ts_arena_bytes(&rig.l.arena, n, sizeof(ts_mat3))};
    ts_tree_update(rig.tree, rig.q, rig.v, &rig.l.state, &mine);
    linkage_refresh(&rig.l);
    for (size_t b = 0; b < n; ++b) {
      if (rig.l.model.bodies[b].kind == TS_FIXED) continue; // never moves, and is not the tree's
      const ts_mat3 *axes = &rig.l.kinematics.frame[b].axes, *I = &rig.l.kinematics.inverse_inertia[b];
      assert_vec_near(mine.frame[b].origin, rig.l.kinematics.frame[b].origin, 0.0);
      assert_vec_near(mine.frame[b].axes.x, axes->x, 0.0);
      assert_vec_near(mine.frame[b].axes.y, axes->y, 0.0);
      assert_vec_near(mine.frame[b].axes.z, axes->z, 0.0);
      assert_vec_near(mine.inverse_inertia[b].x, I->x, 0.0);
      assert_vec_near(mine.inverse_inertia[b].y, I->y, 0.0);
      assert_vec_near(mine.inverse_inertia[b].z, I->z, 0.0);
    }
    tree_rig_release(&rig);
  }
}

// In the plane nothing leaves it, not even by rounding.
static void planar_worlds_stay_in_the_plane(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 10);
  for (int round = 0; round < ROUNDS; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, TS_SPACE_2D, 10, 0, &random);
    for (int b = 1; b < rig.l.model.body_count; ++b) {
      const ts_state *s = &rig.l.state;
      assert_true(s->pose[b].position.z == 0.0 && s->velocity[b].linear.z == 0.0);
      assert_true(s->pose[b].orientation.x == 0.0 && s->pose[b].orientation.y == 0.0);
      assert_true(s->velocity[b].angular.x == 0.0 && s->velocity[b].angular.y == 0.0);
      const ts_quat turn = ts_quat_about_z(s->angle[b]);
      assert_near(fabs(turn.w * s->pose[b].orientation.w + turn.z * s->pose[b].orientation.z), 1.0, 1e-14);
    }
    tree_rig_release(&rig);
  }
}

// A thousand links turned about by 2 rad each: unit quaternions, and hinges a link apart.
static void long_chains_do_not_drift(void **state)
{
  enum { LINKS = 1000 };
  (void)state;
  tree_rig rig;
  ts_random random;
  ts_random_init(&random, 11);
  tree_rig_chain(&rig, LINKS);
  tree_rig_scatter(&rig, &random);
  for (int b = 0; b < LINKS; ++b) {
    const ts_pose *pose = &rig.l.state.pose[b];
    const ts_vec3 hinge = ts_pose_apply(pose, (ts_vec3){-1.0, 0.0, 0.0});
    const ts_vec3 up = b > 0 ? rig.l.state.pose[b - 1].position : (ts_vec3){0.0, 0.0, 0.0};
    assert_near(ts_quat_length(pose->orientation), 1.0, 4e-16);
    assert_vec_near(hinge, up, 1e-13);
  }
  tree_rig_release(&rig);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocities_and_accelerations_are_derivatives),
      cmocka_unit_test(joints_stay_closed),
      cmocka_unit_test(point_jacobians_are_derivatives),
      cmocka_unit_test(kinematics_are_brought_up_to_date),
      cmocka_unit_test(planar_worlds_stay_in_the_plane),
      cmocka_unit_test(long_chains_do_not_drift),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
