// Motors, servos, stops and springs against closed forms of implicit Euler and against differences.
#include "dynamics/rows.h"

#include "linkage.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

enum { MOST = 16 };
static const ts_vec3 NONE = {0.0, 0.0, 0.0}, X = {1.0, 0.0, 0.0}, Z = {0.0, 0.0, 1.0};
static const ts_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};

// A body on a joint with `axis` through its centre of mass, which is `at`; mass 2, moment of inertia 0.5 about any
// axis.
static void one_joint(linkage *l, ts_joint_kind kind, int parent, ts_vec3 at, ts_vec3 axis)
{
  const ts_vec3 moments = {0.5, 0.5, 0.5};
  const int child = linkage_body(l, TS_DYNAMIC, 2.0, moments, (ts_pose){at, UPRIGHT}, 0.0);
  linkage_joint(l, kind, parent, child, at, axis, NONE);
  linkage_start(l);
}

static double position(const linkage *l, double *rate)
{
  return ts_joint_position(&l->model, &l->state, &l->kinematics, 0, rate);
}

static void set_servo(linkage *l, double k, double d, double target, double max_force)
{
  l->model.joints[0].motor = (ts_motor){.kind = TS_MOTOR_SERVO,
                                        .target = ts_signal_constant(target),
                                        .stiffness = k,
                                        .damping = d,
                                        .max_force = max_force};
}

static void set_motor(linkage *l, double target, double max_force)
{
  l->model.joints[0].motor =
      (ts_motor){.kind = TS_MOTOR_VELOCITY, .target = ts_signal_constant(target), .max_force = max_force};
}

static void set_limits(linkage *l, double lower, double upper)
{
  ts_joint *joint = &l->model.joints[0];
  joint->limited = true;
  joint->lower = lower;
  joint->upper = upper;
  joint->restitution = 0.25;
}

static int bounded(const linkage *l, double h, ts_bounded_row *rows)
{
  const int count = ts_bounded_rows(&l->model, &l->state, &l->kinematics, h, rows);
  assert_true(count <= ts_bounded_row_limit(&l->model));
  return count;
}

// ---- servos --------------------------------------------------------------------------------------------------------

// m v' = k (target - x) - d v by implicit Euler: v+ = (m v + h k (target - x)) / (m + h d + h^2 k), x+ = x + h v+.
static void servos_are_implicit_euler(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 31);
  for (int round = 0; round < 40; ++round) {
    const bool slides = round % 2;
    const double k = pow(10.0, ts_random_uniform(&random, -2.0, 8.0)), d = round % 4 < 2 ? 0.0 : 3.0, h = 1e-2;
    const double m = slides ? 2.0 : 0.5, target = 0.7;
    linkage l;
    linkage_init(&l, TS_SPACE_3D);
    one_joint(&l, slides ? TS_JOINT_PRISMATIC : TS_JOINT_REVOLUTE, TS_WORLD, X, random_direction(&random));
    set_servo(&l, k, d, target, INFINITY);
    double x = 0.0, v = 0.0;
    for (int i = 0; i < 50; ++i) {
      linkage_step(&l, h);
      v = (m * v + h * k * (target - x)) / (m + h * d + h * h * k);
      x += h * v;
      double rate;
      // a pose advances by q + h G v and is normalized: its angle by 2 atan(h v / 2)
      const double q = position(&l, &rate);
      assert_true(fabs(rate - v) < 1e-10 * (1.0 + fabs(v)));
      if (!slides) x = q;
      assert_true(fabs(q - x) < 1e-11);
      v = rate;
    }
    linkage_release(&l);
  }
}

static void stiff_servos_are_stable(void **state)
{
  (void)state;
  linkage l;
  linkage_init(&l, TS_SPACE_3D);
  one_joint(&l, TS_JOINT_PRISMATIC, TS_WORLD, X, X);
  l.model.bodies[0].gravity = (ts_vec3){-9.81, 0.0, 0.0};
  set_servo(&l, 1e12, 1e9, 0.3, INFINITY);
  double last = 1.0;
  for (int i = 0; i < 200; ++i) {
    linkage_step(&l, 1e-1);
    const double off = fabs(position(&l, NULL) - 0.3);
    assert_true(off <= last + 1e-12);
    last = off;
  }
  assert_true(last < 1e-9); // m g / k is 2e-11
  linkage_release(&l);
}

