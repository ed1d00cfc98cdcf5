// What joints do beside holding: friction, damping, stops, motors and servos against closed forms, in redundant and in
// minimal coordinates, and the two against each other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

#include "base/random.h"

#include <stdlib.h>

static const double G = 9.81;
static const ts_vec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0};
static const ts_coordinates BOTH[] = {TS_COORDINATES_REDUNDANT, TS_COORDINATES_MINIMAL};
static const char *const STEPPERS[] = {"stewart-trinkle", "velocity"};

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static ts_signal sine(double amplitude, double frequency)
{
  return (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = amplitude, .frequency = frequency};
}

// It starts at rest.
static ts_signal cosine(double amplitude, double frequency)
{
  ts_signal signal = sine(amplitude, frequency);
  signal.phase = 0.5 * TS_PI;
  return signal;
}

// Every stepper in both coordinates: `law` gets a world in the space given whose options are set.
static void in_every_way(void (*law)(world *w), ts_space space)
{
  for (int s = 0; s < 2; ++s)
    for (int c = 0; c < 2; ++c) {
      world w;
      world_init(&w, space);
      w.options.method = ts_stepper_find(STEPPERS[s]);
      w.options.coordinates = BOTH[c];
      w.options.tolerance = 1e-12;
      law(&w);
      world_release(&w);
    }
}

static double rate_of(const world *w, int joint)
{
  double rate;
  ts_sim_joint_position(w->sim, joint, &rate);
  return rate;
}

static double position_of(const world *w, int joint)
{
  return ts_sim_joint_position(w->sim, joint, NULL);
}

// ---- friction and damping ------------------------------------------------------------------------------------------

static const double I = 0.5; // of rotors [kg m^2]

// A rotor on the world, axis z, which gravity does not turn.
static ts_joint_def rotor(world *w)
{
  const int body = mechanism_body(w, "rotor", 2.0, (ts_vec3){0.4, 0.4, I}, X);
  return mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, X, Z);
}

static void check_spin_down(world *w)
{
  ts_joint_def def = rotor(w);
  def.velocity = 3.0;
  def.friction = 0.75; // stops at t = 3 I / 0.75 = 2 s
  const int joint = mechanism_add(w, &def);
  world_start(w);
  const double h = w->options.size;
  for (int k = 1; k <= 2200; ++k) {
    world_step(w);
    assert_near(rate_of(w, joint), fmax(0.0, 3.0 - 0.75 / I * k * h), 1e-11);
    assert_true(ts_sim_report(w->sim)->contact_work <= 1e-12); // friction takes
  }
  assert_near(position_of(w, joint), 3.0 * 3.0 * I / (2.0 * 0.75), 2.0 * h * 3.0);
}

static void dry_friction_stops_a_rotor(void **state)
{
  (void)state;
  in_every_way(check_spin_down, TS_SPACE_3D);
  in_every_way(check_spin_down, TS_SPACE_2D);
}

static void check_threshold(world *w)
{
  const double torque[] = {0.999, 1.5}; // friction 1
  int joint[4];
  for (int k = 0; k < 4; ++k) { // both signs
    char name[2] = {(char)('a' + k), '\0'};
    const int body = mechanism_body(w, name, 2.0, (ts_vec3){0.4, 0.4, I}, (ts_vec3){3.0 * k, 0.0, 0.0});
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, (ts_vec3){3.0 * k, 0.0, 0.0}, Z);
    def.friction = 1.0;
    def.motor.kind = TS_MOTOR_FORCE;
    def.motor.target = ts_signal_constant(k < 2 ? torque[k] : -torque[k - 2]);
    joint[k] = mechanism_add(w, &def);
  }
  world_start(w);
  const double h = w->options.size;
  for (int k = 1; k <= 300; ++k) {
    world_step(w);
    for (int side = 0; side < 2; ++side) {
      const double sign = side == 0 ? 1.0 : -1.0;
      assert_near(rate_of(w, joint[2 * side]), 0.0, 1e-10);
      assert_near(rate_of(w, joint[2 * side + 1]), sign * (1.5 - 1.0) / I * k * h, 1e-9);
    }
  }
  assert_near(position_of(w, joint[0]), 0.0, 1e-11);
}

static void friction_holds_below_its_threshold_and_resists_beyond(void **state)
{
  (void)state;
  in_every_way(check_threshold, TS_SPACE_3D);
  in_every_way(check_threshold, TS_SPACE_2D);
}

// An arm held out level: gravity's torque is m g l.
static void check_held_arm(world *w)
{
  const double m = 2.0, l = 0.5, held = 1.001 * m * G * l;
  const int body = mechanism_body(w, "arm", m, (ts_vec3){0.1, 0.1, 0.1}, (ts_vec3){l, 0.0, 1.0});
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, Z, Y);
  def.friction = held;
  const int joint = mechanism_add(w, &def);
  world_start(w);
  world_steps(w, 1000);
  assert_near(position_of(w, joint), 0.0, 1e-9);
  ts_error error; // a push of 1 % tears it loose
  const ts_wrench push = {NONE, {0.0, 0.01 * held, 0.0}};
  const double h = w->options.size, inertia = 0.1 + m * l * l;
  accept(ts_sim_push(w->sim, body, &push, &error), &error);
  world_step(w);
  assert_near(rate_of(w, joint), h * (m * G * l + 0.01 * held - held) / inertia, 1e-9);
}

static void friction_holds_an_arm(void **state)
{
  (void)state;
  in_every_way(check_held_arm, TS_SPACE_3D);
}

