// States: free flight against the closed forms of the scheme, energies, gyroscopic terms, forces, springs, motors.
#include "dynamics/gyroscopic.h"
#include "dynamics/state.h"

#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

enum { MOST_BODIES = 4, MOST_JOINTS = 2 };

// A model with room for its state.
static const ts_turning EXPLICITLY = {.rule = TS_GYROSCOPIC_EXPLICIT, .weight = 1.0};

typedef struct world {
  ts_builder *builder;
  ts_model *model;
  ts_state state;
  ts_kinematics kinematics;
  ts_pose pose[MOST_BODIES];
  double angle[MOST_BODIES], turned[MOST_JOINTS];
  ts_twist velocity[MOST_BODIES], free_velocity[MOST_BODIES];
  ts_frame frame[MOST_BODIES];
  ts_mat3 inverse_inertia[MOST_BODIES];
} world;

static ts_body_def top_def(const char *name)
{
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.mass = 2.0;
  const double inertia[6] = {0.3, 0.5, 0.6, 0.02, -0.01, 0.03};
  for (int i = 0; i < 6; ++i) def.inertia[i] = inertia[i];
  return def;
}

static void start(world *w, ts_space space)
{
  *w = (world){.builder = ts_builder_create(space)};
  assert_non_null(w->builder);
}

static int add_body(world *w, const ts_body_def *def)
{
  int body;
  ts_error error;
  if (ts_builder_add_body(w->builder, def, &body, &error) != TS_OK) fail_msg("%s", error.text);
  return body;
}

static void finish(world *w)
{
  ts_error error;
  if (ts_builder_finish(w->builder, &w->model, &error) != TS_OK) fail_msg("%s", error.text);
  assert_true(w->model->body_count <= MOST_BODIES && w->model->joint_count <= MOST_JOINTS);
  w->state = (ts_state){.pose = w->pose, .angle = w->angle, .velocity = w->velocity, .turned = w->turned};
  w->kinematics = (ts_kinematics){w->frame, w->inverse_inertia};
  ts_state_init(w->model, &w->state);
  ts_kinematics_update(w->model, &w->state, &w->kinematics);
}

static void end(world *w)
{
  ts_model_destroy(w->model);
  ts_builder_destroy(w->builder);
}

static void step(world *w, double h, ts_gyroscopic rule)
{
  ts_kinematics_update(w->model, &w->state, &w->kinematics);
  ts_free_velocity(w->model, &w->state, &w->kinematics, h, (ts_turning){.rule = rule, .weight = 1.0}, NULL,
                   w->free_velocity);
  for (int i = 0; i < w->model->body_count; ++i) w->velocity[i] = w->free_velocity[i];
  ts_state_advance(w->model, h, 1.0, NULL, &w->state);
  w->state.time += h;
  ts_kinematics_update(w->model, &w->state, &w->kinematics);
}

static double kinetic(const world *w)
{
  return ts_kinetic_energy(w->model, &w->kinematics, w->velocity);
}

static ts_vec3 angular_momentum(const world *w, int body)
{
  const ts_mat3 I = ts_mat3_rotate(&w->frame[body].axes, &w->model->bodies[body].inertia);
  return ts_mul(&I, w->velocity[body].angular);
}

// The scheme v+ = v + h g, x+ = x + h v+ gives x_n = x_0 + n h v_0 + n (n+1)/2 h^2 g for the centre of mass, wherever
// it lies in the body.
static void an_off_centre_body_flies_on_the_parabola_of_its_centre(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_body_def def = top_def("top");
  def.centre = (ts_vec3){0.1, -0.2, 0.3};
  def.pose = (ts_pose){{1.0, 2.0, 3.0}, ts_quat_exp((ts_vec3){0.3, 0.4, -0.5})};
  def.velocity = (ts_twist){{1.0, -2.0, 3.0}, {2.0, 1.0, -1.5}};
  add_body(&w, &def);
  finish(&w);
  const ts_vec3 arm = ts_quat_rotate(def.pose.orientation, def.centre);
  const ts_vec3 start_at = ts_add(def.pose.position, arm), speed = ts_twist_at(def.velocity, arm);
  const double h = 1e-3;
  for (int n = 1; n <= 1000; ++n) {
    step(&w, h, TS_GYROSCOPIC_IMPLICIT);
    ts_vec3 expected = ts_add_scaled(start_at, n * h, speed);
    expected.z -= 9.81 * 0.5 * n * (n + 1) * h * h;
    assert_vec_near(w.pose[0].position, expected, 1e-12);
  }
  assert_near(ts_quat_length(w.pose[0].orientation), 1.0, 1e-14);
  end(&w);
}

