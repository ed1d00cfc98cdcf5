// Single steps and short motions against closed forms: moving plates, impacts, repair of penetration, torsional
// friction, stops, motors and servos.
#include "touchstone/scene.h"

#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const double G = 9.81;
static const ts_vec3 NONE = {0.0, 0.0, 0.0};

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static ts_signal sine(double offset, double amplitude, double frequency, double phase)
{
  return (ts_signal){
      .kind = TS_SIGNAL_SINE, .offset = offset, .amplitude = amplitude, .frequency = frequency, .phase = phase};
}

// ---- a particle on a plate that moves (reference-numbers.md 10.1)
// ------------------------------------------------------------

static const double PLATE_W = 40.0, PLATE_A[3] = {0.02, 0.013, 0.004}, TILT = 0.05;

static ts_vec3 plate_position(double t)
{
  return (ts_vec3){PLATE_A[0] * sin(PLATE_W * t), PLATE_A[1] * sin(PLATE_W * t + 1.0),
                   PLATE_A[2] * sin(PLATE_W * t + 2.0)};
}

static ts_vec3 plate_velocity(double t)
{
  return (ts_vec3){PLATE_W * PLATE_A[0] * cos(PLATE_W * t), PLATE_W * PLATE_A[1] * cos(PLATE_W * t + 1.0),
                   PLATE_W * PLATE_A[2] * cos(PLATE_W * t + 2.0)};
}

static int add_plate(world *w)
{
  ts_error error;
  ts_motion_def motion = ts_motion_def_default();
  motion.body = world_add(w, "plate", TS_KINEMATIC, 0.0, shape_plane((ts_vec3){0.0, 0.0, 1.0}, 0.0), NONE);
  for (int k = 0; k < 3; ++k) motion.displacement[k] = sine(0.0, PLATE_A[k], PLATE_W, (double)k);
  motion.rotation[0] = sine(0.0, TILT, PLATE_W, 0.0);
  accept(ts_builder_add_motion(w->builder, &motion, NULL, &error), &error);
  return motion.body;
}

// The closed form: v_f, gap at the end of the step, p_n, and friction against the plate's material velocity.
static void step_in_closed_form(double t, double h, double mu, ts_vec3 *q, ts_vec3 *v)
{
  const double angle = TILT * sin(PLATE_W * (t + h)), rate = TILT * PLATE_W * cos(PLATE_W * (t + h));
  const ts_vec3 n = {0.0, -sin(angle), cos(angle)}, origin = plate_position(t + h);
  const ts_vec3 free_one = ts_add_scaled(*v, -h * G, (ts_vec3){0.0, 0.0, 1.0});
  const double psi = ts_dot(n, ts_sub(*q, origin)), closing = ts_dot(n, free_one) + psi / h;
  *v = free_one;
  if (closing < 0.0) {
    const ts_vec3 arm = ts_sub(*q, origin);
    const ts_vec3 u = ts_add(plate_velocity(t + h), ts_cross((ts_vec3){rate, 0.0, 0.0}, arm));
    const ts_vec3 over = ts_sub(free_one, u), slip = ts_add_scaled(over, -ts_dot(n, over), n);
    const double speed = ts_length(slip), p_t = fmin(mu * -closing, speed);
    *v = ts_add_scaled(*v, -closing, n);
    if (speed > 0.0) *v = ts_add_scaled(*v, -p_t / speed, slip);
  }
  *q = ts_add_scaled(*q, h, *v);
}

static void a_particle_on_a_moving_plate(void **state)
{
  (void)state;
  const double h = 1e-3, mu = 0.3;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, mu, 0.0);
  w.options.size = h;
  w.options.tolerance = 1e-13;
  add_plate(&w);
  ts_body_def def = ts_body_def_default();
  def.name = "particle";
  def.kind = TS_DYNAMIC;
  def.mass = 0.37;
  def.rotates = false;
  ts_vec3 q = ts_add((ts_vec3){0.01, -0.02, 1e-4}, plate_position(0.0)), v = {0.1, 0.0, 0.0};
  def.pose.position = q;
  def.velocity.linear = v;
  const int particle = world_add_def(&w, &def, (ts_shape){.kind = TS_SHAPE_POINT});
  world_start(&w);
  for (int k = 0; k < 300; ++k) {
    world_step(&w);
    step_in_closed_form(k * h, h, mu, &q, &v);
    assert_vec_near(ts_sim_velocity(w.sim, particle).linear, v, 1e-9);
    assert_vec_near(ts_sim_pose(w.sim, particle).position, q, 1e-11);
  }
  world_release(&w);
}

