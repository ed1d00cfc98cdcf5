// Surfaces that move, in closed form: what sticks to a turntable, a top on a plate that spins up, a plate that shakes
// up and down, and polygons that turn with what they are fixed to.
#include "scene_run.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static scene_run run_of(const char *format, const char *step)
{
  char text[2048];
  snprintf(text, sizeof text, format, step);
  return scene_run_text(text);
}

// ---- turntables ----------------------------------------------------------------------------------------------------

// 3 rad/s about an axis beside the origin; the coin at (0.1, 0.05) starts with the table's velocity there.
static const char TURNTABLE[] =
    "touchstone: 1\ncontact: {friction: 1}\nbodies:\n"
    "- {name: table, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}}, position: [-0.02, 0.01, 0],\n"
    "   motion: {rotation: [0, 0, {polynomial: [0, 3]}]}}\n"
    "- {name: coin, mass: 1, rotates: false, shape: {point: {}}, position: [0.1, 0.05, 0],\n"
    "   velocity: [-0.12, 0.36, 0]}\n"
    "step: {%s}\n";
static const char TURNTABLE_BELOW[] =
    "touchstone: 1\nspace: 2.5d\nbodies:\n"
    "- {name: table, kind: kinematic, position: [-0.02, 0.01], motion: {rotation: {polynomial: [0, 3]}}}\n"
    "- {name: coin, mass: 1, rotates: false, position: [0.1, 0.05], velocity: [-0.12, 0.36],\n"
    "   support: {points: [[0, 0]], friction: 1, on: table}}\n"
    "step: {%s}\n";

static const double SIZE = 1e-2, RADIUS = 0.1264911064067352; // sqrt(0.12^2 + 0.04^2)

// Its place on the table after 2 s, as distance from the axis and as angle that it lags by.
static void check_turntable(const char *scene, const char *step, double radius, double lag)
{
  scene_run run = run_of(scene, step);
  scene_run_to(&run, 2.0);
  const ts_vec3 from_axis = ts_sub(scene_run_position(&run, "coin"), (ts_vec3){-0.02, 0.01, 0.0});
  const ts_vec3 start = {0.12, 0.04, 0.0};
  const double angle = 6.0 - lag;
  const ts_vec3 turned = {cos(angle) * start.x - sin(angle) * start.y, sin(angle) * start.x + cos(angle) * start.y,
                          0.0};
  assert_vec_near(from_axis, ts_scale(radius / RADIUS, turned), 1e-7);
  scene_run_end(&run);
}

// With the velocity at the end q+ = q + h w x q: it is led outwards by sqrt(1 + h^2 w^2) a step, and turns by
// atan(h w). The way through the step keeps it where it is.
static void secants_keep_what_sticks_in_its_place(void **state)
{
  (void)state;
  const double hw = 3.0 * SIZE, steps = 2.0 / SIZE;
  const double outwards = RADIUS * pow(1.0 + hw * hw, 0.5 * steps), lag = steps * (hw - atan(hw));
  static const char *const methods[] = {"method: stewart-trinkle", "method: quasistatic"};
  for (int i = 0; i < 4; ++i) {
    char step[128];
    const char *scene = i / 2 ? TURNTABLE_BELOW : TURNTABLE;
    snprintf(step, sizeof step, "%s, size: %g", methods[i % 2], SIZE);
    check_turntable(scene, step, outwards, lag);
    snprintf(step, sizeof step, "%s, size: %g, surfaces: secant", methods[i % 2], SIZE);
    check_turntable(scene, step, RADIUS, 0.0);
  }
}