static void planar_angles_add_up_exactly(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_2D);
  ts_body_def def = top_def("disc");
  def.angle = 0.25;
  def.velocity = (ts_twist){{1.0, 0.0, 0.0}, {0.0, 0.0, 64.0}};
  add_body(&w, &def);
  finish(&w);
  for (int n = 0; n < 64; ++n) step(&w, 0.0625, TS_GYROSCOPIC_EXPLICIT); // all numbers are exact in binary
  assert_true(w.angle[0] == 0.25 + 64.0 * 64.0 * 0.0625);
  const ts_quat q = ts_quat_about_z(w.angle[0]);
  assert_memory_equal(&w.pose[0].orientation, &q, sizeof q);
  assert_true(w.pose[0].position.z == 0.0);
  end(&w);
}

// One step with weight theta moves by h (theta v+ + (1 - theta) v).
static void the_weight_mixes_velocities(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_body_def def = top_def("top");
  add_body(&w, &def);
  finish(&w);
  const ts_twist old = {{1.0, 2.0, 3.0}, {0.0, 0.0, 0.0}};
  w.velocity[0] = (ts_twist){{5.0, 4.0, -3.0}, {0.0, 0.0, 0.0}};
  ts_state_advance(w.model, 0.1, 0.5, &old, &w.state);
  assert_vec_near(w.pose[0].position, (ts_vec3){0.3, 0.3, 0.0}, 1e-15);
  end(&w);
}

// The turned quaternion is the exponential to third order in h.
static void orientations_follow_the_exponential(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_body_def def = top_def("top");
  def.pose.orientation = ts_quat_exp((ts_vec3){0.3, 0.4, -0.5});
  add_body(&w, &def);
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const double h = i ? 0.5e-2 : 1e-2;
    if (i == 0) finish(&w);
    ts_state_init(w.model, &w.state);
    w.velocity[0].angular = (ts_vec3){1.0, -2.0, 3.0};
    ts_state_advance(w.model, h, 1.0, NULL, &w.state);
    const ts_quat exact = ts_quat_product(ts_quat_exp(ts_scale(h, w.velocity[0].angular)), def.pose.orientation);
    const ts_quat q = w.pose[0].orientation;
    errors[i] = fabs(q.w - exact.w) + fabs(q.x - exact.x) + fabs(q.y - exact.y) + fabs(q.z - exact.z);
  }
  assert_near(errors[0] / errors[1], 8.0, 0.05);
  end(&w);
}

// corrections.md 12: the explicit term gains exactly 1/2 h^2 T.I^-1 T with T = w x I w, measured at the inertia of its
// step.
static void the_explicit_term_gains_the_energy_it_is_known_to_gain(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0});
  ts_body_def def = top_def("top");
  def.velocity.angular = (ts_vec3){2.0, -3.0, 4.0};
  add_body(&w, &def);
  finish(&w);
  const double h = 0.01;
  for (int n = 0; n < 50; ++n) {
    const ts_vec3 L = angular_momentum(&w, 0), T = ts_cross(w.velocity[0].angular, L);
    const double expected = 0.5 * h * h * ts_dot(T, ts_mul(&w.inverse_inertia[0], T));
    ts_free_velocity(w.model, &w.state, &w.kinematics, h, EXPLICITLY, NULL, w.free_velocity);
    const double gain = ts_kinetic_energy(w.model, &w.kinematics, w.free_velocity) - kinetic(&w);
    assert_near(gain, expected, 1e-13);
    assert_true(expected > 1e-5);
    step(&w, h, TS_GYROSCOPIC_EXPLICIT);
  }
  end(&w);
}