// ---- impacts -------------------------------------------------------------------------------------------------------

static int falling_ball(world *w, const char *method, ts_impact_law law, double e, double height, double speed)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.0, e);
  world_floor(w);
  w->options.method = ts_stepper_find(method);
  w->options.impacts = law;
  w->options.tolerance = 1e-12;
  const int ball = world_add(w, "ball", TS_DYNAMIC, 2.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1 + height});
  world_start(w);
  world_move(w, ball, (ts_vec3){0.0, 0.0, -speed}, NONE);
  return ball;
}

// On a plate that moves with speed u impact laws are about the relative velocity: v+ - u = -e (v - u), a ball at rest
// included, which has all its energy from the plate. Gravity as below.
static void a_ball_rebounds_from_a_moving_plate(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "velocity"};
  const double h = 1e-3, u = 0.7, e = 0.5, up[2] = {0.0, u}, speeds[] = {-2.0, 0.0};
  for (int k = 0; k < 8; ++k) {
    const bool poisson = k & 1, level = k & 2;
    const double v = speeds[k / 4];
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.method = ts_stepper_find(methods[level]);
    w.options.impacts = poisson ? TS_IMPACT_POISSON : TS_IMPACT_NEWTON;
    world_friction(&w, 0.0, e);
    ts_motion_def motion = ts_motion_def_default();
    motion.body = world_add(&w, "plate", TS_KINEMATIC, 0.0, shape_plane((ts_vec3){0.0, 0.0, 1.0}, 0.0), NONE);
    motion.displacement[2] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .coefficients = up, .count = 2};
    ts_error error;
    accept(ts_builder_add_motion(w.builder, &motion, NULL, &error), &error);
    const int ball = world_add(&w, "ball", TS_DYNAMIC, 2.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1});
    world_start(&w);
    world_move(&w, ball, (ts_vec3){0.0, 0.0, v}, NONE);
    world_step(&w);
    const double falls = poisson && level ? -h * G : 0.0;
    assert_near(ts_sim_velocity(w.sim, ball).linear.z, u - e * (v - u) + falls, 1e-9);
    assert_near(ts_sim_report(w.sim)->energy_scaled_back, 1.0, 0.0);
    world_release(&w);
  }
}

// The velocity of approach is that at the start of the step, v; Newton's law asks for -e v at its end. Poisson's law
// with the velocity stepper reflects v first and falls for h then; with Stewart and Trinkle's it gives back a share e
// of what v stored, whatever the gap, and not of what gravity adds to it in the step.
static void a_ball_rebounds(void **state)
{
  (void)state;
  const double h = 1e-3, v = 3.0, e = 0.5, gap = 1e-4;
  world w;
  int ball = falling_ball(&w, "stewart-trinkle", TS_IMPACT_NEWTON, e, gap, v);
  world_step(&w);
  assert_near(ts_sim_velocity(w.sim, ball).linear.z, e * v, 1e-10);
  world_release(&w);

  ball = falling_ball(&w, "stewart-trinkle", TS_IMPACT_POISSON, e, gap, v);
  world_step(&w);
  assert_near(ts_sim_velocity(w.sim, ball).linear.z, e * v, 1e-10);
  assert_near(ts_sim_report(w.sim)->energy_scaled_back, 1.0, 0.0);
  world_release(&w);

  ball = falling_ball(&w, "velocity", TS_IMPACT_NEWTON, e, 0.0, v);
  world_step(&w);
  assert_near(ts_sim_velocity(w.sim, ball).linear.z, e * v, 1e-10);
  world_release(&w);

  ball = falling_ball(&w, "velocity", TS_IMPACT_POISSON, e, 0.0, v);
  world_step(&w);
  assert_near(ts_sim_velocity(w.sim, ball).linear.z, e * v - h * G, 1e-10);
  world_release(&w);

  ball = falling_ball(&w, "velocity", TS_IMPACT_INELASTIC, e, 0.0, v);
  world_step(&w);
  assert_near(ts_sim_velocity(w.sim, ball).linear.z, 0.0, 1e-12);
  world_release(&w);
}

