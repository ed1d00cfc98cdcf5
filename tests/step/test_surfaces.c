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
      cmocka_unit_test(what_lies_on_a_shaking_plate_follows_it),
      cmocka_unit_test(polygons_turn_with_the_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