static double momentum_error_after_one_second(world *w, int steps)
{
  ts_state_init(w->model, &w->state);
  ts_kinematics_update(w->model, &w->state, &w->kinematics);
  const ts_vec3 before = angular_momentum(w, 0);
  for (int n = 0; n < steps; ++n) step(w, 1.0 / steps, TS_GYROSCOPIC_IMPLICIT);
  return ts_distance_of(angular_momentum(w, 0), before);
}

static void the_implicit_term_conserves_momentum_to_first_order(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0});
  ts_body_def def = top_def("top");
  def.velocity.angular = (ts_vec3){0.5, -0.6, 0.7};
  add_body(&w, &def);
  finish(&w);
  const double coarse = momentum_error_after_one_second(&w, 200), fine = momentum_error_after_one_second(&w, 400);
  assert_near(coarse / fine, 2.0, 0.05);
  assert_true(fine < 1e-3);
  end(&w);
}

// Bodies that turn by up to 1000 rad a step, flat and long ones among them: the equation is solved or at least no
// energy gained.
static void the_implicit_term_never_gains_energy(void **unused)
{
  (void)unused;
  ts_random random;
  ts_random_init(&random, 3);
  int solved = 0, solved_slow = 0, slow = 0;
  for (int n = 0; n < 2000; ++n) {
    const double a = pow(10.0, ts_random_uniform(&random, -3.0, 0.0)), b = ts_random_uniform(&random, a, 1.0);
    const ts_mat3 R = ts_quat_matrix(ts_quat_exp((ts_vec3){ts_random_normal(&random), ts_random_normal(&random), 0.3}));
    const ts_mat3 D = {{a, 0, 0}, {0, b, 0}, {0, 0, a + b * ts_random_uniform(&random, 0.0, 1.0)}};
    const ts_mat3 I = ts_mat3_rotate(&R, &D);
    const double speed = pow(10.0, ts_random_uniform(&random, -2.0, 3.0)), h = 1.0;
    const ts_vec3 w =
        ts_scale(speed, (ts_vec3){ts_random_normal(&random), ts_random_normal(&random), ts_random_normal(&random)});
    const ts_vec3 x = ts_gyroscopic_implicit(&I, h, w);
    assert_true(ts_vec3_is_finite(x));
    assert_true(ts_dot(x, ts_mul(&I, x)) <= ts_dot(w, ts_mul(&I, w)) * (1.0 + 1e-12));
    const ts_vec3 f = ts_add_scaled(ts_mul(&I, ts_sub(x, w)), h, ts_cross(x, ts_mul(&I, x)));
    const bool is_solved = ts_length(f) <= 1e-10 * ts_length(ts_mul(&I, w));
    solved += is_solved;
    slow += speed < 0.1;
    solved_slow += speed < 0.1 && is_solved;
  }
  assert_int_equal(solved_slow, slow);
  assert_true(solved >= 1980);
}

static void isotropic_bodies_do_not_precess(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_body_def def = top_def("ball");
  for (int i = 0; i < 6; ++i) def.inertia[i] = i < 3 ? 0.4 : 0.0;
  def.velocity.angular = (ts_vec3){1.0, 2.0, 3.0};
  add_body(&w, &def);
  finish(&w);
  assert_true(w.model->bodies[0].isotropic);
  for (int n = 0; n < 10; ++n) step(&w, 0.01, (ts_gyroscopic)(n % 3));
  assert_memory_equal(&w.velocity[0].angular, &def.velocity.angular, sizeof def.velocity.angular);
  assert_true(w.inverse_inertia[0].x.x == 2.5 && w.inverse_inertia[0].x.y == 0.0);
  end(&w);
}

// Below the last digit of its angular velocity a torque does nothing, and rounding must not either.
static void what_hardly_turns_keeps_its_velocity_to_the_bit(void **unused)
{
  static const ts_gyroscopic rules[] = {TS_GYROSCOPIC_EXPLICIT, TS_GYROSCOPIC_IMPLICIT, TS_GYROSCOPIC_MIDPOINT};
  (void)unused;
  for (size_t k = 0; k < sizeof rules / sizeof *rules; ++k)
    for (int fast = 0; fast < 2; ++fast) {
      world w;
      start(&w, TS_SPACE_3D);
      ts_body_def def = top_def("top");
      def.pose.orientation = ts_quat_exp((ts_vec3){0.3, 0.4, -0.5});
      def.velocity.angular = ts_scale(fast ? 1.0 : 3e-17, (ts_vec3){0.7, -1.1, 0.9});
      add_body(&w, &def);
      finish(&w);
      ts_free_velocity(w.model, &w.state, &w.kinematics, 0.01, (ts_turning){.rule = rules[k], .weight = 1.0}, NULL,
                       w.free_velocity);
      const ts_vec3 before = w.velocity[0].angular, after = w.free_velocity[0].angular;
      assert_int_equal(memcmp(&before, &after, sizeof before) == 0, !fast);
      end(&w);
    }
}