static void bounce_for_long(ts_impact_law law)
{
  const double m = 2.0, h = 1e-3;
  world w;
  const int ball = falling_ball(&w, "stewart-trinkle", law, 1.0, 1.0, 0.0);
  const double start = m * G * 1.0;
  double worst = 0.0;
  int impacts = 0;
  for (int step = 0; step < 10000; ++step) {
    const double before = ts_sim_velocity(w.sim, ball).linear.z;
    world_step(&w);
    const double v = ts_sim_velocity(w.sim, ball).linear.z, z = ts_sim_pose(w.sim, ball).position.z - 0.1;
    const double energy = 0.5 * m * v * v + m * G * z;
    impacts += v > before;
    worst = fmax(worst, fabs(energy - 0.5 * m * G * h * v - start));
    assert_true(fabs(energy - start) <= 0.5 * m * G * h * sqrt(2.0 * G * 1.001) + 1e-9);
    assert_near(ts_sim_report(w.sim)->energy_scaled_back, 1.0, 0.0);
  }
  assert_true(impacts >= 10);
  assert_true(worst < 1e-8 * start);
  world_release(&w);
}

// A ball that bounces with e = 1: steps of flight lose m g^2 h^2/2 each, an impact at speed v gains m g h v, and what
// stays is E - m g h v_z/2 (docs/theory/stepping.md).
static void bouncing_loses_nothing_in_the_long_run(void **state)
{
  (void)state;
  for (int law = TS_IMPACT_NEWTON; law <= TS_IMPACT_POISSON; ++law) bounce_for_long((ts_impact_law)law);
}

// Three equal balls in a row that touch, e = 1. The first hits the second, which the third leaves with 0.5 m/s: the hit
// closes that contact again, its end velocity is 0, and with full restitution the energy would go from 2.125 to 2.375
// J. With s e it is (9.375 + 12 s^2)/9: s^2 = 0.8125.
static void a_parting_contact_gains_nothing(void **state)
{
  (void)state;
  const double s = sqrt(0.8125);
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.0, 1.0);
  ts_builder_set_gravity(w.builder, NONE);
  w.options.impacts = TS_IMPACT_NEWTON;
  w.options.tolerance = 1e-12;
  int balls[3];
  static const char *const names[] = {"a", "b", "c"};
  for (int k = 0; k < 3; ++k)
    balls[k] = world_add(&w, names[k], TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.2 * k, 0.0, 0.0});
  world_start(&w);
  world_move(&w, balls[0], (ts_vec3){2.0, 0.0, 0.0}, NONE);
  world_move(&w, balls[2], (ts_vec3){0.5, 0.0, 0.0}, NONE);
  world_step(&w);
  assert_near(ts_sim_report(w.sim)->energy_scaled_back, s, 2e-6);
  assert_near(ts_sim_velocity(w.sim, balls[0]).linear.x, (2.5 - 4.0 * s) / 3.0, 1e-5);
  assert_near(ts_sim_velocity(w.sim, balls[1]).linear.x, (2.5 + 2.0 * s) / 3.0, 1e-5);
  assert_near(ts_sim_velocity(w.sim, balls[2]).linear.x, (2.5 + 2.0 * s) / 3.0, 1e-5);
  assert_true(ts_sim_report(w.sim)->kinetic_energy <= 2.125 * (1.0 + 1e-11));
  world_release(&w);
}

static void slow_approaches_do_not_rebound(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "velocity"};
  for (int m = 0; m < 2; ++m)
    for (int law = TS_IMPACT_NEWTON; law <= TS_IMPACT_POISSON; ++law) {
      world w;
      world_init(&w, TS_SPACE_3D);
      world_friction(&w, 0.0, 0.8);
      world_floor(&w);
      w.options.method = ts_stepper_find(methods[m]);
      w.options.impacts = (ts_impact_law)law;
      w.options.rest_speed = 0.1;
      const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1});
      world_start(&w);
      world_move(&w, ball, (ts_vec3){0.0, 0.0, -0.09}, NONE);
      world_step(&w);
      assert_near(ts_sim_velocity(w.sim, ball).linear.z, 0.0, 1e-10);
      world_move(&w, ball, (ts_vec3){0.0, 0.0, -0.11}, NONE);
      world_step(&w);
      assert_true(ts_sim_velocity(w.sim, ball).linear.z > 0.05);
      world_release(&w);
    }
}