// A top that torsional friction holds to a plate of angle t + 5 t^2 spins as that does at the end of the step, or as
// it has done in the mean.
static void secants_are_of_spins_too(void **state)
{
  (void)state;
  static const char TOP[] =
      "touchstone: 1\ncontact: {friction: 1, ellipsoid: [1, 1, 1]}\nbodies:\n"
      "- {name: plate, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}},\n"
      "   motion: {rotation: [0, 0, {polynomial: [0, 1, 5]}]}}\n"
      "- {name: top, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1], angular_velocity: [0, 0, 1]}\n"
      "step: {size: 0.01, %s}\n";
  for (int k = 0; k < 2; ++k) {
    scene_run run = run_of(TOP, k ? "surfaces: secant" : "surfaces: end");
    scene_run_to(&run, 0.01);
    assert_near(ts_sim_velocity(run.sim, 1).angular.z, k ? 1.05 : 1.1, 1e-8);
    scene_run_end(&run);
  }
}

// ---- bodies with several contacts ----------------------------------------------------------------------------------

// On tables that turn with 5 rad/s. The force, which turns with the body, is 30 % of what friction holds at most.
static const char BOX[] =
    "touchstone: 1\ngravity: [0, 0, -10]\ncontact: {friction: 1}\nbodies:\n"
    "- {name: table, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}},\n"
    "   motion: {rotation: [0, 0, {polynomial: [0, 5]}]}}\n"
    "- {name: body, mass: 1, shape: {box: {size: [0.4, 0.4, 0.1]}}, position: [%g, 0, 0.05], velocity: [0, %g, 0],\n"
    "   angular_velocity: [0, 0, 5]}\n"
    "forces: [{body: body, force: [%g, 0, 0], follows: true}]\n"
    "step: {size: 0.01, surfaces: secant, method: %s}\n";
static const char TRIPOD[] =
    "touchstone: 1\nspace: 2.5d\ngravity: [0, 0, -10]\nbodies:\n"
    "- {name: table, kind: kinematic, motion: {rotation: {polynomial: [0, 5]}}}\n"
    "- {name: body, mass: 1, shape: {disc: {radius: 0.4}}, position: [%g, 0], velocity: [0, %g], angular_velocity: 5,\n"
    "   support: {on: table, points: [[0.2, 0], [-0.1, 0.17], [-0.1, -0.17]], friction: 1}}\n"
    "forces: [{body: body, force: [%g, 0], follows: true}]\n"
    "step: {size: 0.01, surfaces: secant, method: %s}\n";

// Work of contacts until t, of all steps.
static double contact_work_until(scene_run *run, double t)
{
  double work = 0.0;
  for (int k = 1; k <= (int)lround(t / 0.01); ++k) {
    scene_run_to(run, 0.01 * k);
    work += ts_sim_report(run->sim)->contact_work;
  }
  return work;
}

// Where a body is that has turned with what it lies on by the angle 5 t.
static void check_carried(const scene_run *run, const char *body, double t, ts_vec3 start)
{
  const double c = cos(5.0 * t), s = sin(5.0 * t);
  const ts_vec3 turned = {c * start.x - s * start.y, s * start.x + c * start.y, start.z};
  assert_vec_near(scene_run_position(run, body), turned, 1e-7);
}

// At the axis no contact does any work; beside it bodies stay in their place, at centrifugal forces of 2.5 N and
// another 3 N.
static void bodies_stick_to_what_turns_at_all_their_contacts(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "quasistatic"};
  for (int i = 0; i < 4; ++i) {
    const bool flat = i / 2;
    const double height = flat ? 0.0 : 0.05;
    char text[2048];
    snprintf(text, sizeof text, flat ? TRIPOD : BOX, 0.0, 0.0, 0.0, methods[i % 2]);
    scene_run run = scene_run_text(text);
    assert_near(contact_work_until(&run, 1.0), 0.0, 1e-9);
    check_carried(&run, "body", 1.0, (ts_vec3){0.0, 0.0, height});
    scene_run_end(&run);
    snprintf(text, sizeof text, flat ? TRIPOD : BOX, 0.1, 0.5, 3.0, methods[i % 2]);
    run = scene_run_text(text);
    scene_run_to(&run, 2.0);
    check_carried(&run, "body", 2.0, (ts_vec3){0.1, 0.0, height});
    scene_run_end(&run);
  }
}