static void world_inertia_turns_with_the_body(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_body_def def = top_def("top");
  def.pose.orientation = ts_quat_exp((ts_vec3){0.3, 0.4, -0.5});
  add_body(&w, &def);
  finish(&w);
  // world inertia times its inverse, both rotated independently, is 1
  const ts_mat3 R = ts_quat_matrix(def.pose.orientation), I = ts_mat3_rotate(&R, &w.model->bodies[0].inertia);
  const ts_mat3 one = ts_mat3_product(&I, &w.inverse_inertia[0]);
  assert_vec_near(one.x, (ts_vec3){1, 0, 0}, 1e-14);
  assert_vec_near(one.y, (ts_vec3){0, 1, 0}, 1e-14);
  assert_vec_near(one.z, (ts_vec3){0, 0, 1}, 1e-14);
  end(&w);
}

// Change of velocity in one step against M dv = h f and I dw = h (arm x f + torque), by hand.
static void forces_act_at_their_points(void **unused)
{
  (void)unused;
  for (int follows = 0; follows < 2; ++follows) {
    world w;
    start(&w, TS_SPACE_3D);
    ts_builder_set_gravity(w.builder, (ts_vec3){0});
    ts_body_def def = top_def("top");
    def.centre = (ts_vec3){0.1, 0.0, -0.1};
    def.pose.orientation = ts_quat_exp((ts_vec3){0.3, 0.4, -0.5});
    ts_force_def force = ts_force_def_default();
    force.body = add_body(&w, &def);
    force.at = (ts_vec3){0.5, 0.2, 0.1};
    force.follows = follows;
    const double f[3] = {3.0, -2.0, 5.0}, m[3] = {0.1, 0.2, -0.3};
    for (int i = 0; i < 3; ++i) {
      force.force[i] = ts_signal_constant(f[i]);
      force.torque[i] = ts_signal_constant(m[i]);
    }
    assert_int_equal(ts_builder_add_force(w.builder, &force, NULL, NULL), TS_OK);
    finish(&w);
    const double h = 0.1;
    ts_free_velocity(w.model, &w.state, &w.kinematics, h, EXPLICITLY, NULL, w.free_velocity);
    const ts_quat q = def.pose.orientation;
    ts_vec3 F = {f[0], f[1], f[2]}, T = {m[0], m[1], m[2]};
    if (follows) F = ts_quat_rotate(q, F), T = ts_quat_rotate(q, T);
    const ts_vec3 arm = ts_quat_rotate(q, ts_sub(force.at, def.centre));
    const ts_mat3 R = ts_quat_matrix(q), I = ts_mat3_rotate(&R, &w.model->bodies[0].inertia);
    assert_vec_near(w.free_velocity[0].linear, ts_scale(h / 2.0, F), 1e-15);
    assert_vec_near(ts_mul(&I, w.free_velocity[0].angular), ts_scale(h, ts_add(T, ts_cross(arm, F))), 1e-15);
    end(&w);
  }
}

static void pushes_are_wrenches_about_the_centre_and_leave_other_kinds_alone(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0});
  ts_body_def def = top_def("top"), rock = ts_body_def_default();
  rock.name = "rock";
  rock.kind = TS_FIXED;
  add_body(&w, &rock);
  add_body(&w, &def);
  finish(&w);
  const ts_wrench pushes[2] = {{{1, 1, 1}, {1, 1, 1}}, {{4, 0, 0}, {0, 0, 3}}};
  ts_free_velocity(w.model, &w.state, &w.kinematics, 0.5, EXPLICITLY, pushes, w.free_velocity);
  assert_vec_near(w.free_velocity[0].linear, (ts_vec3){0}, 0.0);
  assert_vec_near(w.free_velocity[0].angular, (ts_vec3){0}, 0.0);
  assert_vec_near(w.free_velocity[1].linear, (ts_vec3){1, 0, 0}, 0.0);
  assert_vec_near(ts_mul(&w.model->bodies[1].inertia, w.free_velocity[1].angular), (ts_vec3){0, 0, 1.5}, 1e-15);
  end(&w);
}