static void limited_servos_are_bounded_rows(void **state)
{
  (void)state;
  linkage l;
  ts_bounded_row row[MOST];
  ts_bilateral_row joint[MOST];
  linkage_init(&l, TS_SPACE_3D);
  one_joint(&l, TS_JOINT_PRISMATIC, TS_WORLD, X, X);
  set_servo(&l, 100.0, 5.0, 0.3, 7.0);
  const double h = 1e-2;
  assert_int_equal(ts_bilateral_rows(&l.model, &l.state, &l.kinematics, h, NULL, joint), 5);
  assert_int_equal(bounded(&l, h, row), 1);
  assert_true(row[0].lower == -0.07 && row[0].upper == 0.07 && row[0].feature == TS_DRIVE && row[0].joint == 0);
  assert_true(fabs(row[0].softness - 1.0 / (h * 6.0)) < 1e-12);
  assert_true(fabs(row[0].bias + 100.0 * 0.3 / 6.0) < 1e-12);
  set_servo(&l, 100.0, 5.0, 0.3, INFINITY);
  assert_int_equal(ts_bilateral_rows(&l.model, &l.state, &l.kinematics, h, NULL, joint), 6);
  assert_int_equal(bounded(&l, h, row), 0);
  assert_true(joint[5].softness == 1.0 / (h * 6.0) && joint[5].source == 0 && joint[5].error == 0.0);
  set_servo(&l, 0.0, 0.0, 0.3, 7.0); // does nothing
  assert_int_equal(bounded(&l, h, row), 0);
  set_servo(&l, 0.0, 0.0, 0.3, INFINITY);
  assert_int_equal(ts_bilateral_rows(&l.model, &l.state, &l.kinematics, h, NULL, joint), 5);
  linkage_release(&l);
}

// From 3 rad the way to -3 rad is back by 6, not forward by 0.28; with limits or without.
static void servos_unwind(void **state)
{
  (void)state;
  ts_bounded_row row[MOST];
  linkage l;
  linkage_init(&l, TS_SPACE_3D);
  one_joint(&l, TS_JOINT_REVOLUTE, TS_WORLD, X, Z);
  l.state.pose[0].orientation = ts_quat_about_z(3.0);
  linkage_refresh(&l);
  set_servo(&l, 1.0, 0.0, -3.0, 1.0);
  assert_int_equal(bounded(&l, 1.0, row), 1);
  assert_true(fabs(row[0].bias - 6.0) < 1e-12);
  set_limits(&l, -3.1, 3.1);
  const int count = bounded(&l, 1.0, row); // with the stops at both ends, in a step this long
  assert_true(count >= 2 && row[count - 1].feature == TS_DRIVE);
  assert_true(fabs(row[count - 1].bias - 6.0) < 1e-12);
  linkage_release(&l);
}

// ---- motors --------------------------------------------------------------------------------------------------------

static void motors_set_the_rate_on_moving_parents(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 32);
  for (int round = 0; round < 40; ++round) {
    linkage l;
    linkage_init(&l, TS_SPACE_3D);
    const int parent = linkage_random_body(&l, round % 4 < 2 ? TS_KINEMATIC : TS_DYNAMIC, &random);
    one_joint(&l, round % 2 ? TS_JOINT_REVOLUTE : TS_JOINT_PRISMATIC, parent, X, random_direction(&random));
    l.state.velocity[parent] = (ts_twist){random_in_cube(&random, 1.0), random_in_cube(&random, 1.0)};
    set_motor(&l, 1.5, INFINITY);
    ts_bilateral_row rows[MOST];
    const int count = ts_bilateral_rows(&l.model, &l.state, &l.kinematics, 1e-3, NULL, rows);
    assert_int_equal(count, 6);
    ts_bilateral bilateral;
    double impulse[MOST], rate;
    ts_bilateral_factor(&l.model, &l.kinematics, rows, count, &l.arena, &bilateral);
    ts_bilateral_project(&bilateral, l.state.velocity, impulse, &l.arena);
    position(&l, &rate);
    assert_true(fabs(rate - 1.5) < 1e-12);
    linkage_release(&l);
  }
}