// Two equal balls, e = 1: they exchange velocities. The second touches a third: Newton's law lets the middle one stay.
static void equal_balls_exchange_velocities(void **state)
{
  (void)state;
  for (int law = TS_IMPACT_NEWTON; law <= TS_IMPACT_POISSON; ++law) {
    world w;
    world_init(&w, TS_SPACE_3D);
    world_friction(&w, 0.0, 1.0);
    ts_builder_set_gravity(w.builder, NONE);
    w.options.impacts = (ts_impact_law)law;
    w.options.method = ts_stepper_find("velocity");
    const int first = world_add(&w, "a", TS_DYNAMIC, 1.0, shape_sphere(0.1), NONE);
    const int second = world_add(&w, "b", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.2, 0.0, 0.0});
    world_start(&w);
    world_move(&w, first, (ts_vec3){2.0, 0.3, 0.0}, NONE);
    world_step(&w);
    assert_vec_near(ts_sim_velocity(w.sim, first).linear, (ts_vec3){0.0, 0.3, 0.0}, 1e-10);
    assert_vec_near(ts_sim_velocity(w.sim, second).linear, (ts_vec3){2.0, 0.0, 0.0}, 1e-10);
    world_release(&w);
  }
}

// ---- penetration at the start --------------------------------------------------------------------------------------

static double repaired_speed(ts_stabilization rule, const char *method, double depth, double *work)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  world_floor(&w);
  w.options.method = ts_stepper_find(method);
  w.options.stabilization = rule;
  w.options.recovery_speed = 0.5;
  w.options.tolerance = 1e-12;
  w.options.start = TS_START_AS_GIVEN;
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 3.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1 - depth});
  world_start(&w);
  world_step(&w);
  const double speed = ts_sim_velocity(w.sim, ball).linear.z;
  assert_near(ts_sim_report(w.sim)->penetration, depth, 1e-12);
  *work = ts_sim_report(w.sim)->stabilization_work + ts_sim_report(w.sim)->correction_work;
  world_release(&w);
  return speed;
}

// Full: out in one step; capped: at 0.5 m/s at most; none: no deeper. Work: p_n times half of that speed. By position:
// out without speed, work: m g depth.
static void penetration_is_repaired_as_asked(void **state)
{
  (void)state;
  const double h = 1e-3, m = 3.0;
  static const char *const methods[] = {"stewart-trinkle", "velocity"};
  for (int k = 0; k < 2; ++k) {
    const struct {
      ts_stabilization rule;
      double depth, speed;
    } cases[] = {
        {TS_STABILIZATION_FULL, 2e-3, 2.0},   {TS_STABILIZATION_FULL, 1e-4, 0.1}, {TS_STABILIZATION_CAPPED, 2e-3, 0.5},
        {TS_STABILIZATION_CAPPED, 1e-4, 0.1}, {TS_STABILIZATION_NONE, 2e-3, 0.0}, {TS_STABILIZATION_DEFAULT, 2e-3, 0.0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
      double work;
      assert_near(repaired_speed(cases[c].rule, methods[k], cases[c].depth, &work), cases[c].speed, 1e-9);
      const bool lifted = cases[c].rule == TS_STABILIZATION_DEFAULT && k == 0;
      assert_near(work, lifted ? m * G * cases[c].depth : 0.5 * m * (cases[c].speed + h * G) * cases[c].speed, 1e-8);
    }
  }
}

// ---- torsional friction --------------------------------------------------------------------------------------------

// A ball that spins about the normal loses mu e_r m g h / I a step, until it stops and stays.
static void a_spinning_ball_stops(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "velocity"};
  for (int k = 0; k < 2; ++k) {
    const double mu = 0.4, e_r = 0.02, m = 1.5, r = 0.1, h = 1e-3, w_0 = 3.0;
    const double inertia = 0.4 * m * r * r, loss = mu * e_r * m * G * h / inertia;
    ts_error error;
    world w;
    world_init(&w, TS_SPACE_3D);
    ts_contact_law law = ts_contact_law_default();
    law.friction = mu;
    law.ellipsoid.z = e_r;
    accept(ts_builder_set_contact(w.builder, &law, &error), &error);
    world_floor(&w);
    w.options.method = ts_stepper_find(methods[k]);
    w.options.tolerance = 1e-12;
    const int ball = world_add(&w, "ball", TS_DYNAMIC, m, shape_sphere(r), (ts_vec3){0.0, 0.0, r});
    world_start(&w);
    world_move(&w, ball, NONE, (ts_vec3){0.0, 0.0, w_0});
    for (int step = 1; step <= 300; ++step) {
      world_step(&w);
      const double expected = fmax(0.0, w_0 - step * loss);
      assert_near(ts_sim_velocity(w.sim, ball).angular.z, expected, 1e-9);
    }
    int count;
    assert_near(ts_sim_contacts(w.sim, &count)->impulse[3], 0.0, 1e-9);
    world_release(&w);
  }
}