// Two bodies on a spring and damper: equal and opposite impulses at the two ends, of the size of the closed form.
static void explicit_springs_pull_both_ends(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0});
  ts_body_def a = top_def("a"), b = top_def("b");
  b.mass = 5.0;
  b.pose.position = (ts_vec3){3.0, 0.0, 0.0};
  b.velocity.linear = (ts_vec3){0.5, 7.0, 0.0};
  ts_spring_def spring = ts_spring_def_default();
  spring.body[0] = add_body(&w, &a);
  spring.body[1] = add_body(&w, &b);
  spring.at[0] = (ts_vec3){1.0, 0.0, 0.0};
  spring.stiffness = 10.0;
  spring.damping = 4.0;
  spring.length = 1.5;
  spring.implicit = false;
  assert_int_equal(ts_builder_add_spring(w.builder, &spring, NULL, NULL), TS_OK);
  finish(&w);
  const double h = 0.1, pull = 10.0 * (2.0 - 1.5) + 4.0 * 0.5;
  ts_free_velocity(w.model, &w.state, &w.kinematics, h, EXPLICITLY, NULL, w.free_velocity);
  assert_vec_near(w.free_velocity[0].linear, (ts_vec3){h * pull / 2.0, 0, 0}, 1e-15);
  assert_vec_near(w.free_velocity[1].linear, (ts_vec3){0.5 - h * pull / 5.0, 7.0, 0}, 1e-15);
  assert_near(ts_potential_energy(w.model, &w.state), 0.5 * 10.0 * 0.25, 1e-15);
  end(&w);
}

static void a_spring_without_length_has_no_direction(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_body_def a = top_def("a");
  ts_spring_def spring = ts_spring_def_default();
  spring.body[1] = add_body(&w, &a);
  spring.stiffness = 10.0;
  spring.damping = 1.0;
  spring.length = 1.0;
  spring.implicit = false;
  assert_int_equal(ts_builder_add_spring(w.builder, &spring, NULL, NULL), TS_OK);
  finish(&w);
  step(&w, 0.1, TS_GYROSCOPIC_EXPLICIT);
  assert_true(ts_vec3_is_finite(w.velocity[0].linear));
  end(&w);
}

// A force motor between two free bodies leaves their momentum and angular momentum alone, and does the work it should.
static void force_motors_act_on_both_sides(void **unused)
{
  (void)unused;
  for (int slides = 0; slides < 2; ++slides) {
    world w;
    start(&w, TS_SPACE_3D);
    ts_builder_set_gravity(w.builder, (ts_vec3){0});
    ts_body_def a = top_def("a"), b = top_def("b");
    a.pose.orientation = ts_quat_exp((ts_vec3){0.3, 0.4, -0.5});
    b.pose.position = (ts_vec3){0.4, 0.3, 0.7};
    ts_joint_def joint = ts_joint_def_default();
    joint.kind = slides ? TS_JOINT_PRISMATIC : TS_JOINT_REVOLUTE;
    joint.parent = add_body(&w, &a);
    joint.child = add_body(&w, &b);
    joint.at = (ts_vec3){0.1, 0.2, 0.3};
    joint.axis = (ts_vec3){1.0, 2.0, 2.0};
    joint.motor.kind = TS_MOTOR_FORCE;
    joint.motor.target = ts_signal_constant(9.0);
    joint.motor.max_force = 6.0;
    assert_int_equal(ts_builder_add_joint(w.builder, &joint, NULL, NULL), TS_OK);
    finish(&w);
    const double h = 0.01;
    ts_free_velocity(w.model, &w.state, &w.kinematics, h, EXPLICITLY, NULL, w.free_velocity);
    ts_vec3 momentum = {0}, spin = {0};
    for (int i = 0; i < 2; ++i) {
      w.velocity[i] = w.free_velocity[i];
      const ts_vec3 p = ts_scale(2.0, w.velocity[i].linear);
      momentum = ts_add(momentum, p);
      spin = ts_add(spin, ts_add(angular_momentum(&w, i), ts_cross(w.pose[i].position, p)));
    }
    assert_vec_near(momentum, (ts_vec3){0}, 1e-15);
    assert_vec_near(spin, (ts_vec3){0}, 1e-15);
    const ts_vec3 axis = ts_quat_rotate(a.pose.orientation, (ts_vec3){1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0});
    const ts_vec3 moved = slides ? ts_scale(2.0, w.velocity[1].linear) : angular_momentum(&w, 1);
    assert_vec_near(moved, ts_scale(6.0 * h, axis), 1e-15);
    end(&w);
  }
}