static void strong_motors_stop_at_stops(void **state)
{
  (void)state;
  linkage l;
  linkage_init(&l, TS_SPACE_3D);
  one_joint(&l, TS_JOINT_PRISMATIC, TS_WORLD, X, X);
  set_limits(&l, -1.0, 0.25);
  set_motor(&l, 1.0, INFINITY);
  ts_bounded_row row[MOST];
  assert_int_equal(bounded(&l, 1e-1, row), 0);
  for (int i = 0; i < 10; ++i) linkage_step(&l, 1e-1);
  double rate;
  assert_true(fabs(position(&l, &rate) - 0.25) < 1e-12 && fabs(rate) < 1e-12);
  linkage_release(&l);
}

static void weak_motors_are_bounded_rows(void **state)
{
  (void)state;
  linkage l;
  linkage_init(&l, TS_SPACE_2D);
  const int cart = linkage_body(&l, TS_KINEMATIC, 0.0, NONE, (ts_pose){NONE, UPRIGHT}, 0.0);
  one_joint(&l, TS_JOINT_PRISMATIC, cart, X, X);
  l.state.velocity[cart].linear.x = 3.0;
  set_motor(&l, 5.0, 10.0);
  ts_bounded_row row[MOST];
  assert_int_equal(bounded(&l, 1e-1, row), 1);
  assert_true(row[0].lower == -1.0 && row[0].upper == 1.0 && row[0].softness == 0.0);
  assert_true(fabs(row[0].bias + 8.0) < 1e-14); // 5 against a parent that runs ahead at 3
  assert_int_equal(row[0].row.body[0], -1);
  assert_true(fabs(row[0].row.jacobian[0].linear.x + 1.0) < 1e-15);
  linkage_release(&l);
}

// ---- stops ---------------------------------------------------------------------------------------------------------

static void stops_appear_when_they_are_near(void **state)
{
  (void)state;
  ts_bounded_row row[MOST];
  linkage l;
  linkage_init(&l, TS_SPACE_3D);
  one_joint(&l, TS_JOINT_PRISMATIC, TS_WORLD, X, X);
  set_limits(&l, -1.0, 1.0);
  assert_int_equal(bounded(&l, 1e-2, row), 0); // in the middle at rest
  l.state.pose[0].position.x = 1.85;
  linkage_refresh(&l);
  assert_int_equal(bounded(&l, 1e-2, row), 1);
  assert_true(row[0].feature == TS_UPPER_STOP && fabs(row[0].gap - 0.15) < 1e-15 && fabs(row[0].bias - 15.0) < 1e-13);
  assert_true(row[0].lower == 0.0 && isinf(row[0].upper) && row[0].restitution == 0.25 && row[0].softness == 0.0);
  assert_true(fabs(row[0].row.jacobian[1].linear.x + 1.0) < 1e-15);
  l.state.velocity[0].linear.x = -100.0; // covers 1 m in a step
  assert_int_equal(bounded(&l, 1e-2, row), 2);
  assert_true(row[0].feature == TS_LOWER_STOP && fabs(row[0].row.jacobian[1].linear.x - 1.0) < 1e-15);
  l.state.velocity[0].linear.x = 0.0;
  set_limits(&l, -INFINITY, 1.0); // one stop
  assert_int_equal(bounded(&l, 1e-2, row), 1);
  set_limits(&l, 0.85, 0.85); // held
  assert_int_equal(bounded(&l, 1e-2, row), 2);
  linkage_release(&l);
}

// Gaps are taken with kinematic bodies at the end of the step; drift says what they add to the rate.
static void stops_know_moving_parents(void **state)
{
  (void)state;
  ts_bounded_row row[MOST];
  linkage l;
  linkage_init(&l, TS_SPACE_2D);
  const int cart = linkage_body(&l, TS_KINEMATIC, 0.0, NONE, (ts_pose){NONE, UPRIGHT}, 0.0);
  one_joint(&l, TS_JOINT_REVOLUTE, cart, X, Z);
  set_limits(&l, -0.04, 0.1);
  l.state.velocity[cart].angular.z = 2.0;
  l.state.angle[cart] = 0.02; // after h = 0.01
  l.state.pose[cart].orientation = ts_quat_about_z(0.02);
  linkage_refresh(&l);
  assert_int_equal(bounded(&l, 1e-2, row), 1);
  assert_true(row[0].feature == TS_LOWER_STOP && fabs(row[0].gap - 0.02) < 1e-15 && fabs(row[0].drift + 2.0) < 1e-15);
  assert_true(fabs(row[0].bias - 2.0) < 1e-13);
  linkage_release(&l);
}