// Two halves of a table that turn about one axis, each with its origin elsewhere: the box lies on both.
static void tables_that_turn_as_one_carry_as_one(void **state)
{
  (void)state;
  static const char HALVES[] =
      "touchstone: 1\ngravity: [0, 0, -10]\ncontact: {friction: 1}\nbodies:\n"
      "- {name: left, kind: kinematic, shape: {box: {size: [1, 2, 0.1]}}, position: [0, 0, -0.05],\n"
      "   motion: {displacement: [{sine: {amplitude: -0.5, frequency: 5, phase: 1.5707963267948966}},\n"
      "            {sine: {amplitude: -0.5, frequency: 5}}, 0], rotation: [0, 0, {polynomial: [0, 5]}]}}\n"
      "- {name: right, kind: kinematic, shape: {box: {size: [1, 2, 0.1]}}, position: [0, 0, -0.05],\n"
      "   motion: {displacement: [{sine: {amplitude: 0.5, frequency: 5, phase: 1.5707963267948966}},\n"
      "            {sine: {amplitude: 0.5, frequency: 5}}, 0], rotation: [0, 0, {polynomial: [0, 5]}]}}\n"
      "- {name: body, mass: 1, shape: {box: {size: [0.4, 0.4, 0.1]}}, position: [0.1, 0, 0.05], velocity: [0, 0.5, "
      "0],\n"
      "   angular_velocity: [0, 0, 5]}\n"
      "forces: [{body: body, force: [3, 0, 0], follows: true}]\n"
      "step: {size: 0.01%s}\n";
  scene_run run = run_of(HALVES, ", surfaces: secant");
  scene_run_to(&run, 1.0);
  check_carried(&run, "body", 1.0, (ts_vec3){0.1, 0.0, 0.05});
  scene_run_end(&run);
}

// Two boxes in one piece: in coordinates of joints the second follows the first, and both stay in their places. In
// coordinates of bodies the joint opens by h^2 w^2/2 of their distance in the first step, 2.5e-4 m here, and no more.
static void jointed_bodies_stick_together(void **state)
{
  (void)state;
  static const char PAIR[] =
      "touchstone: 1\ngravity: [0, 0, -10]\ncontact: {friction: 1}\nbodies:\n"
      "- {name: table, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}},\n"
      "   motion: {rotation: [0, 0, {polynomial: [0, 5]}]}}\n"
      "- {name: first, mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.05, 0, 0.05],\n"
      "   velocity: [0, 0.25, 0], angular_velocity: [0, 0, 5]}\n"
      "- {name: second, mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [-0.15, 0, 0.05],\n"
      "   velocity: [0, -0.75, 0], angular_velocity: [0, 0, 5]}\n"
      "joints: [{name: rod, type: fixed, parent: first, child: second, at: [-0.05, 0, 0.05]}]\n"
      "forces: [{body: first, force: [3, 0, 0], follows: true}]\n"
      "step: {size: 0.01, surfaces: secant, coordinates: %s}\n";
  scene_run run = run_of(PAIR, "minimal");
  scene_run_to(&run, 1.0);
  check_carried(&run, "first", 1.0, (ts_vec3){0.05, 0.0, 0.05});
  check_carried(&run, "second", 1.0, (ts_vec3){-0.15, 0.0, 0.05});
  scene_run_end(&run);
  run = run_of(PAIR, "redundant");
  scene_run_to(&run, 1.0);
  const ts_vec3 first = scene_run_position(&run, "first"), second = scene_run_position(&run, "second");
  assert_near(ts_length(first), hypot(0.05, 0.05), 3e-4);
  assert_near(ts_length(second), hypot(0.15, 0.05), 3e-4);
  assert_near(ts_distance_of(first, second), 0.20025, 1e-5);
  scene_run_end(&run);
}

// ---- plates that shake ---------------------------------------------------------------------------------------------