// Implicit Euler: w_k = w_0 / (1 + h d / I)^k, whatever d.
static void check_damping(world *w)
{
  const double d[] = {0.2, 50.0, 1e6};
  int joint[3];
  for (int k = 0; k < 3; ++k) {
    char name[2] = {(char)('a' + k), '\0'};
    const int body = mechanism_body(w, name, 2.0, (ts_vec3){0.4, 0.4, I}, (ts_vec3){3.0 * k, 0.0, 0.0});
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, (ts_vec3){3.0 * k, 0.0, 0.0}, Z);
    def.velocity = 4.0;
    def.damping = d[k];
    joint[k] = mechanism_add(w, &def);
  }
  world_start(w);
  for (int step = 1; step <= 200; ++step) {
    world_step(w);
    for (int k = 0; k < 3; ++k)
      assert_near(rate_of(w, joint[k]), 4.0 * pow(1.0 + w->options.size * d[k] / I, -step), 1e-12);
  }
}

static void damping_decays_as_implicit_euler_says(void **state)
{
  (void)state;
  in_every_way(check_damping, TS_SPACE_3D);
  in_every_way(check_damping, TS_SPACE_2D);
}

static void check_slope(world *w)
{
  const double m = 3.0, tilt = 0.4, pull = m * G * sin(tilt), forces[] = {1.01, 0.6};
  const ts_vec3 down = {cos(tilt), 0.0, -sin(tilt)};
  int joint[2];
  for (int k = 0; k < 2; ++k) {
    const ts_vec3 at = {0.0, 2.0 * k, 0.0};
    const int body = mechanism_body(w, k == 0 ? "held" : "sliding", m, (ts_vec3){1.0, 2.0, 3.0}, at);
    ts_joint_def def = mechanism_joint(TS_JOINT_PRISMATIC, TS_WORLD, body, at, down);
    def.friction = forces[k] * pull;
    joint[k] = mechanism_add(w, &def);
  }
  world_start(w);
  const int steps = 400;
  world_steps(w, steps);
  const double h = w->options.size, a = 0.4 * pull / m;
  assert_near(position_of(w, joint[0]), 0.0, 1e-9);
  assert_near(rate_of(w, joint[1]), a * steps * h, 1e-9);
  assert_near(position_of(w, joint[1]), a * h * h * steps * (steps + 1) / 2.0, 1e-9);
}

static void a_slider_with_friction_on_a_slope(void **state)
{
  (void)state;
  in_every_way(check_slope, TS_SPACE_3D);
}

// The base turns at 2 rad/s; friction takes the rotor with it at F / I, and then it turns along.
static void check_turning_base(world *w)
{
  const int base = mechanism_kinematic(w, "base", NONE);
  const double turn[2] = {0.0, 2.0};
  ts_motion_def motion = ts_motion_def_default();
  motion.body = base;
  motion.rotation[2] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .coefficients = turn, .count = 2};
  ts_error error;
  accept(ts_builder_add_motion(w->builder, &motion, NULL, &error), &error);
  const int body = mechanism_body(w, "rotor", 2.0, (ts_vec3){0.4, 0.4, I}, NONE);
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, base, body, NONE, Z);
  def.friction = 2.5; // 5 rad/s^2: with the base after 0.4 s
  const int joint = mechanism_add(w, &def);
  world_start(w);
  for (int k = 1; k <= 600; ++k) {
    world_step(w);
    assert_near(ts_sim_velocity(w->sim, body).angular.z, fmin(2.0, 5.0 * k * w->options.size), 1e-9);
  }
  assert_near(rate_of(w, joint), 0.0, 1e-9);
}

static void friction_carries_along_what_is_on_a_turning_base(void **state)
{
  (void)state;
  in_every_way(check_turning_base, TS_SPACE_3D);
  in_every_way(check_turning_base, TS_SPACE_2D);
}

// Two rotors in free flight that rub: the sum of I w is kept, the difference of w falls by F (1/I_1 + 1/I_2).
static void check_free_rotors(world *w)
{
  ts_builder_set_gravity(w->builder, NONE);
  const double other = 0.2, friction = 0.3;
  const int first = mechanism_body(w, "first", 2.0, (ts_vec3){0.4, 0.4, I}, X);
  const int second = mechanism_body(w, "second", 1.0, (ts_vec3){0.15, 0.15, other}, X);
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, first, second, NONE, Z);
  def.velocity = 2.0;
  def.friction = friction;
  const int joint = mechanism_add(w, &def);
  world_start(w);
  const double slowing = friction * (1.0 / I + 1.0 / other);
  for (int k = 1; k <= 1200; ++k) {
    world_step(w);
    assert_near(rate_of(w, joint), fmax(0.0, 2.0 - slowing * k * w->options.size), 1e-10);
    const double momentum =
        I * ts_sim_velocity(w->sim, first).angular.z + other * ts_sim_velocity(w->sim, second).angular.z;
    assert_near(momentum, other * 2.0, 1e-11);
  }
}

static void friction_between_free_bodies_conserves_momentum(void **state)
{
  (void)state;
  in_every_way(check_free_rotors, TS_SPACE_3D);
  in_every_way(check_free_rotors, TS_SPACE_2D);
}

// Two hinges hold a bar so that nothing can turn: friction there has nothing to act on.
static void check_locked_bar(world *w)
{
  const int bar = mechanism_body(w, "bar", 2.0, (ts_vec3){0.1, 0.3, 0.3}, (ts_vec3){0.5, 0.0, 0.0});
  for (int k = 0; k < 2; ++k) {
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, bar, (ts_vec3){k, 0.0, 0.0}, Z);
    def.friction = 5.0;
    def.damping = 1.0;
    mechanism_add(w, &def);
  }
  world_start(w);
  world_steps(w, 100);
  assert_vec_near(ts_sim_pose(w->sim, bar).position, (ts_vec3){0.5, 0.0, 0.0}, 1e-12);
}

static void friction_of_a_locked_joint_does_nothing(void **state)
{
  (void)state;
  in_every_way(check_locked_bar, TS_SPACE_3D);
  in_every_way(check_locked_bar, TS_SPACE_2D);
}

