// Rows of loops and drives that steps must obey: light links, rows that depend on each other, and rows that contradict
// each other, in both coordinates.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

static const ts_vec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0};
static const ts_coordinates BOTH[] = {TS_COORDINATES_MINIMAL, TS_COORDINATES_REDUNDANT};

static void add(world *w, ts_joint_kind kind, int parent, int child, ts_vec3 at, ts_vec3 axis)
{
  const ts_joint_def def = mechanism_joint(kind, parent, child, at, axis);
  mechanism_add(w, &def);
}

// Two arms of 1000 kg, `size` m long, that end in light pins, which are welded together: a rigid beam.
static void add_beam(world *w, double size, double ratio)
{
  const double mass = 1000.0, inertia = 300.0 * size * size;
  const ts_vec3 heavy = {inertia, inertia, inertia}, light = ts_scale(1.0 / ratio, heavy);
  const int left = mechanism_body(w, "left", mass, heavy, (ts_vec3){size, 0.0, 0.0});
  const int right = mechanism_body(w, "right", mass, heavy, (ts_vec3){3.0 * size, 0.0, 0.0});
  const int pin = mechanism_body(w, "pin", mass / ratio, light, (ts_vec3){2.0 * size, 0.0, 0.0});
  const int socket = mechanism_body(w, "socket", mass / ratio, light, (ts_vec3){2.0 * size, 0.0, 0.0});
  add(w, TS_JOINT_REVOLUTE, TS_WORLD, left, NONE, Y);
  add(w, TS_JOINT_CYLINDRICAL, TS_WORLD, right, (ts_vec3){4.0 * size, 0.0, 0.0}, Y);
  add(w, TS_JOINT_WELD, left, pin, (ts_vec3){size, 0.0, 0.0}, Z);
  add(w, TS_JOINT_WELD, right, socket, (ts_vec3){-size, 0.0, 0.0}, Z);
  add(w, TS_JOINT_WELD, pin, socket, NONE, Z);
}

static void light_links_hold_a_beam(void **state)
{
  (void)state;
  for (double size = 1e-3; size < 2e3; size *= 1e3)
    for (double ratio = 1.0; ratio < 2e9; ratio *= 1e3) {
      world w;
      world_init(&w, TS_SPACE_3D);
      w.options.coordinates = TS_COORDINATES_MINIMAL;
      add_beam(&w, size, ratio);
      world_start(&w);
      world_steps(&w, 200);
      for (int b = 0; b < 4; ++b) {
        const ts_twist v = ts_sim_velocity(w.sim, b);
        if (ts_length(v.linear) + ts_length(v.angular) * size > 1e-9)
          fail_msg("size %g, mass ratio %g: body %d moves at %g m/s", size, ratio, b, ts_length(v.linear));
      }
      world_release(&w);
    }
}

// The light links move: a heavy flywheel and a heavy rocker, a coupler that is lighter by `ratio`. In minimal
// coordinates the loop stays closed, in redundant ones the crank turns alike.
static double crank_rate_after(ts_coordinates coordinates, double ratio, double *closure)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.coordinates = coordinates;
  ts_builder_set_gravity(w.builder, (ts_vec3){4.0, 0.0, -9.0});
  const ts_vec3 moments = {0.05, 0.05, 0.05}, light = ts_scale(1.0 / ratio, moments);
  const int crank = mechanism_body(&w, "crank", 1.0, moments, (ts_vec3){0.0, 0.0, 0.1});
  const int coupler = mechanism_body(&w, "coupler", 1.0 / ratio, light, (ts_vec3){0.5, 0.0, 0.35});
  const int rocker = mechanism_body(&w, "rocker", 1.0, moments, (ts_vec3){1.0, 0.0, 0.25});
  add(&w, TS_JOINT_REVOLUTE, TS_WORLD, crank, NONE, Y);
  add(&w, TS_JOINT_REVOLUTE, crank, coupler, (ts_vec3){0.0, 0.0, 0.1}, Y);
  add(&w, TS_JOINT_REVOLUTE, TS_WORLD, rocker, (ts_vec3){1.0, 0.0, 0.0}, Y);
  add(&w, TS_JOINT_REVOLUTE, coupler, rocker, (ts_vec3){0.5, 0.0, 0.15}, Y);
  world_start(&w);
  *closure = 0.0;
  for (int k = 0; k < 300; ++k) {
    world_step(&w);
    *closure = fmax(*closure, ts_sim_report(w.sim)->joint_error);
  }
  double rate;
  ts_sim_joint_position(w.sim, 0, &rate);
  world_release(&w);
  return rate;
}

