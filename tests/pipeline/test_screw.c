// Screws against closed forms, with all steppers in redundant and in minimal coordinates: a nut of mass m and moment I
// about its axis on a thread of pitch p has the inertia I + m p^2 about its angle.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

static const double G = 9.81, M = 2.0, I = 0.03, P = 0.05; // [kg], [kg m^2], [m/rad]
static const ts_vec3 Z = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0};

static double carried(void)
{
  return I + M * P * P;
}

// Every stepper in both coordinates. `exact`: positions follow to high order too.
static void in_every_way(void (*law)(world *w, bool exact))
{
  static const char *const steppers[] = {"stewart-trinkle", "velocity", "event-driven"};
  for (int s = 0; s < 3; ++s)
    for (int c = TS_COORDINATES_REDUNDANT; c <= TS_COORDINATES_MINIMAL; ++c) {
      world w;
      world_init(&w, TS_SPACE_3D);
      w.options.method = ts_stepper_find(steppers[s]);
      w.options.coordinates = (ts_coordinates)c;
      w.options.tolerance = 1e-12;
      w.options.size = 1e-3;
      law(&w, s == 2);
      world_release(&w);
    }
}

// A nut on a vertical thread that the world holds.
static ts_joint_def nut(world *w)
{
  const int body = mechanism_body(w, "nut", M, (ts_vec3){0.02, 0.025, I}, NONE);
  ts_joint_def def = mechanism_joint(TS_JOINT_SCREW, TS_WORLD, body, NONE, Z);
  def.pitch = P;
  return def;
}

static double rate_of(const world *w)
{
  double rate;
  ts_sim_joint_position(w->sim, 0, &rate);
  return rate;
}

static double angle_of(const world *w)
{
  return ts_sim_joint_position(w->sim, 0, NULL);
}

// How far the nut is from where its thread has it.
static double off_thread(const world *w)
{
  const ts_pose pose = ts_sim_pose(w->sim, 0);
  const ts_quat turn = ts_quat_about_z(angle_of(w));
  const double tilt = hypot(pose.orientation.x, pose.orientation.y);
  const double twist = fabs(fabs(pose.orientation.w * turn.w + pose.orientation.z * turn.z) - 1.0);
  return fabs(pose.position.z - P * angle_of(w)) + hypot(pose.position.x, pose.position.y) + tilt + twist;
}

// ---- motion --------------------------------------------------------------------------------------------------------

// Steps of fixed length turn bodies by 2 atan(h w/2) while they go by h v: in redundant coordinates the thread is off
// by p (h w)^3/12 until the next step, and rates by a share of (h w)^2/12.
static double share_of_turning(const world *w, bool exact)
{
  const double turn = w->options.size * rate_of(w);
  return exact ? 0.0 : turn * turn / 12.0;
}

// It falls with a = g/(1 + I/(m p^2)): after 2 s at 56 rad/s through 8 turns.
static void check_fall(world *w, bool exact)
{
  const ts_joint_def def = nut(w);
  mechanism_add(w, &def);
  world_start(w);
  const double a = G / (1.0 + I / (M * P * P));
  for (int k = 1; k <= 2000; ++k) {
    world_step(w);
    const double h = w->options.size, t = k * h, off = share_of_turning(w, exact);
    assert_near(rate_of(w), -a * t / P, 1e-9 + off * a * t / P);
    assert_near(ts_sim_pose(w->sim, 0).position.z, -0.5 * a * t * t, exact ? 1e-9 : a * t * h + off * a * t * t);
    assert_true(off_thread(w) < 1e-9 + 1.1 * off * P * h * a * t / P);
  }
  assert_true(angle_of(w) < -8.0 * 6.28);
}

static void a_nut_falls_along_its_thread(void **state)
{
  (void)state;
  in_every_way(check_fall);
}

// A bolt and its nut without gravity, tumbling: energy, momentum and the thread are kept over 10 s.
static void build_bolt(world *w)
{
  ts_builder_set_gravity(w->builder, NONE);
  mechanism_body(w, "bolt", 1.0, (ts_vec3){0.02, 0.03, 0.015}, NONE);
  mechanism_body(w, "nut", M, (ts_vec3){0.02, 0.025, I}, (ts_vec3){0.2, 0.1, 0.0});
  ts_joint_def def = mechanism_joint(TS_JOINT_SCREW, 0, 1, (ts_vec3){0.1, 0.0, 0.0}, (ts_vec3){0.6, 0.0, 0.8});
  def.pitch = -P;
  def.velocity = 2.0;
  mechanism_add(w, &def);
}

