// Quasi-static steps where motion is not unique, where there is none, and where springs and drives move bodies; loads
// of supports that follow statics.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "near.h"
#include "scene_run.h"

#define G 9.81

static const ts_step_report *step_once(scene_run *r)
{
  ts_error error;
  if (ts_sim_step(r->sim, &error) != TS_OK) fail_msg("%s", error.text);
  return ts_sim_report(r->sim);
}

// A disc of 1 kg on one point, friction 0.3, that a force pulls along x.
static scene_run pulled(double force)
{
  char text[600];
  snprintf(text, sizeof text,
           "{touchstone: 1, space: 2.5d, bodies: [{name: part, mass: 1, shape: {disc: {radius: 0.1}},"
           " force: [%.17g, 0], support: {friction: 0.3, ellipsoid: [1, 1, 0.05]}}],"
           " step: {method: quasistatic, size: 0.01}}",
           force);
  return scene_run_text(text);
}

// Less than friction holds it, and there is one motion: none.
static void force_below_friction_moves_nothing(void **state)
{
  (void)state;
  scene_run r = pulled(0.9 * 0.3 * G);
  const ts_step_report *report = step_once(&r);
  assert_true(report->certified && report->unique && !report->no_equilibrium);
  assert_near(scene_run_position(&r, "part").x, 0.0, 1e-12);
  scene_run_end(&r);
}

// With exactly mu m g it may slide at any speed (corrections.md 17). The least is taken.
static void force_of_exactly_friction_is_not_unique(void **state)
{
  (void)state;
  scene_run r = pulled(0.3 * G);
  const ts_step_report *report = step_once(&r);
  assert_true(report->certified);
  assert_false(report->unique);
  assert_near(scene_run_position(&r, "part").x, 0.0, 1e-9);
  scene_run_end(&r);
}

static void force_above_friction_has_no_equilibrium(void **state)
{
  (void)state;
  scene_run r = pulled(1.01 * 0.3 * G);
  const ts_step_report *report = step_once(&r);
  assert_true(report->no_equilibrium);
  assert_false(report->certified);
  assert_false(report->jammed);
  assert_int_equal(report->unheld_body, scene_run_body(&r, "part"));
  assert_near(scene_run_position(&r, "part").x, 0.0, 0.0); // it stays
  assert_true(report->problems <= 20);                     // that nothing gets better is soon seen
  scene_run_end(&r);
}

// A pusher closes in on a part that a wall holds: no motion obeys both.
static void part_between_pusher_and_wall_jams(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "{touchstone: 1, space: 2.5d, bodies: ["
      "{name: part, mass: 1, shape: {box: {size: [0.1, 0.1]}}},"
      "{name: wall, kind: fixed, shape: {plane: {normal: [-1, 0], offset: -0.05}}},"
      "{name: pusher, kind: kinematic, shape: {box: {size: [0.1, 0.2]}}, position: [-0.1, 0],"
      " motion: {displacement: [{polynomial: [0, 0.1]}, 0]}}], step: {method: quasistatic, size: 0.01}}");
  const ts_step_report *report = step_once(&r);
  assert_true(report->jammed);
  assert_false(report->certified);
  assert_false(report->no_equilibrium);
  scene_run_end(&r);
}

// Steps that have no solution, of many bodies with joints and superellipsoids: none that forces move is moved.
static void bodies_stay_where_steps_have_no_solution(void **state)
{
  (void)state;
  scene_run r = scene_run_start(TEST_DATA "/scenes/jammed_quasistatic.yaml", NULL, 0);
  const ts_model *model = ts_sim_model(r.sim);
  ts_pose before[16];
  const int bodies = ts_model_body_count(model);
  assert_true(bodies <= 16);
  for (int k = 0; k < 8; ++k) {
    if (k > 0) // the first step takes out overlap of the start
      for (int b = 0; b < bodies; ++b) before[b] = ts_sim_pose(r.sim, b);
    const ts_step_report *report = step_once(&r);
    assert_true(report->stayed && !report->certified && (report->jammed || report->no_equilibrium));
    int count;
    const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
    for (int i = 0; i < count; ++i) assert_true(contacts[i].impulse[0] == 0.0);
    for (int b = 0; k > 0 && b < bodies; ++b) {
      if (ts_model_body_kind(model, b) != TS_DYNAMIC) continue;
      const ts_pose now = ts_sim_pose(r.sim, b);
      assert_memory_equal(&now.position, &before[b].position, sizeof now.position);
      assert_memory_equal(&now.orientation, &before[b].orientation, sizeof now.orientation);
    }
  }
  scene_run_end(&r);
}

// A step that is balanced is none that stays.
static void bodies_move_where_forces_balance(void **state)
{
  (void)state;
  scene_run r = pulled(0.9 * 0.3 * G);
  assert_false(step_once(&r)->stayed);
  scene_run_end(&r);
  r = pulled(1.1 * 0.3 * G);
  assert_true(step_once(&r)->stayed);
  scene_run_end(&r);
}

