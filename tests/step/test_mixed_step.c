// The mixed problem of the implicit step where rows of joints are bounded: stops and motors without any contact,
// against closed forms and the reduced formulation; and what takes the step where its solver gives up.
#include "scene_run.h"
#include "world.h"

#include "step/sim.h"

#include "complementarity/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const char *const formulations[] = {"mncp", "reduced"};

// A scene of these bodies and joints with steps of 0.01.
static scene_run start(const char *formulation, const char *gravity, const char *lines)
{
  char text[2048];
  snprintf(text, sizeof text,
           "touchstone: 1\ngravity: %s\n%s"
           "step: {method: implicit, formulation: %s, coordinates: redundant, size: 0.01, tolerance: 1e-12}\n"
           "duration: 10\n",
           gravity, lines, formulation);
  return scene_run_text(text);
}

static void take_step(const scene_run *run)
{
  ts_error error = {0};
  if (ts_sim_step(run->sim, &error) != TS_OK) fail_msg("%s", error.text);
  assert_true(ts_sim_report(run->sim)->certified);
  assert_int_equal(ts_sim_report(run->sim)->fallbacks, 0);
}

static double spin_of(const scene_run *run, const char *body)
{
  return ts_sim_velocity(run->sim, scene_run_body(run, body)).angular.z;
}

// ---- stops ---------------------------------------------------------------------------------------------------------

// A pendulum is let go 0.1 rad above its stop, meets it and rests there.
static void a_pendulum_rests_at_its_stop(void **state)
{
  (void)state;
  ts_vec3 at[2][60];
  for (int f = 0; f < 2; ++f) {
    scene_run run = start(formulations[f], "[0, 0, -9.81]",
                          "bodies: [{name: bob, mass: 2, shape: {sphere: {radius: 0.1}}, position: [0.5, 0, 0]}]\n"
                          "joints: [{name: pin, type: revolute, child: bob, at: [0, 0, 0], axis: [0, 1, 0],"
                          " limits: [-1, 0.1]}]\n");
    for (int k = 0; k < 60; ++k) {
      take_step(&run);
      at[f][k] = scene_run_position(&run, "bob");
      assert_true(atan2(-at[f][k].z, at[f][k].x) <= 0.1 + 1e-9);
    }
    assert_near(at[f][59].x, 0.5 * cos(0.1), 1e-9);
    assert_near(at[f][59].z, -0.5 * sin(0.1), 1e-9);
    assert_near(ts_sim_velocity(run.sim, scene_run_body(&run, "bob")).angular.y, 0.0, 1e-9);
    scene_run_end(&run);
  }
  for (int k = 0; k < 60; ++k) assert_near(ts_distance_of(at[0][k], at[1][k]), 0.0, 1e-9);
}

// ---- motors --------------------------------------------------------------------------------------------------------

// A wheel on its axle: n h T/I until the motor has its speed. I = 2/5 m r^2 = 0.008.
static void a_motor_has_its_torque_and_its_speed(void **state)
{
  (void)state;
  for (int f = 0; f < 2; ++f) {
    scene_run run = start(formulations[f], "[0, 0, -9.81]",
                          "bodies: [{name: wheel, mass: 2, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}]\n"
                          "joints: [{name: axle, type: revolute, child: wheel, at: [0, 0, 1], axis: [0, 0, 1],"
                          " motor: {velocity: {target: 3, max_force: 0.1}}}]\n");
    for (int n = 1; n <= 40; ++n) {
      take_step(&run);
      assert_near(spin_of(&run, "wheel"), fmin(3.0, 0.01 * n * 0.1 / 0.008), 1e-9);
    }
    scene_run_end(&run);
  }
}

// Two wheels that float, each turned by the other: their momentum stays 0. I = 0.008 and 0.016.
static void a_motor_between_two_bodies_turns_both(void **state)
{
  (void)state;
  for (int f = 0; f < 2; ++f) {
    scene_run run = start(formulations[f], "[0, 0, 0]",
                          "bodies:\n"
                          "  - {name: first, mass: 2, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0]}\n"
                          "  - {name: second, mass: 4, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}\n"
                          "joints: [{name: axle, type: revolute, parent: first, child: second, at: [0, 0, 0.5],"
                          " axis: [0, 0, 1], motor: {velocity: {target: 3, max_force: 0.05}}}]\n");
    for (int n = 1; n <= 50; ++n) {
      const double speed = fmin(3.0, 0.01 * n * 0.05 * (1.0 / 0.008 + 1.0 / 0.016));
      take_step(&run);
      assert_near(spin_of(&run, "first"), -2.0 / 3.0 * speed, 1e-9);
      assert_near(spin_of(&run, "second"), speed / 3.0, 1e-9);
    }
    scene_run_end(&run);
  }
}