static void light_couplers_carry(void **state)
{
  (void)state;
  double closure, open;
  for (double ratio = 1.0; ratio < 2e9; ratio *= 1e3) {
    const double minimal = crank_rate_after(TS_COORDINATES_MINIMAL, ratio, &closure);
    print_message("coupler lighter by %g: crank at %.6f rad/s, closed within %.1e m\n", ratio, minimal, closure);
    assert_true(closure < 1e-5 && fabs(minimal) > 0.5);
    if (ratio < 2e6) assert_near(crank_rate_after(TS_COORDINATES_REDUNDANT, ratio, &open), minimal, 0.02);
  }
}

static void drive(world *w, ts_joint_kind kind, int body, double target, ts_vec3 axis)
{
  ts_joint_def def = mechanism_joint(kind, TS_WORLD, body, NONE, axis);
  def.motor.kind = TS_MOTOR_VELOCITY;
  def.motor.target = (ts_signal){.kind = TS_SIGNAL_CONSTANT, .offset = target};
  mechanism_add(w, &def);
}

// Steps of which one was certified, of ten.
static int certified_steps(world *w)
{
  int certified = 0;
  ts_error error;
  for (int k = 0; k < 10; ++k) {
    if (ts_sim_step(w->sim, &error) != TS_OK) fail_msg("%s", error.text);
    certified += ts_sim_report(w->sim)->certified;
  }
  return certified;
}

// A motor without a largest force against a joint that holds, and two motors on one slide: wanted alike they are
// certified, wanted differently never, however small the difference is to the eye.
static void rows_that_contradict_are_not_certified(void **state)
{
  (void)state;
  static const double second[] = {1.0, 0.0, -1.0, 1.001, 1e6};
  for (int c = 0; c < 2; ++c) {
    for (size_t k = 0; k < sizeof second / sizeof *second; ++k) {
      world w;
      world_init(&w, TS_SPACE_3D);
      w.options.coordinates = BOTH[c];
      const int body = mechanism_body(&w, "cart", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
      drive(&w, TS_JOINT_PRISMATIC, body, 1.0, X);
      drive(&w, TS_JOINT_PRISMATIC, body, second[k], X);
      world_start(&w);
      assert_int_equal(certified_steps(&w), second[k] == 1.0 ? 10 : 0);
      world_release(&w);
    }
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.coordinates = BOTH[c];
    const int body = mechanism_body(&w, "cart", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
    drive(&w, TS_JOINT_PRISMATIC, body, 1.0, X);
    add(&w, TS_JOINT_WELD, TS_WORLD, body, NONE, Z);
    world_start(&w);
    assert_int_equal(certified_steps(&w), 0);
    assert_true(ts_sim_report(w.sim)->residual > 1e-3 && !ts_sim_report(w.sim)->jammed);
    world_release(&w);
  }
}

// At rest all that is left is round-off of round-off: nothing to complain about.
static void rows_at_rest_are_certified(void **state)
{
  (void)state;
  for (int c = 0; c < 2; ++c)
    for (int gravity = 0; gravity < 2; ++gravity) {
      world w;
      world_init(&w, TS_SPACE_3D);
      if (!gravity) ts_builder_set_gravity(w.builder, NONE);
      w.options.coordinates = BOTH[c];
      add_beam(&w, 1.0, 1e3);
      world_start(&w);
      world_steps(&w, 100);
      world_release(&w);
    }
}

static void joints_want_the_new_velocity_in_positions(void **state)
{
  (void)state;
  for (int jointed = 0; jointed < 2; ++jointed) {
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.method = ts_stepper_find("velocity");
    w.options.theta = 0.5;
    const int body = mechanism_body(&w, "bob", 1.0, (ts_vec3){1.0, 1.0, 1.0}, X);
    if (jointed) add(&w, TS_JOINT_REVOLUTE, TS_WORLD, body, NONE, Y);
    ts_error error;
    assert_int_equal(ts_builder_finish(w.builder, &w.model, &error), TS_OK);
    assert_int_equal(ts_sim_create(w.model, &w.options, NULL, &w.sim, &error), jointed ? TS_UNSUPPORTED : TS_OK);
    if (jointed) assert_non_null(strstr(error.text, "theta is 0.5"));
    w.options.method = ts_stepper_find("stewart-trinkle"); // which does not look at it
    if (jointed) assert_int_equal(ts_sim_create(w.model, &w.options, NULL, &w.sim, &error), TS_OK);
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(light_links_hold_a_beam),
      cmocka_unit_test(light_couplers_carry),
      cmocka_unit_test(rows_that_contradict_are_not_certified),
      cmocka_unit_test(rows_at_rest_are_certified),
      cmocka_unit_test(joints_want_the_new_velocity_in_positions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