static void start_bolt(world *w, ts_coordinates coordinates)
{
  world_init(w, TS_SPACE_3D);
  build_bolt(w);
  w->options.method = ts_stepper_find("event-driven");
  w->options.coordinates = coordinates;
  w->options.tolerance = 1e-12;
  w->options.size = 0.01;
  world_start(w);
  const ts_vec3 tumbling = {1.0, -2.0, 0.5}; // of both together
  for (int b = 0; b < 2; ++b) {
    const ts_twist v = ts_sim_velocity(w->sim, b);
    const ts_vec3 round = ts_cross(tumbling, ts_sim_pose(w->sim, b).position);
    world_move(w, b, ts_add(v.linear, round), ts_add(v.angular, tumbling));
  }
}

static ts_vec3 momentum(const world *w)
{
  ts_vec3 sum = NONE;
  for (int b = 0; b < 2; ++b) sum = ts_add_scaled(sum, b == 0 ? 1.0 : M, ts_sim_velocity(w->sim, b).linear);
  return sum;
}

static void a_bolt_and_its_nut_keep_their_energy(void **state)
{
  (void)state;
  world w[2];
  for (int c = 0; c < 2; ++c) start_bolt(&w[c], (ts_coordinates)c);
  const double kinetic = world_kinetic(&w[0]);
  const ts_vec3 before = momentum(&w[0]);
  for (int k = 0; k < 1000; ++k) {
    for (int c = 0; c < 2; ++c) {
      world_step(&w[c]);
      assert_near(world_kinetic(&w[c]), kinetic, 1e-7 * kinetic);
      assert_vec_near(momentum(&w[c]), before, 1e-9);
    }
    if (k < 100) assert_near(angle_of(&w[0]), angle_of(&w[1]), 1e-7);
  }
  for (int c = 0; c < 2; ++c) world_release(&w[c]);
}

// ---- what acts on the coordinate -----------------------------------------------------------------------------------

// Beyond its stop by 12 turns downwards it does not go; it comes back with half the speed.
static void check_stop(world *w, bool exact)
{
  const double lower = -12.0 * 2.0 * TS_PI, a = G * M * P / carried();
  ts_joint_def def = nut(w);
  def.limited = true;
  def.lower = lower;
  def.restitution = 0.5;
  mechanism_add(w, &def);
  w->options.impacts = TS_IMPACT_POISSON;
  world_start(w);
  const double arrival = sqrt(-2.0 * lower / a), speed = a * arrival;
  double fastest_back = 0.0;
  while (ts_sim_time(w->sim) < arrival + 0.3) {
    world_step(w);
    assert_true(angle_of(w) > lower - (exact ? 1e-9 : 2.0 * speed * w->options.size));
    fastest_back = fmax(fastest_back, rate_of(w));
  }
  assert_near(fastest_back, 0.5 * speed, 2.0 * a * w->options.size);
}

static void stops_hold_after_many_turns(void **state)
{
  (void)state;
  in_every_way(check_stop);
}

// A jack: the torque lifts with (torque - m g p)/(I + m p^2).
static void check_jack(world *w, bool exact)
{
  const double torque = 1.5;
  ts_joint_def def = nut(w);
  def.motor.kind = TS_MOTOR_FORCE;
  def.motor.target = ts_signal_constant(torque);
  mechanism_add(w, &def);
  world_start(w);
  world_steps(w, 400);
  const double rate = (torque - M * G * P) / carried() * ts_sim_time(w->sim);
  assert_near(rate_of(w), rate, 1e-9 + share_of_turning(w, exact) * rate);
}