// A motor of 3 N m that wants 2 rad/s, friction 1 N m, damping 0.25 N m s/rad, a stop at 1 rad.
static void check_all_at_once(world *w)
{
  ts_joint_def def = rotor(w);
  def.friction = 1.0;
  def.damping = 0.25;
  def.limited = true;
  def.lower = -1.0;
  def.upper = 1.0;
  def.motor.kind = TS_MOTOR_VELOCITY;
  def.motor.target = ts_signal_constant(2.0);
  def.motor.max_force = 3.0;
  const int joint = mechanism_add(w, &def);
  world_start(w);
  const double h = w->options.size;
  double rate = 0.0, position = 0.0;
  for (int k = 1; k <= 1500; ++k) {
    rate = fmin(2.0, (rate + h * (3.0 - 1.0) / I) / (1.0 + h * 0.25 / I)); // the motor holds 2 with 1.5 N m
    position += h * rate;
    world_step(w);
    if (position > 1.0 - 2.0 * h) break;
    assert_near(rate_of(w, joint), rate, 1e-12);
    assert_near(position_of(w, joint), position, 1e-6); // a quaternion turns by 2 atan(h rate/2)
  }
  world_steps(w, 50);
  assert_near(rate_of(w, joint), 0.0, 1e-9); // the stop holds the motor
  assert_near(position_of(w, joint), 1.0, 2.0 * 2.0 * h);
}

static void motor_friction_damping_and_stop_work_together(void **state)
{
  (void)state;
  in_every_way(check_all_at_once, TS_SPACE_3D);
  in_every_way(check_all_at_once, TS_SPACE_2D);
}

// Every solver that takes friction problems, and the polyhedral cone with Lemke's method.
static void every_solver_takes_dry_friction(void **state)
{
  (void)state;
  for (int k = 0; k <= ts_solver_count(); ++k) {
    const bool polyhedral = k == ts_solver_count();
    const ts_solver *solver = polyhedral ? ts_solver_find("lemke") : ts_solver_at(k);
    if (!polyhedral && !(ts_solver_takes(solver) & TS_FRICTION)) continue;
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.solver = solver;
    w.options.coordinates = TS_COORDINATES_MINIMAL;
    if (polyhedral) w.options.cone = TS_CONE_POLYHEDRAL;
    ts_joint_def def = rotor(&w);
    def.velocity = 0.1;
    def.friction = 1.0;
    const int joint = mechanism_add(&w, &def);
    world_start(&w);
    world_steps(&w, 20);
    assert_near(rate_of(&w, joint), 0.1 - 20.0 * 1e-3 / I, 1e-7);
    world_steps(&w, 60);
    assert_near(rate_of(&w, joint), 0.0, 1e-7);
    world_release(&w);
  }
}

// Numbers at the edge of what is allowed: nothing breaks, and what is too large holds.
static void extreme_numbers_are_harmless(void **state)
{
  (void)state;
  const double extremes[] = {5e-324, 1e-300, 1e300, 1.7e308};
  for (int c = 0; c < 2; ++c)
    for (size_t k = 0; k < sizeof extremes / sizeof extremes[0]; ++k)
      for (int which = 0; which < 2; ++which) {
        world w;
        world_init(&w, TS_SPACE_3D);
        w.options.coordinates = BOTH[c];
        ts_joint_def def = rotor(&w);
        def.velocity = 1.0;
        *(which == 0 ? &def.damping : &def.friction) = extremes[k];
        const int joint = mechanism_add(&w, &def);
        world_start(&w);
        ts_error error;
        for (int step = 0; step < 3; ++step) accept(ts_sim_step(w.sim, &error), &error);
        assert_near(rate_of(&w, joint), extremes[k] < 1.0 ? 1.0 : 0.0, 1e-7);
        world_release(&w);
      }
}

// ---- stops ---------------------------------------------------------------------------------------------------------

// A pendulum released at angle a from a stop at the lowest point: it strikes with sqrt(2 m g l (1 - cos a) / I), comes
// back with e times that, and rises to 1 - cos a' = e^2 (1 - cos a).
typedef struct bounces {
  int count;
  double before[3], after[3], top[3]; // rates at impacts, largest angle behind each
} bounces;

static bounces strike_stop(const char *stepper, ts_impact_law impacts, ts_coordinates coordinates, double e, double h)
{
  const double m = 2.0, l = 0.8, inertia = 0.3;
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = ts_stepper_find(stepper);
  w.options.coordinates = coordinates;
  w.options.impacts = impacts;
  w.options.size = h;
  w.options.tolerance = 1e-10;
  const int body = mechanism_body(&w, "bob", m, (ts_vec3){inertia, inertia, inertia}, (ts_vec3){0.0, 0.0, -l});
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, NONE, Y);
  def.position = 1.2;
  def.limited = true;
  def.lower = 0.0;
  def.upper = INFINITY;
  def.restitution = e;
  const int joint = mechanism_add(&w, &def);
  world_start(&w);
  bounces found = {0};
  double last = 0.0;
  for (double t = 0.0; t < 10.0 && found.count <= 3; t += h) {
    world_step(&w);
    const double rate = rate_of(&w, joint), position = position_of(&w, joint);
    if (last < -1e-6 && rate > 0.0) {
      if (found.count < 3) {
        found.before[found.count] = last;
        found.after[found.count] = rate;
      }
      ++found.count;
    }
    if (found.count > 0 && found.count <= 3) found.top[found.count - 1] = fmax(found.top[found.count - 1], position);
    last = rate;
  }
  world_release(&w);
  return found;
}

