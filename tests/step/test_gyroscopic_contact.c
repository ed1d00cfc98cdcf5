// The gyroscopic rules beside contact: a cylinder that lies on its line, turns about its axis and about the vertical.
// One step of it from a solver of its own, on three unknowns and the moment of the line.
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"

static const double RADIUS = 0.1, LENGTH = 0.5, SPIN = 12.0, YAW = 5.0;
static const ts_vec3 AXIS = {0.0, 1.0, 0.0}, UP = {0.0, 0.0, 1.0};

// Inertia of 1 kg about axes of the start: x, the axis of the cylinder, z.
static ts_vec3 momentum_of(ts_vec3 w)
{
  const double along = 0.5 * RADIUS * RADIUS, across = (3.0 * RADIUS * RADIUS + LENGTH * LENGTH) / 12.0;
  return (ts_vec3){across * w.x, along * w.y, across * w.z};
}

static ts_vec3 rate_of(ts_vec3 momentum)
{
  const ts_vec3 unit = momentum_of((ts_vec3){1.0, 1.0, 1.0});
  return (ts_vec3){momentum.x / unit.x, momentum.y / unit.y, momentum.z / unit.z};
}

// -h I^-1 (w x I w)
static ts_vec3 torque_in(double h, ts_vec3 w)
{
  return ts_scale(-h, rate_of(ts_cross(w, momentum_of(w))));
}

// The rule for a body that nothing touches: torques at start (weight 0), middle or end of the change, by repetition.
static ts_vec3 turned(double h, double weight, ts_vec3 w)
{
  ts_vec3 end = w;
  for (int k = 0; k < 200; ++k) end = ts_add(w, torque_in(h, ts_add_scaled(w, weight, ts_sub(end, w))));
  return end;
}

// The axis after a turn by Rodrigues' parameters b = h w/2, as quaternions q + h G(q) w take it.
static ts_vec3 axis_after(double h, ts_vec3 w)
{
  const ts_vec3 b = ts_scale(0.5 * h, w), across = ts_cross(b, AXIS);
  return ts_add_scaled(AXIS, 2.0 / (1.0 + ts_dot(b, b)), ts_add(across, ts_cross(b, across)));
}

// w with the moment that keeps the line on the floor: it acts about the horizontal across the axis of the end, and the
// axis of the end is horizontal. `whole` has the torque of the end in it, else w has turned already.
static ts_vec3 held(double h, ts_vec3 w, bool whole)
{
  ts_vec3 end = w;
  double moment = 0.0;
  for (int k = 0; k < 400; ++k) {
    const ts_vec3 axis = axis_after(h, end), about = rate_of(ts_cross(axis, UP));
    const ts_vec3 free = whole ? ts_add(w, torque_in(h, end)) : w;
    moment -= axis.z / (h * ts_dot(ts_cross(about, AXIS), UP));
    end = ts_add_scaled(free, moment, about);
  }
  assert_near(axis_after(h, end).z, 0.0, 1e-15);
  return end;
}

static ts_vec3 step_of(ts_gyroscopic rule, double h)
{
  world w;
  ts_error error;
  world_init(&w, TS_SPACE_3D);
  w.options.method = ts_stepper_find("implicit");
  w.options.size = h;
  w.options.tolerance = 1e-12;
  w.options.gyroscopic = rule;
  world_friction(&w, 0.0, 0.0);
  world_floor(&w);
  ts_body_def def = ts_body_def_default();
  def.name = "cylinder";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.pose.position = (ts_vec3){0.0, 0.0, RADIUS};
  def.pose.orientation = (ts_quat){sqrt(0.5), -sqrt(0.5), 0.0, 0.0}; // z of the shape is y of the world
  def.velocity.angular = (ts_vec3){-0.5 * h * SPIN * YAW, SPIN, YAW};
  const int body = world_add_def(&w, &def, shape_cylinder(RADIUS, LENGTH));
  world_start(&w);
  assert_int_equal(ts_sim_step(w.sim, &error), TS_OK);
  assert_true(ts_sim_report(w.sim)->certified);
  const ts_vec3 end = ts_sim_velocity(w.sim, body).angular;
  world_release(&w);
  return end;
}

static void torques_turn_the_body_before_contacts_act(void **state)
{
  (void)state;
  static const struct {
    ts_gyroscopic rule;
    double weight;
  } rules[] = {{TS_GYROSCOPIC_EXPLICIT, 0.0}, {TS_GYROSCOPIC_MIDPOINT, 0.5}, {TS_GYROSCOPIC_IMPLICIT, 1.0}};
  for (int k = 0; k < 3; ++k) {
    const double h = 0.004;
    const ts_vec3 start = {-0.5 * h * SPIN * YAW, SPIN, YAW};
    assert_vec_near(step_of(rules[k].rule, h), held(h, turned(h, rules[k].weight, start), false), 1e-9);
  }
}

// Backward Euler with the contact in it has the torque at the velocity that the contact leaves, where it vanishes: the
// line holds the axis. The two differ by second order in a step, h^2 YAW (SPIN (A - C)/A)^2 about the vertical.
static void differs_from_backward_euler_by_second_order(void **state)
{
  (void)state;
  double before = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double h = 0.004 / (1 << k);
    const ts_vec3 start = {-0.5 * h * SPIN * YAW, SPIN, YAW};
    const ts_vec3 off = ts_sub(held(h, start, true), step_of(TS_GYROSCOPIC_IMPLICIT, h));
    const ts_vec3 unit = momentum_of((ts_vec3){1.0, 1.0, 1.0});
    const double turn = h * SPIN * (unit.x - unit.y) / unit.x;
    print_message("h = %g: %g rad/s about the vertical, %g expected\n", h, off.z, YAW * turn * turn);
    assert_near(off.z / (YAW * turn * turn), 1.0, 0.01);
    if (k > 0) assert_near(before / off.z, 4.0, 0.2);
    before = off.z;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(torques_turn_the_body_before_contacts_act),
                                     cmocka_unit_test(differs_from_backward_euler_by_second_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