// A motor keeps its rate, a servo stands off its target by what gravity takes, friction beyond m g p locks the thread,
// and damping lets it down at m g p/c.
static void check_laws(world *w, bool exact)
{
  const double load = M * G * P;
  for (int k = 0; k < 4; ++k) {
    char name[2] = {(char)('a' + k), '\0'};
    const ts_vec3 at = {k, 0.0, 0.0};
    const int body = mechanism_body(w, name, M, (ts_vec3){0.02, 0.025, I}, at);
    ts_joint_def def = mechanism_joint(TS_JOINT_SCREW, TS_WORLD, body, at, Z);
    def.pitch = P;
    if (k == 0) def.motor = (ts_motor){TS_MOTOR_VELOCITY, ts_signal_constant(3.0), 0.0, 0.0, INFINITY};
    if (k == 1) def.motor = (ts_motor){TS_MOTOR_SERVO, ts_signal_constant(7.0), 20.0, 3.0, INFINITY};
    if (k == 2) def.friction = 1.01 * load;
    if (k == 3) def.damping = 0.4;
    mechanism_add(w, &def);
  }
  world_start(w);
  world_steps(w, 3000);
  double rate;
  assert_near(ts_sim_joint_position(w->sim, 0, NULL), 3.0 * ts_sim_time(w->sim),
              1e-8 + 10.0 * share_of_turning(w, exact));
  assert_near(ts_sim_joint_position(w->sim, 1, NULL), 7.0 - load / 20.0, 1e-6);
  assert_near(ts_sim_joint_position(w->sim, 2, NULL), 0.0, 1e-12);
  ts_sim_joint_position(w->sim, 3, &rate);
  assert_near(rate, -load / 0.4, 1e-6);
}

static void motors_and_friction_act_on_the_angle(void **state)
{
  (void)state;
  in_every_way(check_jack);
  in_every_way(check_laws);
}

// ---- start and resume ----------------------------------------------------------------------------------------------

static void positions_and_velocities_follow_the_thread(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_joint_def def = nut(&w);
  def.position = 40.0; // more than six turns
  def.velocity = -3.0;
  mechanism_add(&w, &def);
  world_start(&w);
  assert_near(angle_of(&w), 40.0, 1e-12);
  assert_near(rate_of(&w), -3.0, 1e-13);
  assert_vec_near(ts_sim_pose(w.sim, 0).position, (ts_vec3){0.0, 0.0, 40.0 * P}, 1e-14);
  assert_vec_near(ts_sim_velocity(w.sim, 0).linear, (ts_vec3){0.0, 0.0, -3.0 * P}, 1e-14);
  assert_vec_near(ts_sim_velocity(w.sim, 0).angular, (ts_vec3){0.0, 0.0, -3.0}, 1e-14);
  assert_true(off_thread(&w) < 1e-13);
  assert_near(ts_model_joint(w.model, 0).pitch, P, 0.0);
  world_release(&w);
}

static void check_resume(world *w, bool exact)
{
  (void)exact;
  ts_joint_def def = nut(w);
  def.velocity = 30.0;
  mechanism_add(w, &def);
  world_start(w);
  world_steps(w, 1200);
  assert_true(fabs(angle_of(w)) > 12.0);
  world_state saved, end, again;
  world_save(w, &saved);
  world_steps(w, 50);
  world_save(w, &end);
  world_load(w, &saved);
  world_steps(w, 50);
  world_save(w, &again);
  assert_int_equal(end.size, again.size);
  assert_memory_equal(end.numbers, again.numbers, end.size * sizeof(double));
}

static void runs_resume_with_their_turns(void **state)
{
  (void)state;
  in_every_way(check_resume);
}

static void bad_screws_are_refused(void **state)
{
  (void)state;
  const double pitches[] = {0.0, NAN, INFINITY, 1e10};
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_joint_def def = nut(&w);
  for (size_t k = 0; k < sizeof pitches / sizeof pitches[0]; ++k) {
    def.pitch = pitches[k];
    assert_int_equal(ts_builder_add_joint(w.builder, &def, NULL, &error), TS_INVALID);
    assert_non_null(strstr(error.text, "a screw needs a pitch other than 0"));
  }
  def.pitch = P;
  def.kind = TS_JOINT_REVOLUTE;
  assert_int_equal(ts_builder_add_joint(w.builder, &def, NULL, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "a revolute joint has no pitch"));
  world_release(&w);
  world_init(&w, TS_SPACE_2D);
  def = nut(&w);
  assert_int_equal(ts_builder_add_joint(w.builder, &def, NULL, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "a screw joint does not exist in the plane"));
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_nut_falls_along_its_thread),
      cmocka_unit_test(a_bolt_and_its_nut_keep_their_energy),
      cmocka_unit_test(stops_hold_after_many_turns),
      cmocka_unit_test(motors_and_friction_act_on_the_angle),
      cmocka_unit_test(positions_and_velocities_follow_the_thread),
      cmocka_unit_test(runs_resume_with_their_turns),
      cmocka_unit_test(bad_screws_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