// With `velocity` by either law. With `stewart-trinkle` Newton's: there Poisson's gives back what the step has stored,
// which depends on where within a step the stop is reached.
static void a_pendulum_bounces_off_its_stop(void **state)
{
  (void)state;
  const struct {
    const char *stepper;
    ts_impact_law law;
  } ways[] = {{"stewart-trinkle", TS_IMPACT_NEWTON}, {"velocity", TS_IMPACT_NEWTON}, {"velocity", TS_IMPACT_POISSON}};
  const double m = 2.0, l = 0.8, inertia = 0.3 + m * l * l, e = 0.5;
  for (size_t way = 0; way < sizeof ways / sizeof ways[0]; ++way)
    for (int c = 0; c < 2; ++c)
      for (int half = 0; half < 2; ++half) {
        const double h = half ? 2.5e-4 : 1e-3, share = half ? 0.005 : 0.02; // errors are of the order h
        const bounces found = strike_stop(ways[way].stepper, ways[way].law, BOTH[c], e, h);
        assert_int_equal(found.count, 4);
        double height = 1.0 - cos(1.2);
        for (int k = 0; k < 3; ++k) {
          const double rate = sqrt(2.0 * m * G * l * height / inertia);
          assert_near(found.before[k], -rate, share * rate);
          assert_near(found.after[k], e * rate, share * rate);
          assert_near(pow(found.after[k] / found.before[k], 2.0), e * e, share); // energy
          height *= e * e;
          assert_near(1.0 - cos(found.top[k]), height, 2.0 * share * height);
        }
      }
}

// In an impact friction has no time to act, also where the base turns: both stops of rotors on a turning base rebound
// alike, with friction and without.
static void friction_takes_no_part_in_impacts(void **state)
{
  (void)state;
  for (int c = 0; c < 2; ++c) {
    double after[2];
    for (int rubs = 0; rubs < 2; ++rubs) {
      world w;
      world_init(&w, TS_SPACE_3D);
      w.options.method = ts_stepper_find("velocity");
      w.options.coordinates = BOTH[c];
      w.options.impacts = TS_IMPACT_POISSON;
      const int base = mechanism_kinematic(&w, "base", NONE);
      const double turn[2] = {0.0, -3.0};
      ts_motion_def motion = ts_motion_def_default();
      motion.body = base;
      motion.rotation[2] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .coefficients = turn, .count = 2};
      ts_error error;
      accept(ts_builder_add_motion(w.builder, &motion, NULL, &error), &error);
      const int body = mechanism_body(&w, "rotor", 2.0, (ts_vec3){0.4, 0.4, I}, NONE);
      ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, base, body, NONE, Z);
      def.friction = rubs ? 0.01 : 0.0;
      def.limited = true;
      def.upper = 0.0; // it stands at its stop and the base turns into it, at 3 rad/s
      def.restitution = 1.0;
      const int joint = mechanism_add(&w, &def);
      world_start(&w);
      const ts_twist still = {NONE, NONE};
      accept(ts_sim_set_velocity(w.sim, body, &still, &error), &error);
      assert_near(rate_of(&w, joint), 3.0, 1e-12);
      world_step(&w);
      after[rubs] = rate_of(&w, joint);
      world_release(&w);
    }
    assert_near(after[0], -3.0, 1e-7);
    assert_near(after[1], -3.0 + 1e-3 * 0.01 / I, 1e-7); // what the step after the impact takes
  }
}

// Between two stops, without gravity: the rate falls by e at each, and is kept in between.
static void a_slide_runs_to_and_fro_between_its_stops(void **state)
{
  (void)state;
  for (int s = 0; s < 2; ++s)
    for (int c = 0; c < 2; ++c) {
      world w;
      world_init(&w, TS_SPACE_3D);
      ts_builder_set_gravity(w.builder, NONE);
      w.options.method = ts_stepper_find(STEPPERS[s]);
      w.options.coordinates = BOTH[c];
      w.options.impacts = s == 0 ? TS_IMPACT_NEWTON : TS_IMPACT_POISSON;
      w.options.tolerance = 1e-12;
      const int body = mechanism_body(&w, "cart", 2.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
      ts_joint_def def = mechanism_joint(TS_JOINT_PRISMATIC, TS_WORLD, body, NONE, X);
      def.limited = true;
      def.lower = -0.1;
      def.upper = 0.3;
      def.velocity = 4.0;
      def.restitution = 0.5;
      const int joint = mechanism_add(&w, &def);
      world_start(&w);
      const double expected[] = {4.0, -2.0, 1.0, -0.5};
      double time = 0.0, from = 0.0;
      const double h = w.options.size;
      for (int k = 0; k < 4; ++k) {
        const double to = k % 2 == 0 ? 0.3 : -0.1, way = fabs(to - from) / fabs(expected[k]);
        while (ts_sim_time(w.sim) < time + way - (k + 1) * 3.0 * h) {
          world_step(&w);
          if (ts_sim_time(w.sim) < time + (k + 1) * 3.0 * h) continue; // impacts are late by up to a step each
          assert_near(rate_of(&w, joint), expected[k], 1e-7);
        }
        time += way;
        from = to;
      }
      world_release(&w);
    }
}

// ---- from event to event -------------------------------------------------------------------------------------------

static void start_event_driven(world *w, double size)
{
  world_init(w, TS_SPACE_3D);
  w->options.method = ts_stepper_find("event-driven");
  w->options.coordinates = TS_COORDINATES_MINIMAL;
  w->options.impacts = TS_IMPACT_POISSON;
  w->options.tolerance = 1e-12;
  w->options.size = size;
}

// Motion between events is that of the differential equation, whatever the step: friction stops the rotor at t = 2 s,
// after 3 rad; there it stays.
static void friction_stops_a_rotor_between_events(void **state)
{
  (void)state;
  world w;
  start_event_driven(&w, 0.0625);
  ts_joint_def def = rotor(&w);
  def.velocity = -3.0;
  def.friction = 0.75;
  const int joint = mechanism_add(&w, &def);
  world_start(&w);
  for (int k = 1; k <= 48; ++k) {
    world_step(&w);
    const double t = fmin(2.0, 0.0625 * k);
    assert_near(rate_of(&w, joint), -3.0 + 1.5 * t, 1e-11);
    assert_near(position_of(&w, joint), -3.0 * t + 0.75 * t * t, 1e-10);
  }
  world_release(&w);
}

// The threshold, where a torque holds on: beyond it the rotor starts to turn in a fixed step, and goes on exactly.
static void friction_resists_between_events(void **state)
{
  (void)state;
  world w;
  start_event_driven(&w, 0.01);
  ts_joint_def def = rotor(&w);
  def.friction = 1.0;
  def.motor.kind = TS_MOTOR_FORCE;
  const double rising[2] = {0.0, 4.0}; // N m/s: slips from t = 0.25 s
  def.motor.target = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .coefficients = rising, .count = 2};
  const int joint = mechanism_add(&w, &def);
  world_start(&w);
  world_steps(&w, 25);
  assert_near(position_of(&w, joint), 0.0, 1e-12);
  world_steps(&w, 75);
  const double t = 0.75; // since it slips: I w' = 4 t
  assert_near(rate_of(&w, joint), 2.0 * t * t / I, 0.01 * 4.0 * 0.02 / I);
  assert_near(position_of(&w, joint), 2.0 * t * t * t / (3.0 * I), 0.02);
  world_release(&w);
}