// A motor presses a lever on its stop with what it has, and another one beside it turns freely: islands of their own.
static void stops_and_motors_hold_apart(void **state)
{
  (void)state;
  scene_run run =
      start("mncp", "[0, 0, 0]",
            "bodies:\n"
            "  - {name: lever, mass: 2, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0]}\n"
            "  - {name: wheel, mass: 2, shape: {sphere: {radius: 0.1}}, position: [5, 0, 0]}\n"
            "  - {name: stone, mass: 1, shape: {sphere: {radius: 0.1}}, position: [9, 0, 0],"
            " velocity: [0, 0, 1]}\n"
            "joints:\n"
            "  - {name: hinge, type: revolute, child: lever, at: [0, 0, 0], axis: [0, 0, 1], limits: {upper: 0.05},"
            " motor: {velocity: {target: 3, max_force: 0.1}}}\n"
            "  - {name: axle, type: revolute, child: wheel, at: [5, 0, 0], axis: [0, 0, 1],"
            " motor: {velocity: {target: 2, max_force: 0.1}}}\n");
  for (int n = 1; n <= 40; ++n) {
    take_step(&run);
    assert_near(spin_of(&run, "wheel"), fmin(2.0, 0.01 * n * 0.1 / 0.008), 1e-9);
    if (n >= 12) assert_near(spin_of(&run, "lever"), 0.0, 1e-9);
  }
  const ts_pose lever = ts_sim_pose(run.sim, scene_run_body(&run, "lever"));
  assert_near(2.0 * atan2(lever.orientation.z, lever.orientation.w), 0.05, 1e-9);
  assert_near(scene_run_position(&run, "stone").z, 0.4, 1e-12);
  scene_run_end(&run);
}

// ---- what is remembered --------------------------------------------------------------------------------------------

// Of 60 steps of a body on a joint about an axis; without memory the simulation forgets all impulses after every step.
static int iterations_of(const char *gravity, const char *joint, bool remembers)
{
  char lines[400];
  int iterations = 0;
  snprintf(lines, sizeof lines,
           "bodies: [{name: bob, mass: 2, shape: {sphere: {radius: 0.1}}, position: [0.5, 0, 0]}]\n"
           "joints: [{name: pin, type: revolute, child: bob, %s}]\n",
           joint);
  scene_run run = start("mncp", gravity, lines);
  for (int n = 0; n < 60; ++n) {
    if (!remembers) run.sim->remembered.count = 0;
    take_step(&run);
    iterations += ts_sim_report(run.sim)->iterations;
  }
  scene_run_end(&run);
  return iterations;
}

// The problem is solved from what limits and motors bore in the last step. A wheel that its motor speeds up with all it
// has is linear, and its next step is known but for the speed: one iteration. Onto a stop, which bears a weight, the
// way is shorter.
static void impulses_of_joints_are_where_the_next_step_begins(void **state)
{
  (void)state;
  static const char wheel[] = "at: [0.5, 0, 0], axis: [0, 0, 1], motor: {velocity: {target: 300, max_force: 0.1}}";
  static const char back[] = "at: [0.5, 0, 0], axis: [0, 0, 1], motor: {velocity: {target: -300, max_force: 0.1}}";
  static const char pendulum[] = "at: [0, 0, 0], axis: [0, 1, 0], limits: [-1, 0.1]";
  assert_true(iterations_of("[0, 0, 0]", wheel, true) <= 62);
  assert_true(iterations_of("[0, 0, 0]", back, true) <= 62);
  assert_true(iterations_of("[0, 0, 0]", wheel, false) >= 120);
  assert_true(iterations_of("[0, 0, -9.81]", pendulum, true) < iterations_of("[0, 0, -9.81]", pendulum, false) - 60);
}

// ---- where the mixed problem is not solved -------------------------------------------------------------------------

static int calls, refusals; // of the solver below: how often it was called, and how often it gives up at once
static double off_at_start; // residual of the point that its last call began from

static ts_outcome give_up_at_first(const ts_problem *problem, ts_run *run, double *z)
{
  off_at_start = ts_problem_residual(problem, z);
  if (calls++ >= refusals) return ts_solver_find("pathsearch")->solve(problem, run, z);
  for (int i = 0; i < problem->mcp.size; ++i) z[i] += 1.0; // a start that solves the problem would be taken as it is
  return TS_ITERATION_LIMIT;
}