static void pull_by_spring(double size)
{
  char text[600];
  snprintf(text, sizeof text,
           "{touchstone: 1, space: 2.5d, bodies: ["
           "{name: block, mass: 2, shape: {box: {size: [0.1, 0.1]}}, support: {friction: 0.25}},"
           "{name: hand, kind: kinematic, motion: {displacement: [{polynomial: [0, 0.1]}, 0]}}],"
           "springs: [{bodies: [block, hand], stiffness: 200, length: 0}],"
           "step: {method: quasistatic, size: %g}}",
           size);
  scene_run r = scene_run_text(text);
  const double lag = 0.25 * 2 * G / 200;
  const int steps = (int)(0.5 / size + 0.5);
  for (int k = 1; k <= steps; ++k) {
    const ts_step_report *report = step_once(&r);
    assert_true(report->certified);
    if (k > 1) assert_near(scene_run_position(&r, "block").x, fmax(0.0, 0.1 * size * k - lag), 1e-8);
  }
  scene_run_end(&r);
}

// A hand pulls a block by a spring: it slips once K d reaches mu m g, and lags by mu m g / K from then
// on.
// In short steps the spring yields by next to nothing.
static void spring_pulls_block_with_its_lag(void **state)
{
  (void)state;
  static const double sizes[] = {0.01, 1e-3, 2e-4};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) pull_by_spring(sizes[i]);
}

// The table carries a part along, and turns it with itself.
static void moving_plane_carries_part(void **state)
{
  (void)state;
  static const char *const methods[] = {"quasistatic", "stewart-trinkle", "velocity", "implicit"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    char text[600];
    snprintf(text, sizeof text,
             "{touchstone: 1, space: 2.5d, bodies: ["
             "{name: part, mass: 1, shape: {box: {size: [0.1, 0.2]}}, position: [0.3, 0],"
             " velocity: [0.1, 0.15], angular_velocity: 0.5, support: {on: table}},"
             "{name: table, kind: kinematic, motion: {displacement: [{polynomial: [0, 0.1]}, 0],"
             " rotation: {polynomial: [0, 0.5]}}}], step: {method: %s, size: 1e-3}}",
             methods[k]);
    scene_run r = scene_run_text(text);
    for (int i = 0; i < 1000; ++i) assert_true(step_once(&r)->certified);
    const ts_vec3 at = scene_run_position(&r, "part");
    assert_near(at.x, 0.1 + 0.3 * cos(0.5), 2e-4);
    assert_near(at.y, 0.3 * sin(0.5), 2e-4);
    assert_near(ts_sim_angle(r.sim, scene_run_body(&r, "part")), 0.5, 1e-6);
    scene_run_end(&r);
  }
}

// ---- loads by statics ----

// Pushed along x at the height z a tripod (2, 0), (-1, +-1) of radius a presses in front: with the push F = mu m g,
// sum of N x = z F, so that N_1 = (m g + z F / a) / 3, the others half of what is left.
static double front_load(const scene_run *r)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  double load = -1.0;
  for (int i = 0; i < count; ++i)
    if (contacts[i].support && contacts[i].arm_1.x > 0.05) load = contacts[i].impulse[0] / 0.01;
  return load;
}

static scene_run pushed_at_height(double height)
{
  char text[900];
  snprintf(text, sizeof text,
           "{touchstone: 1, space: 2.5d, contact: {friction: 0}, bodies: ["
           "{name: part, mass: 1, shape: {box: {size: [0.4, 0.4]}}, support: {friction: 0.4, update: statics,"
           " height: %.17g, points: [[0.2, 0], [-0.1, 0.1], [-0.1, -0.1]]}},"
           "{name: pusher, kind: kinematic, shape: {box: {size: [0.1, 0.1]}}, position: [-0.25, 0],"
           " motion: {displacement: [{polynomial: [0, 0.05]}, 0]}}], step: {method: quasistatic, size: 0.01}}",
           height);
  return scene_run_text(text);
}

static void loads_follow_push(void **state)
{
  (void)state;
  scene_run r = pushed_at_height(0.05);
  for (int k = 0; k < 20; ++k) assert_true(step_once(&r)->certified);
  assert_near(front_load(&r), (G + 0.05 * 0.4 * G / 0.1) / 3.0, 1e-8);
  scene_run_end(&r);
}

// The rear lifts where z mu > 0.2: the front then carries all.
static void part_tips_where_rear_would_pull(void **state)
{
  (void)state;
  scene_run r = pushed_at_height(0.6);
  const ts_step_report *report = step_once(&r);
  assert_true(report->tipping);
  assert_false(report->certified);
  assert_int_equal(report->tipping_body, scene_run_body(&r, "part"));
  scene_run_end(&r);
}