static void damping_decays_exponentially_between_events(void **state)
{
  (void)state;
  world w;
  start_event_driven(&w, 0.1);
  ts_joint_def def = rotor(&w);
  def.velocity = 4.0;
  def.damping = 0.8;
  const int joint = mechanism_add(&w, &def);
  world_start(&w);
  for (int k = 1; k <= 20; ++k) {
    world_step(&w);
    assert_near(rate_of(&w, joint), 4.0 * exp(-0.8 / I * 0.1 * k), 1e-11);
  }
  world_release(&w);
}

// Without friction an impact takes the share 1 - e^2 of the energy above the stop, and nothing else does. With dry
// friction F the energy falls by F times the angle swept as well.
static void a_pendulum_bounces_off_its_stop_between_events(void **state)
{
  (void)state;
  const double m = 2.0, l = 0.8, inertia = 0.3, about = inertia + m * l * l, e = 0.5, frictions[] = {0.0, 0.4};
  for (int f = 0; f < 2; ++f) {
    world w;
    start_event_driven(&w, 0.01);
    const int body = mechanism_body(&w, "bob", m, (ts_vec3){inertia, inertia, inertia}, (ts_vec3){0.0, 0.0, -l});
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, NONE, Y);
    def.position = 1.2;
    def.velocity = -1e-3; // it slips at once
    def.limited = true;
    def.lower = 0.0;
    def.restitution = e;
    def.friction = frictions[f];
    const int joint = mechanism_add(&w, &def);
    world_start(&w);
    double energy = m * G * l * (1.0 - cos(1.2)) + 0.5 * about * 1e-6;
    do world_step(&w);
    while (ts_sim_report(w.sim)->events == 0);
    energy = e * e * (energy - frictions[f] * 1.2); // right after the impact
    const double q = position_of(&w, joint), rate = rate_of(&w, joint);
    assert_near(m * G * l * (1.0 - cos(q)) + 0.5 * about * rate * rate, energy - frictions[f] * q, 1e-9);
    world_release(&w);
  }
}

// ---- minimal against redundant coordinates -------------------------------------------------------------------------

// A mechanism that is built for a test: bodies are compared after a time.
typedef void build_mechanism(world *w, uint64_t seed);

// The largest distance between bodies that the two coordinates make, after `steps` steps of `duration` / `steps`.
static double coordinate_difference(build_mechanism *build, uint64_t seed, ts_gyroscopic rule, double duration,
                                    int steps)
{
  world w[2];
  for (int c = 0; c < 2; ++c) {
    world_init(&w[c], TS_SPACE_3D);
    w[c].options.coordinates = BOTH[c];
    w[c].options.size = duration / steps;
    w[c].options.gyroscopic = rule;
    w[c].options.tolerance = 1e-12;
    build(&w[c], seed);
    world_start(&w[c]);
    world_steps(&w[c], steps);
  }
  double worst = 0.0;
  for (int b = 0; b < ts_model_body_count(w[0].model); ++b) {
    const ts_pose p = ts_sim_pose(w[0].sim, b), q = ts_sim_pose(w[1].sim, b);
    worst = fmax(worst, ts_distance_of(p.position, q.position));
    const ts_quat turn = ts_quat_product(p.orientation, ts_quat_conjugate(q.orientation));
    worst = fmax(worst, 2.0 * ts_length((ts_vec3){turn.x, turn.y, turn.z}));
  }
  world_release(&w[0]);
  world_release(&w[1]);
  return worst;
}

// Of first order, halved with the step, or better.
static void assert_agree(build_mechanism *build, uint64_t seed, double duration, int steps, double most)
{
  for (int rule = TS_GYROSCOPIC_EXPLICIT; rule <= TS_GYROSCOPIC_MIDPOINT; ++rule) {
    const double coarse = coordinate_difference(build, seed, (ts_gyroscopic)rule, duration, steps);
    const double fine = coordinate_difference(build, seed, (ts_gyroscopic)rule, duration, 2 * steps);
    if (coarse > most) fail_msg("seed %d, rule %d: the coordinates differ by %g", (int)seed, rule, coarse);
    if (coarse > 1e-9 && coarse < 1.7 * fine)
      fail_msg("seed %d, rule %d: the difference goes from %g to %g with half the step", (int)seed, rule, coarse, fine);
  }
}