static const ts_solver reluctant = {"reluctant", "gives up some times", TS_MCP, 100, give_up_at_first};

// A step of a body that lands on the floor, spinning and sliding. Returns its velocity; `times`: the solver gives up.
static ts_twist land(ts_formulation formulation, int times, ts_step_report *report)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = ts_stepper_find("implicit");
  w.options.formulation = formulation;
  w.options.size = 0.01;
  w.options.tolerance = 1e-10;
  if (formulation == TS_FORMULATION_MNCP) w.options.solver = &reluctant;
  calls = 0;
  refusals = times;
  world_friction(&w, 0.3, 0.0);
  world_floor(&w);
  const ts_shape shape = {.kind = TS_SHAPE_ELLIPSOID, .size = {0.1, 0.15, 0.2}};
  const int body = world_add(&w, "body", TS_DYNAMIC, 1.0, shape, (ts_vec3){0.0, 0.0, 0.21});
  world_start(&w);
  world_move(&w, body, (ts_vec3){1.0, 0.5, -2.0}, (ts_vec3){1.0, 2.0, 3.0});
  world_step(&w);
  *report = *ts_sim_report(w.sim);
  const ts_twist velocity = ts_sim_velocity(w.sim, body);
  world_release(&w);
  return velocity;
}

static void assert_same(ts_twist a, ts_twist b)
{
  assert_vec_near(a.linear, b.linear, 1e-8);
  assert_vec_near(a.angular, b.angular, 1e-7);
}

// The mixed problem is tried from points of its own, then from the solution of the reduced one, which is the step where
// that fails, too. The step is the same, and tries that failed are counted.
static void tries_that_fail_are_counted(void **state)
{
  (void)state;
  ts_step_report report;
  const ts_twist reduced = land(TS_FORMULATION_REDUCED, 0, &report);
  assert_int_equal(report.fallbacks, 0);
  assert_true(report.factorizations > 0 && report.factorizations <= report.iterations);
  assert_same(land(TS_FORMULATION_MNCP, 0, &report), reduced);
  assert_int_equal(report.fallbacks, 0);
  assert_string_equal(report.solver, "reluctant");
  assert_same(land(TS_FORMULATION_MNCP, 1000, &report), reduced);
  assert_int_equal(report.fallbacks, 2);
  assert_string_equal(report.solver, "patches");
  assert_true(calls > 1);
  assert_true(off_at_start < 1e-8); // the last of them is that from the solution of the reduced one
  assert_same(land(TS_FORMULATION_MNCP, calls - 1, &report), reduced);
  assert_int_equal(report.fallbacks, 1);
  assert_string_equal(report.solver, "reluctant");
  assert_true(off_at_start < 1e-8);
}

// The flat side of a superellipsoid, for which the reduced problem has no answer in many steps: every step that the
// mixed problem has taken is one with a fall-back, and no other is.
static void steps_of_the_mixed_problem_are_fall_backs(void **state)
{
  (void)state;
  int taken = 0;
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = ts_stepper_find("implicit");
  w.options.solver = ts_solver_find("pathsearch");
  w.options.size = 0.005;
  w.options.tolerance = 1e-10;
  world_friction(&w, 0.3, 0.0);
  world_floor(&w);
  const ts_shape shape = {.kind = TS_SHAPE_SUPERELLIPSOID, .size = {0.1, 0.1, 0.1}, .exponents = {6.0, 6.0, 6.0}};
  const int body = world_add(&w, "body", TS_DYNAMIC, 1.0, shape, (ts_vec3){0.0, 0.0, 0.1001});
  world_start(&w);
  world_move(&w, body, (ts_vec3){0.1, 0.05, -0.2}, (ts_vec3){0.1, 0.2, 0.3});
  for (int n = 0; n < 20; ++n) {
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    const bool mixed = strcmp(report->solver, "patches") != 0;
    if (report->substeps == 1) assert_int_equal(report->fallbacks > 0, mixed);
    taken += mixed;
  }
  assert_true(taken > 5 && taken < 20);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_pendulum_rests_at_its_stop),
                                     cmocka_unit_test(a_motor_has_its_torque_and_its_speed),
                                     cmocka_unit_test(a_motor_between_two_bodies_turns_both),
                                     cmocka_unit_test(stops_and_motors_hold_apart),
                                     cmocka_unit_test(impulses_of_joints_are_where_the_next_step_begins),
                                     cmocka_unit_test(tries_that_fail_are_counted),
                                     cmocka_unit_test(steps_of_the_mixed_problem_are_fall_backs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