// 8 m/s^2 up and down: weight keeps the particle on the plate, and where the plate goes in a step it goes. Its speed
// at the end of the step is another, by up to 4 mm/s, and that is no overlap.
static void what_lies_on_a_shaking_plate_follows_it(void **state)
{
  (void)state;
  static const char SHAKER[] =
      "touchstone: 1\ncontact: {friction: 0.3}\nbodies:\n"
      "- {name: plate, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}},\n"
      "   motion: {acceleration: {amplitude: [0, 0, 8, 0, 0, 0], phase: [0, 0, 4.71238898038469, 0, 0, 0],\n"
      "            frequency: 200}}}\n"
      "- {name: particle, mass: 1, rotates: false, shape: {point: {}}, position: [0, 0, 2e-4]}\n"
      "step: {size: 1e-3%s}\n";
  scene_run run = run_of(SHAKER, "");
  for (int k = 1; k <= 200; ++k) {
    scene_run_to(&run, 1e-3 * k);
    const double now = 2e-4 * cos(0.2 * k), before = 2e-4 * cos(0.2 * (k - 1));
    assert_near(scene_run_position(&run, "particle").z, now, 1e-15);
    assert_near(ts_sim_velocity(run.sim, 1).linear.z, (now - before) / 1e-3, 1e-11);
  }
  scene_run_end(&run);
}

// ---- directions ----------------------------------------------------------------------------------------------------

// Four directions on a plate that is turned by an angle: something slides down its axes without being led aside, the
// first of them wherever `angle` turns it.
static void check_direction(const char *normal, double turned, double angle, double heading)
{
  static const char SLIDE[] = "touchstone: 1\ncontact: {friction: 0.2}\ngravity: %s\nbodies:\n"
                              "- {name: plate, kind: kinematic, shape: {plane: {normal: %s}}, motion: {rotation: %s}}\n"
                              "- {name: particle, mass: 1, rotates: false, shape: {point: {}}, velocity: %s}\n"
                              "step: {size: 1e-3, cone: {polyhedral: {directions: 4, align: body, angle: %.17g}}}\n";
  char text[1024], rotation[64], velocity[128];
  const bool along_x = strcmp(normal, "[1, 0, 0]") == 0;
  const double c = cos(heading), s = sin(heading);
  if (along_x) { // in the plane of y and z
    snprintf(rotation, sizeof rotation, "[%.17g, 0, 0]", turned);
    snprintf(velocity, sizeof velocity, "[0, %.17g, %.17g]", c, s);
  } else {
    snprintf(rotation, sizeof rotation, "[0, 0, %.17g]", turned);
    snprintf(velocity, sizeof velocity, "[%.17g, %.17g, 0]", c, s);
  }
  snprintf(text, sizeof text, SLIDE, along_x ? "[-9.81, 0, 0]" : "[0, 0, -9.81]", normal, rotation, velocity, angle);
  scene_run run = scene_run_text(text);
  scene_run_to(&run, 0.1);
  const ts_vec3 v = ts_sim_velocity(run.sim, 1).linear;
  const double speed = 1.0 - 0.2 * 9.81 * 0.1;
  assert_vec_near(v, along_x ? (ts_vec3){0.0, speed * c, speed * s} : (ts_vec3){speed * c, speed * s, 0.0}, 1e-8);
  scene_run_end(&run);
}

static void polygons_turn_with_the_body(void **state)
{
  (void)state;
  check_direction("[0, 0, 1]", 0.4, 0.0, 0.4);
  check_direction("[0, 0, 1]", 0.4, 0.3, 0.7);
  check_direction("[0, 0, 1]", -1.1, 0.2, -0.9 + TS_PI);
  check_direction("[1, 0, 0]", 0.5, 0.0, 0.5); // its x axis is the normal: y takes its place
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(secants_keep_what_sticks_in_its_place),
      cmocka_unit_test(secants_are_of_spins_too),
      cmocka_unit_test(bodies_stick_to_what_turns_at_all_their_contacts),
      cmocka_unit_test(tables_that_turn_as_one_carry_as_one),
      cmocka_unit_test(jointed_bodies_stick_together),
      cmocka_unit_test(what_lies_on_a_shaking_plate_follows_it),
      cmocka_unit_test(polygons_turn_with_the_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