static ts_vec3 random_direction(ts_random *random)
{
  const ts_vec3 v = {ts_random_normal(random), ts_random_normal(random), ts_random_normal(random)};
  return ts_normalize(v, Z);
}

// A chain of two bodies behind the world; the seed says of which kinds the joints are.
static void random_linkage(world *w, uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed);
  const ts_joint_kind kinds[2] = {(ts_joint_kind)(seed % TS_JOINT_COUNT), (ts_joint_kind)(seed / TS_JOINT_COUNT)};
  int from = TS_WORLD;
  ts_vec3 place = NONE;
  for (int k = 0; k < 2; ++k) {
    place = ts_add(place, random_direction(&random));
    const ts_vec3 moments = {ts_random_uniform(&random, 0.4, 0.6), ts_random_uniform(&random, 0.4, 0.6),
                             ts_random_uniform(&random, 0.4, 0.6)};
    const int body = mechanism_body(w, k == 0 ? "a" : "b", ts_random_uniform(&random, 0.5, 2.0), moments, place);
    const ts_joint_def def =
        mechanism_joint(kinds[k], from, body, ts_scale(0.5, random_direction(&random)), random_direction(&random));
    mechanism_add(w, &def);
    from = body;
  }
}

static void joints_of_every_kind_move_alike_in_both_coordinates(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < TS_JOINT_COUNT * TS_JOINT_COUNT; ++seed) {
    assert_true(coordinate_difference(random_linkage, seed, TS_GYROSCOPIC_EXPLICIT, 1e-3, 1) < 1e-5);
    assert_agree(random_linkage, seed, 0.2, 100, 0.02);
  }
}

// Three links with friction in one joint, damping in another, and what drives them by the seed.
static void driven_arm(world *w, uint64_t seed)
{
  int from = TS_WORLD;
  for (int k = 0; k < 3; ++k) {
    const char *const names[] = {"upper", "lower", "hand"};
    const int body =
        mechanism_body(w, names[k], 2.0 - 0.5 * k, (ts_vec3){0.05, 0.06, 0.04}, (ts_vec3){0.25 + 0.5 * k, 0.0, 0.0});
    ts_joint_def def =
        mechanism_joint(TS_JOINT_REVOLUTE, from, body, (ts_vec3){k == 0 ? 0.0 : 0.25, 0.0, 0.0}, k == 1 ? Z : Y);
    ts_motor *motor = &def.motor;
    motor->kind = (ts_motor_kind)(seed % 10);
    switch (motor->kind) {
    case TS_MOTOR_NONE:
      def.damping = 0.3;
      break;
    case TS_MOTOR_FORCE:
      motor->target = sine(3.0 - k, 7.0);
      def.friction = k == 2 ? 0.1 : 0.0;
      break;
    case TS_MOTOR_VELOCITY:
      motor->target = sine(2.0 + k, 5.0);
      break;
    case TS_MOTOR_SERVO:
      motor->target = sine(0.5, 6.0);
      motor->stiffness = 40.0;
      motor->damping = 2.0;
      break;
    }
    if (seed >= 10) motor->max_force = 2.0; // of velocity motors and servos: too weak for gravity
    mechanism_add(w, &def);
    from = body;
  }
}

static void driven_arms_move_alike_in_both_coordinates(void **state)
{
  (void)state;
  const uint64_t cases[] = {TS_MOTOR_NONE,  TS_MOTOR_FORCE,         TS_MOTOR_VELOCITY,
                            TS_MOTOR_SERVO, 10 + TS_MOTOR_VELOCITY, 10 + TS_MOTOR_SERVO};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) assert_agree(driven_arm, cases[k], 0.5, 250, 0.05);
}

// A servo that holds an arm out: k (target - q) = m g l cos q at rest, in both coordinates.
static void check_servo_at_rest(world *w)
{
  const double m = 2.0, l = 0.5, k = 60.0;
  const int body = mechanism_body(w, "arm", m, (ts_vec3){0.1, 0.1, 0.1}, (ts_vec3){l, 0.0, 0.0});
  ts_joint_def def =
      mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, NONE, (ts_vec3){0.0, -1.0, 0.0}); // up is positive
  def.motor.kind = TS_MOTOR_SERVO;
  def.motor.stiffness = k;
  def.motor.damping = 12.0;
  def.motor.target = ts_signal_constant(0.3);
  const int joint = mechanism_add(w, &def);
  world_start(w);
  world_steps(w, 6000);
  const double q = position_of(w, joint);
  assert_near(k * (0.3 - q), m * G * l * cos(q), 1e-6);
  assert_near(rate_of(w, joint), 0.0, 1e-8);
}

static void a_servo_holds_an_arm(void **state)
{
  (void)state;
  in_every_way(check_servo_at_rest, TS_SPACE_3D);
}

static void moving_base(world *w, uint64_t seed)
{
  const int base = mechanism_kinematic(w, "base", NONE);
  ts_motion_def motion = ts_motion_def_default();
  motion.body = base;
  motion.displacement[0] = cosine(0.1, 9.0);
  motion.displacement[2] = cosine(0.05, 6.0);
  if (seed == 1) motion.rotation[1] = cosine(0.4, 7.0);
  ts_error error;
  accept(ts_builder_add_motion(w->builder, &motion, NULL, &error), &error);
  const int upper = mechanism_body(w, "upper", 2.0, (ts_vec3){0.05, 0.06, 0.04}, (ts_vec3){0.3, 0.0, 0.0});
  const int lower = mechanism_body(w, "lower", 1.0, (ts_vec3){0.02, 0.03, 0.04}, (ts_vec3){0.8, 0.0, 0.0});
  ts_joint_def first = mechanism_joint(TS_JOINT_REVOLUTE, base, upper, NONE, Y);
  ts_joint_def second = mechanism_joint(TS_JOINT_UNIVERSAL, upper, lower, (ts_vec3){0.25, 0.0, 0.0}, Y);
  second.axis2 = Z;
  first.damping = 0.2;
  mechanism_add(w, &first);
  mechanism_add(w, &second);
}