// Limits of more than a turn, and on one side: a stop at 15 rad is met there, not at 15 - 4 pi.
static void stops_beyond_a_turn(void **state)
{
  (void)state;
  ts_bounded_row row[MOST];
  for (int space = TS_SPACE_3D; space <= TS_SPACE_2D; ++space)
    for (int sides = 1; sides <= 2; ++sides) {
      linkage l;
      linkage_init(&l, (ts_space)space);
      one_joint(&l, TS_JOINT_REVOLUTE, TS_WORLD, X, Z);
      set_limits(&l, sides == 2 ? -0.1 : -INFINITY, 15.0);
      assert_int_equal(bounded(&l, 1e-2, row), sides - 1);
      l.state.velocity[0].angular.z = 1.0;
      for (int k = 0; k < 148; ++k) linkage_drift(&l, 0.1);
      assert_true(fabs(position(&l, NULL) - 14.8) < 1e-11);
      assert_int_equal(bounded(&l, 1e-2, row), 1);
      assert_true(row[0].feature == TS_UPPER_STOP && fabs(row[0].gap - 0.2) < 1e-11);
      linkage_release(&l);
    }
}

// ---- springs -------------------------------------------------------------------------------------------------------

// Two bodies on a line: e'+ = (e' - h k (e - L)/mu) / (1 + h (d + h k)/mu) with the reduced mass mu.
static void springs_are_implicit_euler(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 33);
  for (int round = 0; round < 40; ++round) {
    const double k = pow(10.0, ts_random_uniform(&random, -1.0, 9.0)), d = round % 2 ? 2.0 : 0.0, h = 1e-2, L = 0.8;
    const ts_vec3 u = random_direction(&random), moments = {1.0, 1.0, 1.0};
    linkage l;
    linkage_init(&l, TS_SPACE_3D);
    linkage_body(&l, TS_DYNAMIC, 1.0, moments, (ts_pose){NONE, UPRIGHT}, 0.0);
    linkage_body(&l, TS_DYNAMIC, 3.0, moments, (ts_pose){u, UPRIGHT}, 0.0);
    linkage_spring(&l, 0, NONE, 1, NONE, k, d, L);
    linkage_start(&l);
    l.state.velocity[1].linear = ts_scale(0.5, u);
    double e = 1.0, rate = 0.5;
    const double mu = 0.75;
    for (int i = 0; i < 30; ++i) {
      linkage_step(&l, h);
      rate = (rate - h * k * (e - L) / mu) / (1.0 + h * (d + h * k) / mu);
      e += h * rate;
      assert_true(fabs(ts_distance_of(l.state.pose[0].position, l.state.pose[1].position) - e) < 1e-11);
    }
    const ts_vec3 momentum = ts_add_scaled(l.state.velocity[0].linear, 3.0, l.state.velocity[1].linear);
    assert_true(ts_distance_of(momentum, ts_scale(1.5, u)) < 1e-12);
    linkage_release(&l);
  }
}

// The distance between points off the centres, one of them on a kinematic body: the impulse is the one of the forces
// at the end of the step, to first order in h.
static void spring_rows_are_derivatives_of_the_distance(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 34);
  for (int round = 0; round < 40; ++round) {
    linkage l;
    linkage_init(&l, TS_SPACE_3D);
    const int first = linkage_random_body(&l, round % 2 ? TS_KINEMATIC : TS_DYNAMIC, &random);
    const int second = linkage_random_body(&l, TS_DYNAMIC, &random);
    const ts_vec3 at[2] = {random_in_cube(&random, 1.0), random_in_cube(&random, 1.0)};
    const double k = 30.0, d = 2.0, L = 0.1, h = 1e-2;
    linkage_spring(&l, first, at[0], second, at[1], k, d, L);
    linkage_start(&l);
    for (int i = 0; i < 2; ++i)
      l.state.velocity[i] = (ts_twist){random_in_cube(&random, 1.0), random_in_cube(&random, 1.0)};
    ts_bilateral_row row[MOST];
    assert_int_equal(ts_bilateral_rows(&l.model, &l.state, &l.kinematics, h, NULL, row), 1);
    double distance[3];
    for (int i = 0; i < 3; ++i) {
      linkage_drift(&l, (i - 1) * 1e-6);
      distance[i] =
          ts_distance_of(ts_pose_apply(&l.state.pose[first], at[0]), ts_pose_apply(&l.state.pose[second], at[1]));
      linkage_drift(&l, -(i - 1) * 1e-6);
    }
    const double rate = (distance[2] - distance[0]) / 2e-6, mine = ts_row_rate(&row->row, l.state.velocity);
    const double drift = rate - mine; // by the kinematic body
    if (round % 2 == 0) assert_true(fabs(drift) < 1e-8);
    // The row says p = -(rate + bias)/softness; the force law says -h [k (e + h rate - L) + d (rate + drift)].
    const double p = -(mine + row->bias) / row->softness;
    const double law = -h * (k * (distance[1] + h * mine - L) + d * (mine + drift));
    assert_true(fabs(p - law) < 1e-8);
    linkage_release(&l);
  }
}