// With semi-axes e_t, e_o a sliding particle is braked by the point of the ellipse that brakes most: with slip along s
// the impulse is -mu p_n E^2 s/|E s|.
static void an_elliptic_cone_brakes_as_it_should(void **state)
{
  (void)state;
  const double mu = 0.3, e_t = 1.0, e_o = 0.5, h = 1e-3, m = 2.0;
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_contact_law law = ts_contact_law_default();
  law.friction = mu;
  law.ellipsoid = (ts_vec3){e_t, e_o, 0.0};
  law.direction = (ts_vec3){1.0, 0.0, 0.0};
  accept(ts_builder_set_contact(w.builder, &law, &error), &error);
  world_floor(&w);
  w.options.tolerance = 1e-12;
  ts_body_def def = ts_body_def_default();
  def.name = "particle";
  def.kind = TS_DYNAMIC;
  def.mass = m;
  def.rotates = false;
  def.velocity.linear = (ts_vec3){1.0, 1.0, 0.0};
  const int body = world_add_def(&w, &def, (ts_shape){.kind = TS_SHAPE_POINT});
  world_start(&w);
  world_step(&w);
  // Slip s at the end of the step solves s = s_0 - mu g h E^2 s/|E s|: iterate, the change is small.
  ts_vec3 s = {1.0, 1.0, 0.0};
  for (int k = 0; k < 50; ++k) {
    const double length = hypot(e_t * s.x, e_o * s.y);
    s = (ts_vec3){1.0 - mu * G * h * e_t * e_t * s.x / length, 1.0 - mu * G * h * e_o * e_o * s.y / length, 0.0};
  }
  assert_vec_near(ts_sim_velocity(w.sim, body).linear, s, 1e-10);
  world_release(&w);
}

// ---- joints: stops, motors, servos ---------------------------------------------------------------------------------

// A cart on a level rail along x.
static int add_cart(world *w, ts_joint_def *joint, double mass)
{
  ts_error error;
  world_init(w, TS_SPACE_3D);
  ts_builder_set_gravity(w->builder, NONE);
  w->options.tolerance = 1e-12;
  const int cart = world_add(w, "cart", TS_DYNAMIC, mass, shape_box(0.2, 0.1, 0.1), NONE);
  joint->kind = TS_JOINT_PRISMATIC;
  joint->parent = TS_WORLD;
  joint->child = cart;
  joint->axis = (ts_vec3){1.0, 0.0, 0.0};
  accept(ts_builder_add_joint(w->builder, joint, NULL, &error), &error);
  world_start(w);
  return cart;
}

// It runs into its stop: with Stewart and Trinkle's stepper it ends exactly there, or rebounds by Poisson's law.
static void a_cart_runs_into_its_stop(void **state)
{
  (void)state;
  const double h = 1e-3, v = 1.0, upper = 0.0105;
  for (int rebound = 0; rebound < 2; ++rebound) {
    world w;
    ts_joint_def joint = ts_joint_def_default();
    joint.limited = true;
    joint.lower = -0.1;
    joint.upper = upper;
    joint.restitution = 0.5;
    const int cart = add_cart(&w, &joint, 2.0);
    ts_sim_destroy(w.sim);
    ts_error error;
    w.options.impacts = rebound ? TS_IMPACT_POISSON : TS_IMPACT_INELASTIC;
    accept(ts_sim_create(w.model, &w.options, NULL, &w.sim, &error), &error);
    world_move(&w, cart, (ts_vec3){v, 0.0, 0.0}, NONE);
    world_steps(&w, 10);
    assert_near(ts_sim_velocity(w.sim, cart).linear.x, v, 1e-12);
    world_step(&w); // 0.0005 m are left for a way of 0.001 m
    const double left = (upper - 10.0 * h * v) / h;
    assert_near(ts_sim_velocity(w.sim, cart).linear.x, rebound ? -0.5 * v : left, 1e-9);
    world_step(&w);
    double rate;
    const double position = ts_sim_joint_position(w.sim, 0, &rate);
    assert_true(position <= upper + 1e-12);
    if (!rebound) assert_near(rate, 0.0, 1e-9);
    world_release(&w);
  }
}