static void an_arm_on_a_moving_base_moves_alike_in_both_coordinates(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 2; ++seed) assert_agree(moving_base, seed, 0.5, 250, 0.05);
}

// A four-bar linkage with a spring across, which falls; damped in a joint of the tree and in the one that closes it.
static void sprung_loop(world *w, uint64_t seed)
{
  const ts_vec3 moments = {0.1, 0.1, 0.1};
  const int left = mechanism_body(w, "left", 1.0, moments, (ts_vec3){0.0, 0.0, 0.5});
  const int coupler = mechanism_body(w, "coupler", 1.5, moments, (ts_vec3){1.0, 0.0, 1.1});
  const int right = mechanism_body(w, "right", 1.0, moments, (ts_vec3){2.0, 0.0, 0.6});
  ts_joint_def joints[4] = {mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, left, NONE, Y),
                            mechanism_joint(TS_JOINT_REVOLUTE, left, coupler, (ts_vec3){0.0, 0.0, 0.5}, Y),
                            mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, right, (ts_vec3){2.0, 0.0, 0.0}, Y),
                            mechanism_joint(TS_JOINT_REVOLUTE, right, coupler, (ts_vec3){0.0, 0.0, 0.6}, Y)};
  joints[0].damping = 0.4;
  joints[3].damping = seed == 1 ? 0.7 : 0.0;
  joints[3].friction = seed == 1 ? 0.5 : 0.0;
  for (int j = 0; j < 4; ++j) mechanism_add(w, &joints[j]);
  ts_spring_def spring = ts_spring_def_default();
  spring.body[0] = TS_WORLD;
  spring.body[1] = coupler;
  spring.at[0] = (ts_vec3){3.0, 0.0, 1.0};
  spring.stiffness = 200.0;
  spring.damping = 5.0;
  spring.length = 1.0;
  ts_error error;
  accept(ts_builder_add_spring(w->builder, &spring, NULL, &error), &error);
}

static void a_loop_with_a_spring_moves_alike_in_both_coordinates(void **state)
{
  (void)state;
  // rows of loops gain more than 1e-3 of the energy with steps of 2 ms, which are not certified
  for (uint64_t seed = 0; seed < 2; ++seed) assert_agree(sprung_loop, seed, 0.4, 400, 0.05);
}

// ---- the state in minimal coordinates ------------------------------------------------------------------------------

// An arm of two links with friction and a servo that falls onto the floor.
static void start_touching_arm(world *w)
{
  world_init(w, TS_SPACE_3D);
  w->options.coordinates = TS_COORDINATES_MINIMAL;
  world_floor(w);
  int from = TS_WORLD;
  for (int k = 0; k < 2; ++k) {
    const int body = world_add(w, k == 0 ? "upper" : "lower", TS_DYNAMIC, 1.0, shape_sphere(0.1),
                               (ts_vec3){0.4 + 0.4 * k, 0.0, 0.3});
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, from, body, (ts_vec3){0.0, 0.0, k == 0 ? 0.3 : 0.0}, Y);
    if (k == 0) {
      def.friction = 0.2;
      def.velocity = 1.0;
    } else {
      def.damping = 0.05;
      def.motor = (ts_motor){.kind = TS_MOTOR_SERVO, .stiffness = 5.0, .damping = 0.1, .max_force = 3.0};
      def.motor.target = sine(0.5, 8.0);
    }
    mechanism_add(w, &def);
    from = body;
  }
  world_start(w);
}

static void a_saved_state_continues_to_the_last_bit(void **state)
{
  (void)state;
  world w, other;
  start_touching_arm(&w);
  start_touching_arm(&other);
  world_steps(&w, 150);
  const size_t size = ts_sim_state_size(w.sim);
  double *saved = malloc(size * sizeof *saved);
  assert_non_null(saved);
  assert_int_equal(ts_sim_save(w.sim, saved, size, NULL), TS_OK);
  ts_error error;
  accept(ts_sim_load(other.sim, saved, size, &error), &error);
  int touched = 0;
  for (int k = 0; k < 300; ++k) {
    world_step(&w);
    world_step(&other);
    int count;
    (void)ts_sim_contacts(w.sim, &count);
    touched += count > 0;
  }
  assert_true(touched > 50);
  assert_int_equal(ts_sim_state_size(w.sim), ts_sim_state_size(other.sim));
  for (int b = 0; b < ts_model_body_count(w.model); ++b) {
    const ts_pose p = ts_sim_pose(w.sim, b), q = ts_sim_pose(other.sim, b);
    const ts_twist v = ts_sim_velocity(w.sim, b), u = ts_sim_velocity(other.sim, b);
    assert_memory_equal(&p, &q, sizeof p);
    assert_memory_equal(&v, &u, sizeof v);
  }
  free(saved);
  world_release(&w);
  world_release(&other);
}

static void friction_and_damping_need_no_new_memory(void **state)
{
  (void)state;
  world w;
  start_touching_arm(&w);
  world_steps(&w, 200);
  int before, after;
  ts_sim_memory(w.sim, &before);
  world_steps(&w, 300);
  ts_sim_memory(w.sim, &after);
  assert_int_equal(before, after);
  world_release(&w);
}

