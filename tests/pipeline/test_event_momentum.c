// Momentum between events, from what steps report alone: impulses of contacts and forces make its change, also where
// forces change faster than the integrator follows.
#include "scene_run.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

// Momenta of bodies, of their centres of mass.
static ts_vec3 momentum_of(const ts_sim *sim, int body)
{
  const ts_model *model = ts_sim_model(sim);
  const ts_vec3 arm = ts_quat_rotate(ts_sim_pose(sim, body).orientation, ts_model_body_centre(model, body));
  return ts_scale(ts_model_body_mass(model, body), ts_twist_at(ts_sim_velocity(sim, body), arm));
}

static ts_vec3 impulse_on(const ts_sim *sim, int body)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  ts_vec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < count; ++i) {
    const ts_contact *c = &contacts[i];
    const double side = c->body_1 == body ? 1.0 : c->body_2 == body ? -1.0 : 0.0;
    sum = ts_add_scaled(sum, side * c->impulse[0], c->normal);
    sum = ts_add_scaled(sum, side * c->impulse[1], c->tangent);
    sum = ts_add_scaled(sum, side * c->impulse[2], c->other);
  }
  return sum;
}

enum { MOST_BODIES = 8 };

// Free bodies under gravity, one of which a constant force may push.
typedef struct falling {
  const char *scene;
  int steps;
  ts_vec3 gravity;
  int pushed;
  ts_vec3 force;
} falling;

static ts_vec3 outside_of(const scene_run *r, const falling *f, int body)
{
  const double h = ts_sim_options(r->sim)->size, mass = ts_model_body_mass(ts_sim_model(r->sim), body);
  return ts_scale(h, ts_add_scaled(ts_scale(mass, f->gravity), body == f->pushed ? 1.0 : 0.0, f->force));
}

// What is left of the change of momentum is at most 1e-9 of what makes it. Returns the largest impulse of contacts on a
// body.
static double check_scene(const falling *f)
{
  static const double SHARE = 1e-9;
  scene_run r = scene_run_start(f->scene, NULL, 0);
  const ts_model *model = ts_sim_model(r.sim);
  double touched = 0.0;
  assert_true(ts_model_body_count(model) <= MOST_BODIES);
  for (int step = 0; step < f->steps; ++step) {
    ts_error error;
    ts_vec3 before[MOST_BODIES];
    for (int b = 0; b < ts_model_body_count(model); ++b) before[b] = momentum_of(r.sim, b);
    if (ts_sim_step(r.sim, &error) != TS_OK) fail_msg("%s", error.text);
    assert_true(ts_sim_report(r.sim)->certified);
    for (int b = 0; b < ts_model_body_count(model); ++b) {
      if (ts_model_body_kind(model, b) != TS_DYNAMIC) continue;
      const ts_vec3 change = ts_sub(momentum_of(r.sim, b), before[b]);
      const ts_vec3 outside = outside_of(&r, f, b), by = impulse_on(r.sim, b);
      assert_near(ts_length(ts_sub(change, ts_add(outside, by))), 0.0, SHARE * (ts_length(outside) + ts_length(by)));
      touched = fmax(touched, ts_length(by));
    }
  }
  scene_run_end(&r);
  return touched;
}

// A body of 100 kg. Its weight brings 10.8 N s a step, its edge some 400 kN.
static void impulses_of_an_edge_are_recorded(void **state)
{
  (void)state;
  const falling box = {TEST_DATA "/scenes/rolls_onto_edge.yaml", 6, {0.0, 0.0, -9.81}, -1, {0.0, 0.0, 0.0}};
  assert_true(check_scene(&box) > 100.0);
}

// The sum of impulses along normals that turn has a part across the last one, though nothing rubs.
static void impulses_along_turning_normals_are_recorded(void **state)
{
  (void)state;
  const falling ellipsoid = {TEST_DATA "/scenes/normal_turns.yaml", 63, {0.0, 0.0, -9.81}, -1, {0.0, 0.0, 0.0}};
  assert_true(check_scene(&ellipsoid) > 1.0);
}