// A motor of limited force speeds up by F h / m a step until it has its speed; pushed back by more it gives way.
static void a_motor_of_limited_force(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "velocity"};
  for (int k = 0; k < 2; ++k) {
    const double m = 2.0, force = 8.0, speed = 0.1, h = 1e-3;
    world w;
    ts_joint_def joint = ts_joint_def_default();
    joint.motor.kind = TS_MOTOR_VELOCITY;
    joint.motor.target = ts_signal_constant(speed);
    joint.motor.max_force = force;
    const int cart = add_cart(&w, &joint, m);
    ts_sim_destroy(w.sim);
    ts_error error;
    w.options.method = ts_stepper_find(methods[k]);
    accept(ts_sim_create(w.model, &w.options, NULL, &w.sim, &error), &error);
    for (int step = 1; step <= 60; ++step) {
      world_step(&w);
      assert_near(ts_sim_velocity(w.sim, cart).linear.x, fmin(speed, step * h * force / m), 1e-10);
    }
    const ts_wrench against = {{-20.0, 0.0, 0.0}, NONE};
    for (int step = 1; step <= 40; ++step) { // stalls, then runs backwards
      accept(ts_sim_push(w.sim, cart, &against, &error), &error);
      world_step(&w);
      assert_near(ts_sim_velocity(w.sim, cart).linear.x, speed - step * h * (20.0 - force) / m, 1e-10);
    }
    world_release(&w);
  }
}

// An implicit servo: (m + h d + h^2 k) v+ = m v + h k (target - x), whatever the gains; limited, at most h F.
static void a_servo_follows_its_law(void **state)
{
  (void)state;
  const double m = 2.0, h = 1e-3, gains[][2] = {{100.0, 5.0}, {1e8, 1e5}, {50.0, 0.0}}, target = 0.02;
  for (size_t k = 0; k < sizeof gains / sizeof gains[0]; ++k)
    for (int limited = 0; limited < 2; ++limited) {
      const double force = limited ? 0.5 : INFINITY;
      world w;
      ts_joint_def joint = ts_joint_def_default();
      joint.motor.kind = TS_MOTOR_SERVO;
      joint.motor.target = ts_signal_constant(target);
      joint.motor.stiffness = gains[k][0];
      joint.motor.damping = gains[k][1];
      joint.motor.max_force = force;
      const int cart = add_cart(&w, &joint, m);
      double x = 0.0, v = 0.0;
      for (int step = 0; step < 100; ++step) {
        const double wanted = (m * v + h * gains[k][0] * (target - x)) / (m + h * gains[k][1] + h * h * gains[k][0]);
        v += fmax(-h * force, fmin(h * force, m * (wanted - v))) / m;
        x += h * v;
        world_step(&w);
        assert_near(ts_sim_velocity(w.sim, cart).linear.x, v, 1e-8);
      }
      assert_near(ts_sim_joint_position(w.sim, 0, NULL), x, 1e-9);
      world_release(&w);
    }
}

// A pendulum that falls against a stop rests there; the stop carries its weight's moment.
static void a_pendulum_rests_on_its_stop(void **state)
{
  (void)state;
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_2D);
  w.options.tolerance = 1e-12;
  const int rod = world_add(&w, "rod", TS_DYNAMIC, 1.0, shape_disc(0.05), (ts_vec3){0.5, 0.0, 0.0});
  ts_joint_def joint = ts_joint_def_default();
  joint.parent = TS_WORLD;
  joint.child = rod;
  joint.axis = (ts_vec3){0.0, 0.0, 1.0};
  joint.limited = true;
  joint.lower = -0.3;
  joint.upper = 1.0;
  accept(ts_builder_add_joint(w.builder, &joint, NULL, &error), &error);
  world_start(&w);
  double lowest = 0.0;
  for (int k = 0; k < 1000; ++k) {
    world_step(&w);
    lowest = fmin(lowest, ts_sim_joint_position(w.sim, 0, NULL));
  }
  assert_near(ts_sim_joint_position(w.sim, 0, NULL), -0.3, 1e-6);
  assert_true(lowest > -0.3 - 1e-5);
  assert_true(ts_length(ts_sim_velocity(w.sim, rod).linear) < 1e-5);
  world_release(&w);
}