// A pose and a velocity that the joint allows are taken; of others the part that it allows.
static void bodies_are_placed_as_far_as_their_joints_allow(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.coordinates = TS_COORDINATES_MINIMAL;
  const int body = mechanism_body(&w, "arm", 1.0, (ts_vec3){1.0, 1.0, 1.0}, X);
  const ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, NONE, Z);
  const int joint = mechanism_add(&w, &def);
  world_start(&w);
  const double angle = 0.8;
  const ts_vec3 place = {cos(angle), sin(angle), 0.0}, across = {-sin(angle), cos(angle), 0.0};
  ts_error error;
  const ts_pose turned = {place, ts_quat_about_z(angle)};
  accept(ts_sim_set_pose(w.sim, body, &turned, &error), &error);
  assert_near(position_of(&w, joint), angle, 1e-15);
  assert_vec_near(ts_sim_pose(w.sim, body).position, place, 1e-15);
  const ts_twist turning = {ts_scale(2.0, across), {0.0, 0.0, 2.0}};
  accept(ts_sim_set_velocity(w.sim, body, &turning, &error), &error);
  assert_near(rate_of(&w, joint), 2.0, 1e-15);
  const ts_pose lifted = {ts_add(place, Z), ts_quat_about_z(angle)}; // off the joint: pulled back to it
  accept(ts_sim_set_pose(w.sim, body, &lifted, &error), &error);
  assert_vec_near(ts_sim_pose(w.sim, body).position, place, 1e-15);
  const ts_twist rising = {Z, {3.0, 0.0, 1.5}};
  accept(ts_sim_set_velocity(w.sim, body, &rising, &error), &error);
  assert_vec_near(ts_sim_velocity(w.sim, body).angular, (ts_vec3){0.0, 0.0, 1.5}, 1e-15);
  assert_vec_near(ts_sim_velocity(w.sim, body).linear, ts_scale(1.5, across), 1e-15);
  world_release(&w);
}

// ---- what collides in a chain --------------------------------------------------------------------------------------

// Spheres that overlap their neighbours and their neighbours' neighbours.
static void start_chain(world *w, ts_coordinates coordinates, int apart, int asked)
{
  world_init(w, TS_SPACE_3D);
  ts_builder_set_gravity(w->builder, NONE);
  w->options.coordinates = coordinates;
  ts_error error;
  for (int k = 0; k < 4; ++k) {
    char name[2] = {(char)('a' + k), '\0'};
    const int body = world_add(w, name, TS_DYNAMIC, 1.0, shape_sphere(0.3), (ts_vec3){0.2 * k, 0.0, 0.0});
    if (k == 0) continue;
    const ts_joint_def def = mechanism_joint(TS_JOINT_SPHERICAL, body - 1, body, (ts_vec3){0.1, 0.0, 0.0}, Z);
    mechanism_add(w, &def);
  }
  const ts_contact_law law = ts_contact_law_default();
  if (apart >= 0) accept(ts_builder_pair_bodies(w->builder, apart, apart + 2, NULL, &error), &error);
  if (asked >= 0) accept(ts_builder_pair_bodies(w->builder, asked, asked + 1, &law, &error), &error);
  world_start(w);
  accept(ts_sim_find_contacts(w->sim, &error), &error);
}

static bool touch(const world *w, int first, int second)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  for (int i = 0; i < count; ++i) {
    const int a = contacts[i].body_1, b = contacts[i].body_2;
    if ((a == first && b == second) || (a == second && b == first)) return true;
  }
  return false;
}

static void neighbours_in_a_chain_do_not_collide_unless_asked(void **state)
{
  (void)state;
  for (int c = 0; c < 2; ++c) {
    world w;
    start_chain(&w, BOTH[c], -1, -1);
    for (int k = 0; k < 3; ++k) assert_false(touch(&w, k, k + 1));
    for (int k = 0; k < 2; ++k) assert_true(touch(&w, k, k + 2)); // grandparents do
    assert_false(touch(&w, 0, 3));                                // too far
    world_release(&w);
    start_chain(&w, BOTH[c], 1, 0);
    assert_true(touch(&w, 0, 1)); // asked for
    assert_true(touch(&w, 0, 2));
    assert_false(touch(&w, 1, 3)); // kept apart
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dry_friction_stops_a_rotor),
      cmocka_unit_test(friction_holds_below_its_threshold_and_resists_beyond),
      cmocka_unit_test(friction_holds_an_arm),
      cmocka_unit_test(damping_decays_as_implicit_euler_says),
      cmocka_unit_test(a_slider_with_friction_on_a_slope),
      cmocka_unit_test(friction_carries_along_what_is_on_a_turning_base),
      cmocka_unit_test(friction_between_free_bodies_conserves_momentum),
      cmocka_unit_test(friction_of_a_locked_joint_does_nothing),
      cmocka_unit_test(motor_friction_damping_and_stop_work_together),
      cmocka_unit_test(every_solver_takes_dry_friction),
      cmocka_unit_test(extreme_numbers_are_harmless),
      cmocka_unit_test(a_pendulum_bounces_off_its_stop),
      cmocka_unit_test(friction_takes_no_part_in_impacts),
      cmocka_unit_test(a_slide_runs_to_and_fro_between_its_stops),
      cmocka_unit_test(friction_stops_a_rotor_between_events),
      cmocka_unit_test(friction_resists_between_events),
      cmocka_unit_test(damping_decays_exponentially_between_events),
      cmocka_unit_test(a_pendulum_bounces_off_its_stop_between_events),
      cmocka_unit_test(joints_of_every_kind_move_alike_in_both_coordinates),
      cmocka_unit_test(driven_arms_move_alike_in_both_coordinates),
      cmocka_unit_test(a_servo_holds_an_arm),
      cmocka_unit_test(an_arm_on_a_moving_base_moves_alike_in_both_coordinates),
      cmocka_unit_test(a_loop_with_a_spring_moves_alike_in_both_coordinates),
      cmocka_unit_test(a_saved_state_continues_to_the_last_bit),
      cmocka_unit_test(friction_and_damping_need_no_new_memory),
      cmocka_unit_test(bodies_are_placed_as_far_as_their_joints_allow),
      cmocka_unit_test(neighbours_in_a_chain_do_not_collide_unless_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