// Loads are part of the state: a run that is taken up again goes on to the bit.
static void loads_are_saved(void **state)
{
  (void)state;
  scene_run r = pushed_at_height(0.05), again = pushed_at_height(0.05);
  ts_error error;
  for (int k = 0; k < 7; ++k) step_once(&r);
  double *saved;
  size_t size;
  assert_int_equal(ts_sim_snapshot(r.sim, &saved, &size, &error), TS_OK);
  assert_int_equal(ts_sim_load(again.sim, saved, size, &error), TS_OK);
  free(saved);
  for (int k = 0; k < 5; ++k) {
    step_once(&r);
    step_once(&again);
  }
  const ts_vec3 a = scene_run_position(&r, "part"), b = scene_run_position(&again, "part");
  assert_memory_equal(&a, &b, sizeof a);
  const double one = front_load(&r), other = front_load(&again);
  assert_memory_equal(&one, &other, sizeof one);
  scene_run_end(&r);
  scene_run_end(&again);
}

// Held by friction against 1 N, every foot of a tripod takes its share of the load, with any stepper.
static void friction_of_what_sticks_is_shared_by_loads(void **state)
{
  (void)state;
  static const char *const methods[] = {"quasistatic", "stewart-trinkle", "velocity"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    char text[500];
    snprintf(text, sizeof text,
             "{touchstone: 1, space: 2.5d, bodies: [{name: part, mass: 1, shape: {box: {size: [0.4, 0.4]}},"
             " force: [1, 0], support: {friction: 0.5, points: [[0.2, 0], [-0.1, 0.1], [-0.1, -0.1]]}}],"
             " step: {method: %s, size: 0.01}}",
             methods[k]);
    scene_run r = scene_run_text(text);
    assert_false(step_once(&r)->impulses_unique);
    int count;
    const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
    assert_int_equal(count, 3);
    for (int i = 0; i < count; ++i) {
      assert_near(contacts[i].impulse[1], -0.01 * contacts[i].impulse[0] / (G * 0.01), 1e-12);
      assert_near(contacts[i].impulse[2], 0.0, 1e-12);
    }
    scene_run_end(&r);
  }
}

// ---- surfaces that are nearly flat ----

// A rounded square is pushed against a wall and turns until its side lies there. Its nearest point runs along the side:
// points of the start alone let the other end sink in by 2.9 mm in a step.
static void side_that_turns_onto_wall_does_not_sink_in(void **state)
{
  (void)state;
  scene_run r = scene_run_text("{touchstone: 1, space: 2.5d, contact: {friction: 0}, bodies: ["
                               "{name: wall, kind: fixed, position: [0.5, 0], shape: {box: {size: [0.2, 2]}}},"
                               "{name: part, mass: 1, position: [0.28, 0], angle: 0.2,"
                               " shape: {superellipse: {semi_axes: [0.1, 0.1], exponents: [60, 60]}},"
                               " support: {friction: 0.3, ellipsoid: [1, 1, 0.05]}},"
                               "{name: pusher, kind: kinematic, position: [0.1, -0.05], shape: {disc: {radius: 0.02}},"
                               " motion: {displacement: [{polynomial: [0, 0.5]}, 0]}}],"
                               " step: {method: quasistatic, size: 0.02}}");
  for (int k = 0; k < 14; ++k) {
    const ts_step_report *report = step_once(&r);
    assert_true(report->certified);
    assert_true(report->penetration < 1e-4);
  }
  scene_run_end(&r);
}

// ---- energy ----

// What the pusher puts in, friction takes: there is nothing else.
static void work_of_pusher_is_friction(void **state)
{
  (void)state;
  scene_run r = pushed_at_height(0.0);
  for (int k = 0; k < 20; ++k) {
    const ts_step_report *report = step_once(&r);
    assert_near(report->kinetic_energy, 0.0, 0.0);
    assert_near(report->drive_work, 0.4 * G * 0.05 * 0.01, 1e-12);
    assert_near(report->contact_work + report->drive_work + report->stabilization_work, 0.0, 1e-12);
  }
  scene_run_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_below_friction_moves_nothing),
      cmocka_unit_test(force_of_exactly_friction_is_not_unique),
      cmocka_unit_test(force_above_friction_has_no_equilibrium),
      cmocka_unit_test(part_between_pusher_and_wall_jams),
      cmocka_unit_test(bodies_stay_where_steps_have_no_solution),
      cmocka_unit_test(bodies_move_where_forces_balance),
      cmocka_unit_test(spring_pulls_block_with_its_lag),
      cmocka_unit_test(moving_plane_carries_part),
      cmocka_unit_test(loads_follow_push),
      cmocka_unit_test(part_tips_where_rear_would_pull),
      cmocka_unit_test(loads_are_saved),
      cmocka_unit_test(friction_of_what_sticks_is_shared_by_loads),
      cmocka_unit_test(side_that_turns_onto_wall_does_not_sink_in),
      cmocka_unit_test(work_of_pusher_is_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
