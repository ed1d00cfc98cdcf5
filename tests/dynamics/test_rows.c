// Rows of joints against central differences of their errors along a motion, in space and in the plane, with all kinds
// of parents; their numbers; what kinematic bodies do.
#include "dynamics/rows.h"

#include "linkage.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

enum { MOST = 16 };

static int dof_of(ts_space space, ts_joint_kind kind)
{
  return ts_joint_kind_traits(kind)->freedoms[space];
}

static ts_twist random_twist(ts_random *random, ts_space space)
{
  ts_twist t = {random_in_cube(random, 1.0), random_in_cube(random, 1.0)};
  if (space == TS_SPACE_2D) t.linear.z = t.angular.x = t.angular.y = 0.0;
  return t;
}

// A child with a joint to a parent of the given kind, or (kind -1) to the world. Closed, at an arbitrary pose.
static int random_joint(linkage *l, ts_joint_kind kind, int parent_kind, ts_random *random)
{
  const bool plane = l->model.freedoms->space == TS_SPACE_2D;
  const int parent = parent_kind < 0 ? TS_WORLD : linkage_random_body(l, (ts_body_kind)parent_kind, random);
  const int child = linkage_random_body(l, TS_DYNAMIC, random);
  ts_vec3 at = random_in_cube(random, 1.0), axis = random_direction(random), axis2 = {0.0, 0.0, 0.0};
  if (plane) {
    at.z = 0.0;
    axis = kind == TS_JOINT_PRISMATIC ? ts_normalize((ts_vec3){axis.x, axis.y, 0.0}, (ts_vec3){1.0, 0.0, 0.0})
                                      : (ts_vec3){0.0, 0.0, 1.0};
  }
  const int joint = linkage_joint(l, kind, parent, child, at, axis, axis2);
  linkage_start(l);
  for (int i = 0; i < l->model.body_count; ++i)
    if (l->model.bodies[i].kind != TS_FIXED) l->state.velocity[i] = random_twist(random, l->model.freedoms->space);
  return joint;
}

// Errors after moving along the velocities for `time`, and back
static int errors_at(linkage *l, double time, double *error)
{
  ts_bilateral_row rows[MOST];
  linkage_drift(l, time);
  const int count = ts_bilateral_rows(&l->model, &l->state, &l->kinematics, 1e-2, NULL, rows);
  for (int i = 0; i < count; ++i) error[i] = rows[i].error;
  linkage_drift(l, -time);
  return count;
}

// The rate of a joint row, kinematic sides included.
static double whole_rate(const linkage *l, const ts_row *row)
{
  const ts_joint *joint = &l->model.joints[0];
  const int body[2] = {joint->parent, joint->child};
  double rate = 0.0;
  for (int side = 0; side < 2; ++side)
    if (body[side] >= 0) rate += ts_twist_dot(row->jacobian[side], l->state.velocity[body[side]]);
  return rate;
}

// d/dt of the errors, by central differences of order 4: round-off 1e-15/1e-3, truncation (1e-3)^4 times derivatives of
// a few.
static void check_rates(linkage *l, double tolerance)
{
  const double e = 1e-3;
  ts_bilateral_row rows[MOST];
  double error[4][MOST];
  const int count = ts_bilateral_rows(&l->model, &l->state, &l->kinematics, 1e-2, NULL, rows);
  for (int k = 0; k < 4; ++k) assert_int_equal(errors_at(l, (k < 2 ? k - 2 : k - 1) * e, error[k]), count);
  for (int i = 0; i < count; ++i) {
    const double rate = (error[0][i] - 8.0 * error[1][i] + 8.0 * error[2][i] - error[3][i]) / (12.0 * e);
    assert_true(fabs(rate - whole_rate(l, &rows[i].row)) < tolerance);
    assert_true(rows[i].bias == rows[i].error / 1e-2 && rows[i].softness == 0.0 && rows[i].source == 0);
  }
}

static void open_joint(linkage *l, double size, ts_random *random)
{
  const int child = l->model.joints[0].child;
  const ts_twist before = l->state.velocity[child];
  l->state.velocity[child] = random_twist(random, l->model.freedoms->space);
  linkage_drift(l, size);
  l->state.velocity[child] = before;
}