// A contact that pushes in a smooth step and is no longer there where the step ends.
static void impulses_of_what_lets_go_are_recorded(void **state)
{
  (void)state;
  const falling disc = {TEST_DATA "/scenes/lets_go.yaml",
                        54,
                        {0.0, -9.8100000000000005, 0.0},
                        2,
                        {-3.9641691889442479, 3.0089241668995728, 0.0}};
  assert_true(check_scene(&disc) > 1.0);
}

// The flat side of a superellipse rolls on the floor: its contact runs 1 cm in a step, while the body moves 0.2 mm. The
// moment of the recorded impulse at the recorded point is the change of spin, up to the way of the body.
static void moments_of_a_contact_that_runs_are_recorded(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "touchstone: 1\nspace: 2d\nmaterials: [{name: m, friction: 0.3}]\nbodies:\n"
      "  - {name: floor, kind: fixed, material: m, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
      "  - {name: s, material: m, position: [0, 0.0877], angle: 0.02, mass: 9, inertia: 0.03, angular_velocity: 0,\n"
      "     shapes: [{superellipse: {semi_axes: [0.11, 0.086], exponents: [20, 3.4]}}]}\n"
      "step: {method: event-driven, size: 0.005}\nduration: 0.4\n");
  const int body = scene_run_body(&r, "s");
  const double h = 0.005, inertia = 0.03;
  double fastest = 0.0;
  for (int step = 0; step < 40 && ts_sim_pose(r.sim, body).orientation.z > 1e-3; ++step) {
    ts_error error;
    int count;
    const ts_twist v = ts_sim_velocity(r.sim, body);
    const ts_vec3 centre = ts_sim_pose(r.sim, body).position;
    if (ts_sim_step(r.sim, &error) != TS_OK) fail_msg("%s", error.text);
    const ts_twist after = ts_sim_velocity(r.sim, body);
    const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
    double moment = 0.0, pushed = 0.0;
    for (int i = 0; i < count; ++i) {
      const ts_contact *c = &contacts[i];
      const ts_vec3 arm = ts_sub(c->point, centre);
      const ts_vec3 impulse = ts_add_scaled(ts_scale(c->impulse[0], c->normal), c->impulse[1], c->tangent);
      moment += ts_cross(arm, impulse).z;
      pushed += ts_length(impulse);
    }
    const double way = h * fmax(ts_length(v.linear), ts_length(after.linear));
    const double spin = fabs(inertia * (after.angular.z - v.angular.z));
    assert_near(inertia * (after.angular.z - v.angular.z), moment, 1e-9 * spin + 2.0 * way * pushed);
    fastest = fmax(fastest, fabs(after.angular.z));
  }
  assert_true(fastest > 0.1);
  scene_run_end(&r);
}

// A link begins 1e-5 rad beyond its stop, is put back, and another one swings on it: the force in its joint is all that
// changes its momentum.
static void links_put_back_to_a_stop_keep_momentum(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "touchstone: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {name: a, mass: 2, inertia: [0.02, 0.02, 0.02], position: [0.3, 0, 0]}\n"
      "  - {name: b, mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.6, 0.2, 0], velocity: [-0.8, 0, 0],\n"
      "     angular_velocity: [0, 0, 4]}\n"
      "joints:\n"
      "  - {name: stopped, type: revolute, parent: world, child: a, at: [0, 0, 0], axis: [0, 1, 0],\n"
      "     limits: {upper: -1.0e-5}}\n"
      "  - {name: swings, type: revolute, parent: a, child: b, at: [0.6, 0, 0], axis: [0, 0, 1]}\n"
      "step: {method: event-driven, size: 0.005, start: as_given}\nduration: 0.1\n");
  ts_error error;
  assert_int_equal(ts_sim_measure_joints(r.sim, true, &error), TS_OK);
  const int body = scene_run_body(&r, "b");
  double moved = 0.0;
  for (int step = 0; step < 4; ++step) {
    const double h = 0.005, before = ts_sim_joint_position(r.sim, 0, NULL);
    const ts_vec3 momentum = momentum_of(r.sim, body);
    if (ts_sim_step(r.sim, &error) != TS_OK) fail_msg("%s", error.text);
    const ts_vec3 change = ts_sub(momentum_of(r.sim, body), momentum);
    const ts_vec3 force = ts_add(ts_sim_joint_forces(r.sim, 1).reaction.force, (ts_vec3){0.0, 0.0, -9.81});
    assert_near(ts_length(ts_add_scaled(change, -h, force)), 0.0, 1e-10);
    moved = fmax(moved, fabs(ts_sim_joint_position(r.sim, 0, NULL) - before));
  }
  assert_near(moved, 1e-5, 1e-9);
  scene_run_end(&r);
}