// ---- modes ---------------------------------------------------------------------------------------------------------

// A particle that slides between two directions of a fixed polygon is slipping, though friction is less than mu p_n.
static void a_contact_on_the_polygon_slips(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.5, 0.0);
  world_floor(&w);
  w.options.cone = TS_CONE_POLYHEDRAL;
  w.options.directions = 4;
  w.options.align = TS_ALIGN_FIXED;
  ts_body_def def = ts_body_def_default();
  def.name = "particle";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.rotates = false;
  def.velocity.linear = (ts_vec3){1.0, 1.0, 0.0};
  world_add_def(&w, &def, (ts_shape){.kind = TS_SHAPE_POINT});
  world_start(&w);
  world_steps(&w, 3);
  int count;
  const ts_contact *contact = ts_sim_contacts(w.sim, &count);
  assert_int_equal(count, 1);
  assert_int_equal(contact->mode, TS_SLIP);
  world_release(&w);
}

// A motor of limited force, or dry friction, drives a slider onto a plane: mass 1, v = -1, rebounds with e = 0.5. What
// it gives in the step, m dv less the impulse of the contact, is its force times the step, not more: compression and
// decompression are one step.
static void check_drive(const char *drive, const char *coordinates, double expected)
{
  char text[1024];
  snprintf(text, sizeof text,
           "touchstone: 1\ngravity: [0, 0, 0]\ncontact: {friction: 0, restitution: 0.5}\nbodies:\n"
           "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
           "- {name: a, mass: 1, inertia: [1, 1, 1], shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1],\n"
           "   velocity: [0, 0, -1], joint: {type: prismatic, at: [0, 0, 0.1], axis: [0, 0, 1], %s}}\n"
           "step: {size: 0.01, impacts: poisson, max_substeps: 1, coordinates: %s}\n",
           drive, coordinates);
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  if (ts_scene_parse(text, strlen(text), "drive", NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.text);
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  assert_int_equal(ts_sim_step(sim, &error), TS_OK);
  assert_true(ts_sim_report(sim)->certified);
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  assert_int_equal(count, 1);
  const double given = ts_sim_velocity(sim, 1).linear.z + 1.0 - contacts[0].impulse[0];
  if (!(fabs(given - expected) < 1e-9)) fail_msg("%s, %s: %.9g N s, not %.9g", drive, coordinates, given, expected);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static void drives_keep_to_their_force_through_a_rebound(void **state)
{
  (void)state;
  const char *const coordinates[] = {"redundant", "minimal"};
  for (int i = 0; i < 2; ++i) {
    check_drive("motor: {velocity: {target: -2, max_force: 10}}", coordinates[i], -0.1);
    check_drive("motor: {velocity: {target: 2, max_force: 10}}", coordinates[i], 0.1);
    check_drive("friction: 10", coordinates[i], -0.1); // against v+, which the rebound has turned round
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drives_keep_to_their_force_through_a_rebound),
      cmocka_unit_test(a_particle_on_a_moving_plate),
      cmocka_unit_test(a_ball_rebounds),
      cmocka_unit_test(a_ball_rebounds_from_a_moving_plate),
      cmocka_unit_test(bouncing_loses_nothing_in_the_long_run),
      cmocka_unit_test(a_parting_contact_gains_nothing),
      cmocka_unit_test(slow_approaches_do_not_rebound),
      cmocka_unit_test(equal_balls_exchange_velocities),
      cmocka_unit_test(penetration_is_repaired_as_asked),
      cmocka_unit_test(a_spinning_ball_stops),
      cmocka_unit_test(an_elliptic_cone_brakes_as_it_should),
      cmocka_unit_test(a_cart_runs_into_its_stop),
      cmocka_unit_test(a_motor_of_limited_force),
      cmocka_unit_test(a_servo_follows_its_law),
      cmocka_unit_test(a_pendulum_rests_on_its_stop),
      cmocka_unit_test(a_contact_on_the_polygon_slips),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