static void jacobians_are_the_derivatives_of_errors(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 1);
  for (int space = TS_SPACE_3D; space <= TS_SPACE_2D; ++space)
    for (int kind = 0; kind < TS_JOINT_COUNT; ++kind) {
      if (dof_of((ts_space)space, (ts_joint_kind)kind) < 0) continue;
      for (int round = 0; round < 80; ++round) {
        linkage l;
        linkage_init(&l, (ts_space)space);
        random_joint(&l, (ts_joint_kind)kind, round % 4 - 1, &random);
        ts_bilateral_row rows[MOST];
        const int count = ts_bilateral_rows(&l.model, &l.state, &l.kinematics, 1e-2, NULL, rows);
        const int freedom = dof_of((ts_space)space, (ts_joint_kind)kind);
        assert_int_equal(count, (space == TS_SPACE_2D ? 3 : 6) - freedom);
        assert_true(count <= ts_bilateral_row_limit(&l.model));
        for (int i = 0; i < count; ++i) assert_true(fabs(rows[i].error) < 1e-14);
        check_rates(&l, 1e-9);
        open_joint(&l, 0.2, &random); // open by a fifth of everything, in space derivatives stay exact
        if (space == TS_SPACE_3D) check_rates(&l, 1e-9);
        linkage_release(&l);
      }
    }
}

// In the plane pins hold along x and y of the world, so rate and derivative differ by the error times the parent's
// angular velocity.
static void planar_pins_are_exact_to_first_order(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 2);
  for (int round = 0; round < 100; ++round) {
    linkage l;
    linkage_init(&l, TS_SPACE_2D);
    random_joint(&l, round % 2 ? TS_JOINT_REVOLUTE : TS_JOINT_WELD, TS_DYNAMIC, &random);
    open_joint(&l, 1e-4, &random);
    check_rates(&l, 4e-4);
    linkage_release(&l);
  }
}

// Both sides of a row push at one point: forces and moments about the origin cancel, however open the joint.
static void joints_conserve_momentum(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 3);
  for (int round = 0; round < 140; ++round) {
    linkage l;
    linkage_init(&l, TS_SPACE_3D);
    random_joint(&l, (ts_joint_kind)(round % TS_JOINT_COUNT), TS_DYNAMIC, &random);
    open_joint(&l, 0.3, &random);
    ts_bilateral_row rows[MOST];
    const int count = ts_bilateral_rows(&l.model, &l.state, &l.kinematics, 1e-2, NULL, rows);
    for (int i = 0; i < count; ++i) {
      ts_vec3 force = {0.0, 0.0, 0.0}, moment = {0.0, 0.0, 0.0};
      for (int side = 0; side < 2; ++side) {
        const ts_twist *J = &rows[i].row.jacobian[side];
        const ts_vec3 centre = l.kinematics.frame[rows[i].row.body[side]].origin;
        force = ts_add(force, J->linear);
        moment = ts_add(moment, ts_add(J->angular, ts_cross(centre, J->linear)));
      }
      assert_true(ts_length(force) < 1e-14 && ts_length(moment) < 1e-13);
    }
    linkage_release(&l);
  }
}

// With kinematic bodies at the end of the step, a closed joint whose dynamic side moves to meet them has zero rows:
// rate + Phi/h vanishes to first order in h.
static void kinematic_parents_are_met_at_the_end_of_the_step(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 4);
  const double h = 1e-5;
  for (int round = 0; round < 140; ++round) {
    linkage l;
    linkage_init(&l, TS_SPACE_3D);
    const int joint = random_joint(&l, (ts_joint_kind)(round % TS_JOINT_COUNT), TS_KINEMATIC, &random);
    const int parent = l.model.joints[joint].parent, child = l.model.joints[joint].child;
    // The child moves with the parent as one rigid body.
    const ts_vec3 arm = ts_sub(l.state.pose[child].position, l.state.pose[parent].position);
    const ts_twist rigid = {ts_twist_at(l.state.velocity[parent], arm), l.state.velocity[parent].angular};
    l.state.velocity[child] = (ts_twist){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    linkage_drift(&l, h);
    l.state.velocity[child] = rigid;
    ts_bilateral_row rows[MOST];
    const int count = ts_bilateral_rows(&l.model, &l.state, &l.kinematics, h, NULL, rows);
    for (int i = 0; i < count; ++i) {
      assert_int_equal(rows[i].row.body[0], -1);
      assert_int_equal(rows[i].row.body[1], child);
      assert_true(fabs(ts_row_rate(&rows[i].row, l.state.velocity) + rows[i].bias) < 20.0 * h);
    }
    linkage_release(&l);
  }
}

