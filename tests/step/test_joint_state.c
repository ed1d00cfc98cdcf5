// What a program asks of joints between steps: pushes along them, targets of their motors; and its mistakes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

#include "touchstone/scene.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const slides =
    "touchstone: 1\ngravity: [0, 0, 0]\nbodies:\n"
    "  - {name: cart, mass: 2, inertia: [1, 1, 1]}\n"
    "  - {name: load, mass: 3, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "  - {name: rod, mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
    "  - {name: arm, mass: 1, inertia: [1, 1, 1], position: [0, 2, 0]}\n"
    "  - {name: ball, mass: 1, inertia: [1, 1, 1], position: [0, 3, 0]}\n"
    "joints:\n"
    "  - {name: rail, type: prismatic, child: cart, axis: [1, 0, 0]}\n"
    "  - {name: between, type: prismatic, parent: cart, child: load, axis: [1, 0, 0], at: [1, 0, 0]}\n"
    "  - {name: speed, type: revolute, child: rod, axis: [0, 0, 1], at: [0, 1, 0], motor: {velocity: {target: 1, "
    "max_force: 50}}}\n"
    "  - {name: place, type: revolute, child: arm, axis: [0, 0, 1], at: [0, 2, 0],\n"
    "     motor: {servo: {target: {sine: {amplitude: 1, frequency: 3}}, stiffness: 40, damping: 9}}}\n"
    "  - {name: pull, type: spherical, child: ball, at: [0, 3, 0]}\n"
    "step: {size: 1e-3}\nduration: 1\n";

typedef struct rig {
  ts_scene *scene;
  ts_sim *sim;
} rig;

static rig start(int method, int coordinates)
{
  static const char *const methods[] = {"stewart-trinkle", "velocity", "event-driven"};
  rig r;
  char chosen[64];
  ts_error error;
  snprintf(chosen, sizeof chosen, "step.method=%s", methods[method]);
  const char *const overrides[] = {chosen, coordinates ? "step.coordinates=minimal" : "step.coordinates=redundant",
                                   "step.tolerance=1e-12"};
  if (ts_scene_parse(slides, strlen(slides), "test", overrides, 3, &r.scene, &error) != TS_OK)
    fail_msg("%s", error.text);
  assert_int_equal(ts_sim_create(ts_scene_model(r.scene), ts_scene_options(r.scene), NULL, &r.sim, &error), TS_OK);
  return r;
}

static void end(rig *r)
{
  ts_sim_destroy(r->sim);
  ts_scene_destroy(r->scene);
}

static void step(rig *r)
{
  ts_error error;
  if (ts_sim_step(r->sim, &error) != TS_OK) fail_msg("%s", error.text);
}

static int joint_of(const rig *r, const char *name)
{
  return ts_model_find_joint(ts_scene_model(r->scene), name);
}

static double rate_of(const rig *r, const char *name)
{
  double rate;
  ts_sim_joint_position(r->sim, joint_of(r, name), &rate);
  return rate;
}

#define IN_EVERY_WAY                                                                                                   \
  for (int method = 0; method < 3; ++method)                                                                           \
    for (int coordinates = 0; coordinates < 2; ++coordinates)

// Between the bodies alone: the force is on the load, the opposite on the cart. It ends with the step.
static void test_pushes(void **state)
{
  (void)state;
  IN_EVERY_WAY
  {
    rig r = start(method, coordinates);
    ts_error error;
    assert_int_equal(ts_sim_measure_joints(r.sim, true, &error), TS_OK);
    assert_int_equal(ts_sim_push_joint(r.sim, joint_of(&r, "between"), 4.0, &error), TS_OK);
    assert_int_equal(ts_sim_push_joint(r.sim, joint_of(&r, "between"), 2.0, &error), TS_OK);
    for (int k = 0; k < 2; ++k) {
      step(&r);
      assert_near(ts_sim_velocity(r.sim, 0).linear.x, -6e-3 / 2.0, 1e-12);
      assert_near(ts_sim_velocity(r.sim, 1).linear.x, 6e-3 / 3.0, 1e-12);
      const ts_joint_forces between = ts_sim_joint_forces(r.sim, joint_of(&r, "between"));
      assert_near(between.reaction.force.x, k == 0 ? 6.0 : 0.0, 1e-9);
      assert_true(between.motor == 0.0);
    }
    assert_near(ts_sim_report(r.sim)->applied_work, 0.0, 1e-15);
    end(&r);
  }
}

static void test_targets(void **state)
{
  (void)state;
  IN_EVERY_WAY
  {
    rig r = start(method, coordinates);
    ts_error error;
    step(&r);
    const int speed = joint_of(&r, "speed"), place = joint_of(&r, "place");
    assert_int_equal(ts_sim_set_target(r.sim, speed, -0.01, 0.0, &error), TS_OK);
    assert_int_equal(ts_sim_set_target(r.sim, place, 0.25, 0.0, &error), TS_OK);
    for (int k = 0; k < 2000; ++k) step(&r);
    assert_near(rate_of(&r, "speed"), -0.01, 1e-9);
    assert_near(ts_sim_joint_position(r.sim, place, NULL), 0.25, 1e-3);
    assert_int_equal(ts_sim_clear_target(r.sim, speed, &error), TS_OK);
    for (int k = 0; k < 50; ++k) step(&r);
    assert_near(rate_of(&r, "speed"), 1.0, 1e-9);
    end(&r);
  }
}

// A run that goes on from a state with targets and a push takes the same steps; one without them has the size that it
// always had.
static void test_saved_with_the_state(void **state)
{
  (void)state;
  IN_EVERY_WAY
  {
    rig r = start(method, coordinates), other = start(method, coordinates);
    ts_error error;
    double *saved, *again;
    size_t size, more;
    step(&r);
    const size_t without = ts_sim_state_size(r.sim);
    assert_int_equal(ts_sim_set_target(r.sim, joint_of(&r, "place"), 0.3, 0.5, &error), TS_OK);
    assert_int_equal(ts_sim_push_joint(r.sim, joint_of(&r, "rail"), -2.0, &error), TS_OK);
    assert_int_equal(ts_sim_snapshot(r.sim, &saved, &size, &error), TS_OK);
    assert_true(size == without + 4 * 5);
    assert_int_equal(ts_sim_load(other.sim, saved, size, &error), TS_OK);
    for (int k = 0; k < 20; ++k) {
      step(&r);
      step(&other);
    }
    free(saved);
    assert_int_equal(ts_sim_snapshot(r.sim, &saved, &size, &error), TS_OK);
    assert_int_equal(ts_sim_snapshot(other.sim, &again, &more, &error), TS_OK);
    assert_true(size == more);
    assert_memory_equal(saved, again, size * sizeof *saved);
    saved[size - 3] = 1.0; // a target of the ball, which has no motor
    assert_int_equal(ts_sim_load(other.sim, saved, size, &error), TS_INVALID);
    assert_string_equal(error.text, "the saved state asks something of joint 'pull' that it cannot do");
    assert_int_equal(ts_sim_load(other.sim, saved, size - 1, &error), TS_INVALID);
    free(saved);
    free(again);
    end(&r);
    end(&other);
  }
}

// From within a callback, too; what would change the simulation's memory is refused there.
static void drive(void *user, ts_sim *sim, double t)
{
  ts_error error;
  const int speed = *(const int *)user;
  assert_int_equal(ts_sim_set_target(sim, speed, t < 5e-3 ? 0.2 : 0.3, 0.0, &error), TS_OK);
  assert_int_equal(ts_sim_measure_joints(sim, true, &error), TS_INVALID);
}

static void test_set_by_callbacks(void **state)
{
  (void)state;
  IN_EVERY_WAY
  {
    rig r = start(method, coordinates);
    int speed = joint_of(&r, "speed");
    ts_sim_set_callback(r.sim, drive, &speed);
    for (int k = 0; k < 4; ++k) step(&r);
    assert_near(rate_of(&r, "speed"), 0.2, 1e-9);
    for (int k = 0; k < 4; ++k) step(&r);
    assert_near(rate_of(&r, "speed"), 0.3, 1e-9);
    ts_sim_set_callback(r.sim, NULL, NULL);
    for (int k = 0; k < 4; ++k) step(&r);
    assert_near(rate_of(&r, "speed"), 0.3, 1e-9);
    end(&r);
  }
}

static void test_mistakes(void **state)
{
  (void)state;
  rig r = start(0, 0);
  ts_error error;
  const int rail = joint_of(&r, "rail"), pull = joint_of(&r, "pull"), place = joint_of(&r, "place");
  assert_int_equal(ts_model_find_joint(ts_scene_model(r.scene), "nobody"), -1);
  assert_int_equal(ts_sim_push_joint(NULL, rail, 1.0, &error), TS_INVALID);
  assert_int_equal(ts_sim_push_joint(r.sim, 5, 1.0, &error), TS_INVALID);
  assert_string_equal(error.text, "there is no joint 5 to push along");
  assert_int_equal(ts_sim_push_joint(r.sim, -1, 1.0, NULL), TS_INVALID);
  assert_int_equal(ts_sim_push_joint(r.sim, rail, (double)NAN, &error), TS_INVALID);
  assert_string_equal(error.text, "joint 'rail': the push must be finite");
  assert_int_equal(ts_sim_push_joint(r.sim, pull, 1.0, &error), TS_INVALID);
  assert_string_equal(error.text, "joint 'pull' is spherical, it has no coordinate to push along");
  assert_int_equal(ts_sim_set_target(NULL, place, 1.0, 0.0, &error), TS_INVALID);
  assert_int_equal(ts_sim_set_target(r.sim, 7, 1.0, 0.0, &error), TS_INVALID);
  assert_int_equal(ts_sim_set_target(r.sim, rail, 1.0, 0.0, &error), TS_INVALID);
  assert_string_equal(error.text, "joint 'rail' has no motor that would follow a target");
  assert_int_equal(ts_sim_set_target(r.sim, place, 1.0, (double)INFINITY, &error), TS_INVALID);
  assert_string_equal(error.text, "joint 'place': target and rate must be finite");
  assert_int_equal(ts_sim_clear_target(NULL, place, &error), TS_INVALID);
  assert_int_equal(ts_sim_clear_target(r.sim, rail, &error), TS_INVALID);
  assert_int_equal(ts_sim_clear_target(r.sim, place, &error), TS_OK);
  assert_int_equal(ts_sim_measure_joints(NULL, true, &error), TS_INVALID);
  assert_false(ts_sim_measures_joints(r.sim));
  assert_true(ts_sim_joint_forces(r.sim, rail).reaction.force.x == 0.0);
  end(&r);
}

// Measuring changes nothing.
static void test_measured_alike(void **state)
{
  (void)state;
  IN_EVERY_WAY
  {
    rig r = start(method, coordinates), other = start(method, coordinates);
    ts_error error;
    double *saved, *again;
    size_t size, more;
    assert_int_equal(ts_sim_measure_joints(other.sim, true, &error), TS_OK);
    for (int k = 0; k < 100; ++k) {
      step(&r);
      step(&other);
    }
    assert_int_equal(ts_sim_snapshot(r.sim, &saved, &size, &error), TS_OK);
    assert_int_equal(ts_sim_snapshot(other.sim, &again, &more, &error), TS_OK);
    assert_true(size == more);
    assert_memory_equal(saved, again, size * sizeof *saved);
    int before, after;
    ts_sim_memory(other.sim, &before);
    for (int k = 0; k < 100; ++k) step(&other);
    ts_sim_memory(other.sim, &after);
    assert_int_equal(before, after);
    free(saved);
    free(again);
    end(&r);
    end(&other);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pushes),
      cmocka_unit_test(test_targets),
      cmocka_unit_test(test_saved_with_the_state),
      cmocka_unit_test(test_set_by_callbacks),
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_measured_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