// x'' = -k/m x in every direction, also through the point where the ends meet.
static void springs_without_length_pull_in_all_directions(void **state)
{
  (void)state;
  for (int space = TS_SPACE_3D; space <= TS_SPACE_2D; ++space)
    for (int stiff = 0; stiff < 2; ++stiff) {
      const double k = stiff ? 1e8 : 10.0, m = 2.0, h = 1e-2;
      linkage l;
      linkage_init(&l, (ts_space)space);
      linkage_body(&l, TS_DYNAMIC, m, NONE, (ts_pose){NONE, UPRIGHT}, 0.0);
      linkage_spring(&l, TS_WORLD, NONE, 0, NONE, k, 0.0, 0.0);
      linkage_start(&l);
      ts_vec3 x = NONE, v = {1.0, -2.0, space == TS_SPACE_3D ? 0.5 : 0.0};
      l.state.velocity[0].linear = v;
      for (int i = 0; i < 100; ++i) {
        linkage_step(&l, h);
        v = ts_scale(1.0 / (1.0 + h * h * k / m), ts_add_scaled(v, -h * k / m, x));
        x = ts_add_scaled(x, h, v);
        assert_true(ts_distance_of(l.state.pose[0].position, x) < 1e-12);
      }
      linkage_release(&l);
    }
}

static void springs_without_a_direction_rest(void **state)
{
  (void)state;
  ts_bilateral_row row[MOST];
  linkage l;
  linkage_init(&l, TS_SPACE_3D);
  linkage_body(&l, TS_DYNAMIC, 1.0, NONE, (ts_pose){NONE, UPRIGHT}, 0.0);
  linkage_spring(&l, TS_WORLD, NONE, 0, NONE, 10.0, 1.0, 0.5);
  linkage_start(&l);
  assert_int_equal(ts_bilateral_rows(&l.model, &l.state, &l.kinematics, 1e-2, NULL, row), 0);
  l.model.springs[0].length = 0.0;
  assert_int_equal(ts_bilateral_rows(&l.model, &l.state, &l.kinematics, 1e-2, NULL, row), 3);
  assert_true(ts_bilateral_row_limit(&l.model) >= 3);
  l.model.springs[0].stiffness = l.model.springs[0].damping = 0.0;
  assert_int_equal(ts_bilateral_rows(&l.model, &l.state, &l.kinematics, 1e-2, NULL, row), 0);
  l.model.springs[0].stiffness = 1.0;
  l.model.springs[0].implicit = false; // a force of the free motion
  assert_int_equal(ts_bilateral_rows(&l.model, &l.state, &l.kinematics, 1e-2, NULL, row), 0);
  linkage_release(&l);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(servos_are_implicit_euler),
      cmocka_unit_test(stiff_servos_are_stable),
      cmocka_unit_test(limited_servos_are_bounded_rows),
      cmocka_unit_test(servos_unwind),
      cmocka_unit_test(motors_set_the_rate_on_moving_parents),
      cmocka_unit_test(strong_motors_stop_at_stops),
      cmocka_unit_test(weak_motors_are_bounded_rows),
      cmocka_unit_test(stops_appear_when_they_are_near),
      cmocka_unit_test(stops_know_moving_parents),
      cmocka_unit_test(stops_beyond_a_turn),
      cmocka_unit_test(springs_are_implicit_euler),
      cmocka_unit_test(spring_rows_are_derivatives_of_the_distance),
      cmocka_unit_test(springs_without_length_pull_in_all_directions),
      cmocka_unit_test(springs_without_a_direction_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