// The velocity of a base jumps, and drags a pendulum along: the impulse is in the force of its joint.
static void jumps_of_bases_are_in_the_forces_of_joints(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "touchstone: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {name: base, kind: kinematic, motion: {displacement: [{piecewise: [{from: 0, polynomial: [0, 0.5]},\n"
      "     {from: 0.1, polynomial: [-0.1, 1.5]}]}, 0, 0]}}\n"
      "  - {name: a, mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0.3, -0.2]}\n"
      "joints:\n  - {name: j, type: revolute, parent: base, child: a, at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "step: {method: event-driven, size: 0.004}\nduration: 0.2\n");
  ts_error error;
  assert_int_equal(ts_sim_measure_joints(r.sim, true, &error), TS_OK);
  const int body = scene_run_body(&r, "a");
  double largest = 0.0;
  for (int step = 0; step < 50; ++step) {
    const double h = 0.004;
    const ts_vec3 momentum = momentum_of(r.sim, body);
    if (ts_sim_step(r.sim, &error) != TS_OK) fail_msg("%s", error.text);
    const ts_vec3 change = ts_sub(momentum_of(r.sim, body), momentum);
    const ts_vec3 force = ts_add(ts_sim_joint_forces(r.sim, 0).reaction.force, (ts_vec3){0.0, 0.0, -9.81});
    assert_near(ts_length(ts_add_scaled(change, -h, force)), 0.0, 1e-10);
    largest = fmax(largest, ts_length(change));
  }
  assert_true(largest > 0.1);
  scene_run_end(&r);
}

// A motor of limited force follows a target that changes: its forces do not jump between events.
static void a_limited_motor_follows_its_target_smoothly(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "touchstone: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {name: a, mass: 2, inertia: [0.02, 0.03, 0.02], position: [0.3, 0, 0], angular_velocity: [0, 0.3, 0],\n"
      "     velocity: [0, 0, -0.09]}\n"
      "joints:\n"
      "  - {name: driven, type: revolute, parent: world, child: a, at: [0, 0, 0], axis: [0, 1, 0],\n"
      "     motor: {velocity: {target: {sine: {offset: 0.3, amplitude: 0.5, frequency: 6}}, max_force: 20}}}\n"
      "step: {method: event-driven, size: 0.005}\nduration: 0.5\n");
  for (int step = 0; step < 100; ++step) {
    ts_error error;
    double rate;
    if (ts_sim_step(r.sim, &error) != TS_OK) fail_msg("%s", error.text);
    ts_sim_joint_position(r.sim, 0, &rate);
    assert_near(rate, 0.3 + 0.5 * sin(6.0 * ts_sim_time(r.sim)), 1e-12);
    assert_int_equal(ts_sim_report(r.sim)->fallbacks, 0);
    assert_true(ts_sim_report(r.sim)->regularized == 0.0);
    assert_true(ts_sim_report(r.sim)->problems < 200);
  }
  scene_run_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(impulses_of_an_edge_are_recorded),
                                     cmocka_unit_test(impulses_along_turning_normals_are_recorded),
                                     cmocka_unit_test(impulses_of_what_lets_go_are_recorded),
                                     cmocka_unit_test(moments_of_a_contact_that_runs_are_recorded),
                                     cmocka_unit_test(links_put_back_to_a_stop_keep_momentum),
                                     cmocka_unit_test(jumps_of_bases_are_in_the_forces_of_joints),
                                     cmocka_unit_test(a_limited_motor_follows_its_target_smoothly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