// ---- coordinates ---------------------------------------------------------------------------------------------------

// Turn or slide the child along its joint by `amount`, the parent staying.
static void move_along(linkage *l, int joint, double amount)
{
  const ts_joint *j = &l->model.joints[joint];
  const ts_pose world = ts_pose_identity(), *parent = j->parent < 0 ? &world : &l->state.pose[j->parent];
  const ts_pose frame = ts_pose_compose(parent, &j->frame[0]);
  const ts_vec3 axis = ts_quat_rotate(frame.orientation, (ts_vec3){0.0, 0.0, 1.0});
  ts_pose *pose = &l->state.pose[j->child];
  if (j->kind == TS_JOINT_PRISMATIC) {
    pose->position = ts_add_scaled(pose->position, amount, axis);
  } else {
    const ts_quat turn = ts_quat_exp(ts_scale(amount, axis));
    pose->position = ts_add(frame.position, ts_quat_rotate(turn, ts_sub(pose->position, frame.position)));
    pose->orientation = ts_quat_product(turn, pose->orientation);
    l->state.angle[j->child] += amount;
  }
  linkage_refresh(l);
}

static void coordinates_measure_the_motion(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 5);
  for (int round = 0; round < 200; ++round) {
    linkage l;
    linkage_init(&l, round % 2 ? TS_SPACE_2D : TS_SPACE_3D);
    const ts_joint_kind kind = round % 4 < 2 ? TS_JOINT_REVOLUTE : TS_JOINT_PRISMATIC;
    const int joint = random_joint(&l, kind, round / 4 % 4 - 1, &random);
    const double amount = ts_random_uniform(&random, -3.0, 3.0);
    assert_true(fabs(ts_joint_position(&l.model, &l.state, &l.kinematics, joint, NULL)) < 1e-14);
    move_along(&l, joint, amount);
    double rate, before, after;
    assert_true(fabs(ts_joint_position(&l.model, &l.state, &l.kinematics, joint, &rate) - amount) < 1e-13);
    // d/dt by differences, along motions that the joint allows only roughly: rate is exact where the joint is closed
    linkage_drift(&l, 1e-5);
    after = ts_joint_position(&l.model, &l.state, &l.kinematics, joint, NULL);
    linkage_drift(&l, -2e-5);
    before = ts_joint_position(&l.model, &l.state, &l.kinematics, joint, NULL);
    assert_true(fabs((after - before) / 2e-5 - rate) < 1e-7);
    linkage_release(&l);
  }
}

static void angles_count_turns(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 6);
  for (int space = TS_SPACE_3D; space <= TS_SPACE_2D; ++space) {
    linkage l;
    linkage_init(&l, (ts_space)space);
    const int joint = random_joint(&l, TS_JOINT_REVOLUTE, TS_DYNAMIC, &random);
    for (int i = 0; i < 9; ++i) move_along(&l, joint, 0.5 * TS_PI);
    assert_true(fabs(ts_joint_position(&l.model, &l.state, &l.kinematics, joint, NULL) - 4.5 * TS_PI) < 1e-12);
    for (int i = 0; i < 20; ++i) move_along(&l, joint, -0.95 * TS_PI);
    assert_true(fabs(ts_joint_position(&l.model, &l.state, &l.kinematics, joint, NULL) + 14.5 * TS_PI) < 1e-11);
    linkage_release(&l);
  }
}

static void joints_without_a_coordinate_say_zero(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 7);
  linkage l;
  linkage_init(&l, TS_SPACE_3D);
  const int joint = random_joint(&l, TS_JOINT_SPHERICAL, -1, &random);
  double rate = 5.0;
  assert_true(ts_joint_position(&l.model, &l.state, &l.kinematics, joint, &rate) == 0.0 && rate == 0.0);
  linkage_release(&l);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobians_are_the_derivatives_of_errors),
      cmocka_unit_test(planar_pins_are_exact_to_first_order),
      cmocka_unit_test(joints_conserve_momentum),
      cmocka_unit_test(kinematic_parents_are_met_at_the_end_of_the_step),
      cmocka_unit_test(coordinates_measure_the_motion),
      cmocka_unit_test(angles_count_turns),
      cmocka_unit_test(joints_without_a_coordinate_say_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
