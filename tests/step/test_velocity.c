// Stops of joints at the level of velocities: with Newton's law each rebounds with its own coefficient, whatever else
// is closed beside it, contacts or other stops; with Poisson's law rows of balls keep their energy.
#include "touchstone/scene.h"

#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

// Sliders by name: one at its stop and pressed against it, two that arrive at once with coefficients of their own.
static const char *const sliders[] = {
    "- {name: pressed, mass: 1, inertia: [1, 1, 1], position: [0, 0, 9],\n"
    "   joint: {name: j_pressed, type: prismatic, at: [0, 0, 9], axis: [0, 0, 1], limits: {lower: 0}}}\n",
    "- {name: half, mass: 2, inertia: [1, 1, 1], position: [0, 9, 9],\n"
    "   joint: {name: j_half, type: prismatic, at: [0, 9, 9], axis: [1, 0, 0], limits: {upper: 0.1}, restitution: "
    "0.5,\n"
    "           velocity: 1}}\n",
    "- {name: full, mass: 3, inertia: [1, 1, 1], position: [0, -9, 9],\n"
    "   joint: {name: j_full, type: prismatic, at: [0, -9, 9], axis: [0, 1, 0], limits: {lower: -0.2}, restitution: "
    "1,\n"
    "           velocity: -2}}\n"};

static double rate(const ts_sim *sim, const char *joint)
{
  const ts_model *model = ts_sim_model(sim);
  double rate = NAN;
  for (int j = 0; j < ts_model_joint_count(model); ++j)
    if (strcmp(ts_model_joint(model, j).name, joint) == 0) ts_sim_joint_position(sim, j, &rate);
  return rate;
}

static void check_order(const int order[3], const char *coordinates)
{
  char text[4096];
  snprintf(text, sizeof text,
           "touchstone: 1\ncontact: {friction: 0}\nbodies:\n"
           "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
           "- {name: box, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [50, 0, 0.5]}\n%s%s%s"
           "step: {method: velocity, impacts: newton, size: 0.003, coordinates: %s}\n",
           sliders[order[0]], sliders[order[1]], sliders[order[2]], coordinates);
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  if (ts_scene_parse(text, strlen(text), "stops", NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.text);
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  for (int k = 0; k < 60; ++k) { // 0.18 s: both have turned round at 0.1 s
    assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    assert_true(ts_sim_report(sim)->certified);
  }
  assert_true(fabs(rate(sim, "j_half") + 0.5) < 1e-7);
  assert_true(fabs(rate(sim, "j_full") - 2.0) < 1e-7);
  assert_true(fabs(rate(sim, "j_pressed")) < 1e-7);
  const ts_twist box = ts_sim_velocity(sim, ts_model_find_body(ts_sim_model(sim), "box"));
  assert_true(fabs(box.linear.x) + fabs(box.linear.y) + fabs(box.linear.z) < 1e-7);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static void every_stop_rebounds_by_its_own_law(void **state)
{
  (void)state;
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int k = 0; k < 6; ++k) {
    check_order(orders[k], "redundant");
    check_order(orders[k], "minimal");
  }
}

// A ball against two that all but touch each other and a wall, e = 1: whatever the order in which they
// meet, no energy is lost.
static void a_row_before_a_wall_gives_all_back(void **state)
{
  (void)state;
  static const double gaps[] = {0.0, 1e-15, 1e-12, 1e-9, 1e-4}, sizes[] = {1e-2, 1e-3};
  for (int k = 0; k < 10; ++k) {
    const double gap = gaps[k % 5];
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.method = ts_stepper_find("velocity");
    w.options.impacts = TS_IMPACT_POISSON;
    w.options.rest_speed = 1e-9;
    w.options.size = sizes[k / 5];
    world_friction(&w, 0.0, 1.0);
    ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
    const int first = world_add(&w, "first", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.0});
    world_add(&w, "second", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.5, 0.0, 0.0});
    world_add(&w, "third", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.7 + gap, 0.0, 0.0});
    world_add(&w, "wall", TS_FIXED, 0.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){1.3 + 2.0 * gap, 0.0, 0.0});
    world_start(&w);
    world_move(&w, first, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
    while (ts_sim_time(w.sim) < 0.8) world_step(&w);
    assert_near(world_kinetic(&w), 0.5, 1e-9);
    world_release(&w);
  }
}

// ---- bases that move ------------------------------------------------------------------------------------------------

static const char on_a_base[] =
    "touchstone: 1\ngravity: [0, 0, 0]\nbodies:\n"
    "- {name: base, kind: kinematic, motion: {displacement: [{polynomial: [0, 2]}, 0, 0]}}\n"
    "- {name: pulled, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0], velocity: [2, 0, 0]}\n"
    "- {name: held, mass: 1, inertia: [1, 1, 1], position: [0, 3, 0], velocity: [2, 0, 0]}\n"
    "- {name: servo, mass: 1, inertia: [1, 1, 1], position: [0, 6, 0], velocity: [2, 0, 0]}\n"
    "- {name: weak, mass: 1, inertia: [1, 1, 1], position: [0, 9, 0], velocity: [2, 0, 0]}\n"
    "springs:\n- {bodies: [base, pulled], stiffness: 500, damping: 3, length: 0.5, implicit: true}\n"
    "bushings:\n- {bodies: [base, held], at: [0, 3, 0], stiffness: [500, 500, 500], damping: [3, 3, 3]}\n"
    "joints:\n"
    "- {name: strong, type: prismatic, parent: base, child: servo, at: [0, 6, 0], axis: [1, 0, 0],\n"
    "   motor: {servo: {target: 0, stiffness: 500, damping: 3}}}\n"
    "- {name: limited, type: prismatic, parent: base, child: weak, at: [0, 9, 0], axis: [1, 0, 0],\n"
    "   motor: {servo: {target: 0, stiffness: 500, damping: 3, max_force: 50}}}\n"
    "step: {size: 0.01}\n";

// What a base carries on springs, bushings and servos moves as it does: none of them is stretched, in any step.
static void springs_follow_their_base(void **state)
{
  (void)state;
  const char *settings[3][2] = {{"step.method=velocity", "step.coordinates=redundant"},
                                {"step.method=velocity", "step.coordinates=minimal"},
                                {"step.method=stewart-trinkle", "step.coordinates=redundant"}};
  for (int k = 0; k < 3; ++k) {
    ts_scene *scene;
    ts_sim *sim;
    ts_error error;
    if (ts_scene_parse(on_a_base, strlen(on_a_base), "bases", settings[k], 2, &scene, &error) != TS_OK)
      fail_msg("%d:%d: %s", error.line, error.column, error.text);
    assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
    for (int step = 0; step < 50; ++step) {
      assert_int_equal(ts_sim_step(sim, &error), TS_OK);
      for (int body = 1; body < 5; ++body) assert_near(ts_sim_velocity(sim, body).linear.x, 2.0, 1e-11);
    }
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_stop_rebounds_by_its_own_law),
                                     cmocka_unit_test(a_row_before_a_wall_gives_all_back),
                                     cmocka_unit_test(springs_follow_their_base)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