static void energies_are_those_of_the_books(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_3D);
  ts_body_def def = top_def("top");
  def.gravity_scale = (ts_vec3){1.0, 1.0, 0.5};
  def.centre = (ts_vec3){0.0, 0.0, 0.25};
  def.pose.position.z = 3.0;
  def.velocity = (ts_twist){{1.0, 2.0, 2.0}, {0.0, 0.0, 0.0}};
  add_body(&w, &def);
  finish(&w);
  assert_near(kinetic(&w), 9.0, 1e-14);
  assert_near(ts_potential_energy(w.model, &w.state), 2.0 * 0.5 * 9.81 * 3.25, 1e-13);
  end(&w);
}

static void callback_turning(void *user, double t, ts_pose *pose, ts_twist *velocity)
{
  (void)user;
  pose->position = (ts_vec3){cos(t), sin(t), 0.0};
  pose->orientation = ts_quat_about_z(3.0 * t);
  velocity->linear = (ts_vec3){-sin(t), cos(t), 0.0};
  velocity->angular = (ts_vec3){0.0, 0.0, 3.0};
}

static void angles_of_callbacks_go_on_without_jumps(void **unused)
{
  (void)unused;
  world w;
  start(&w, TS_SPACE_2D);
  ts_body_def def = ts_body_def_default();
  def.name = "arm";
  def.kind = TS_KINEMATIC;
  ts_motion_def motion = ts_motion_def_default();
  motion.body = add_body(&w, &def);
  motion.kind = TS_MOTION_CALLBACK;
  motion.callback = callback_turning;
  assert_int_equal(ts_builder_add_motion(w.builder, &motion, NULL, NULL), TS_OK);
  finish(&w);
  for (int n = 0; n <= 1000; ++n) {
    ts_state_follow_motions(w.model, 0.02 * n, &w.state);
    assert_near(w.angle[0], 3.0 * 0.02 * n, 1e-12);
    assert_near(w.velocity[0].angular.z, 3.0, 0.0);
  }
  end(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_off_centre_body_flies_on_the_parabola_of_its_centre),
      cmocka_unit_test(planar_angles_add_up_exactly),
      cmocka_unit_test(the_weight_mixes_velocities),
      cmocka_unit_test(orientations_follow_the_exponential),
      cmocka_unit_test(the_explicit_term_gains_the_energy_it_is_known_to_gain),
      cmocka_unit_test(the_implicit_term_conserves_momentum_to_first_order),
      cmocka_unit_test(the_implicit_term_never_gains_energy),
      cmocka_unit_test(isotropic_bodies_do_not_precess),
      cmocka_unit_test(what_hardly_turns_keeps_its_velocity_to_the_bit),
      cmocka_unit_test(world_inertia_turns_with_the_body),
      cmocka_unit_test(forces_act_at_their_points),
      cmocka_unit_test(pushes_are_wrenches_about_the_centre_and_leave_other_kinds_alone),
      cmocka_unit_test(explicit_springs_pull_both_ends),
      cmocka_unit_test(a_spring_without_length_has_no_direction),
      cmocka_unit_test(force_motors_act_on_both_sides),
      cmocka_unit_test(energies_are_those_of_the_books),
      cmocka_unit_test(angles_of_callbacks_go_on_without_jumps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
