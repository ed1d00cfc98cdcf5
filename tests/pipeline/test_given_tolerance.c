// A tolerance that is given alone holds in problems of more than 60 contacts, too. A polygon of 1000 sides rolls along
// the floor with some 90 contacts, as the program, a scene or an override gives the tolerance.
#include "scene_run.h"

#include "math/vec3.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 1000, STEPS = 40, TEXT = 64 * SIDES };

// The scene, with keys of `step`.
static void write_scene(char text[static TEXT], const char *keys)
{
  int n = snprintf(text, TEXT,
                   "touchstone: 1\nspace: 2d\ngravity: [0, -9.81]\ncontact: {friction: 0.4}\nbodies:\n"
                   "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 1]}}}\n"
                   "  - {name: d, mass: 1, inertia: 0.5, centre: [0, 0], position: [0, 1], velocity: [-3, 0], "
                   "angular_velocity: 3, shape: {polygon: {vertices: [");
  for (int i = 0; i < SIDES; ++i) {
    const double angle = 2.0 * TS_PI * i / SIDES;
    n += snprintf(text + n, (size_t)(TEXT - n), "%s[%.17g, %.17g]", i > 0 ? ", " : "", sin(angle), -cos(angle));
  }
  n += snprintf(text + n, (size_t)(TEXT - n), "]}}}\nstep: {size: 0.005%s}\nduration: 1\n", keys);
  assert_true(n < TEXT);
}

typedef struct outcome {
  double worst;  // residual
  double length; // largest error of a gap in steps within a length [m]
  int within;    // steps within a length
  int contacts;
} outcome;

static outcome roll(ts_sim *sim)
{
  outcome sum = {0};
  ts_error error;
  for (int step = 0; step < STEPS; ++step) {
    assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    const ts_step_report *report = ts_sim_report(sim);
    assert_true(report->certified);
    sum.worst = fmax(sum.worst, report->residual);
    sum.within += report->within_length > 0;
    if (report->within_length > 0) sum.length = fmax(sum.length, report->length_error);
    if (report->contacts > sum.contacts) sum.contacts = report->contacts;
  }
  return sum;
}

// Of a scene with keys of `step` and an override, or NULL.
static outcome roll_scene(const char *keys, const char *override)
{
  char *text = malloc(TEXT);
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  assert_non_null(text);
  write_scene(text, keys);
  assert_int_equal(ts_scene_parse(text, strlen(text), "disc.yaml", &override, override != NULL, &scene, &error), TS_OK);
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  const outcome sum = roll(sim);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  free(text);
  return sum;
}

// Of a program that writes the members.
static outcome roll_program(double tolerance, const double *accuracy)
{
  char *text = malloc(TEXT);
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  ts_step_options options = ts_step_options_default();
  assert_non_null(text);
  write_scene(text, "");
  assert_int_equal(ts_scene_parse(text, strlen(text), "disc.yaml", NULL, 0, &scene, &error), TS_OK);
  options.size = 0.005;
  options.tolerance = tolerance;
  if (accuracy) options.accuracy = *accuracy;
  assert_int_equal(ts_sim_create(ts_scene_model(scene), &options, NULL, &sim, &error), TS_OK);
  const outcome sum = roll(sim);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  free(text);
  return sum;
}

static void without_a_tolerance_a_length_counts(void **state)
{
  (void)state;
  const outcome sum = roll_scene("", NULL);
  assert_true(sum.contacts > 60);
  assert_true(sum.within > 0 && sum.worst > 1e-8);
}

static void assert_kept(outcome sum, double tolerance)
{
  assert_true(sum.contacts > 60);
  if (sum.within > 0 || sum.worst > tolerance)
    fail_msg("worst residual %g, %d steps within a length; given was %g", sum.worst, sum.within, tolerance);
}

static void a_tolerance_given_alone_holds(void **state)
{
  (void)state;
  assert_kept(roll_scene(", tolerance: 1e-10", NULL), 1e-10);
  assert_kept(roll_scene("", "step.tolerance=1e-10"), 1e-10);
  assert_kept(roll_scene(", tolerance: 1e-8", NULL), 1e-8);
  assert_kept(roll_program(1e-10, NULL), 1e-10);
  assert_kept(roll_program(1e-8, NULL), 1e-8); // the value of the default is given, too
}

static void both_hold_when_both_are_given(void **state)
{
  (void)state;
  const double automatic = -1.0;
  const outcome by_length = roll_scene(", tolerance: 1e-10, accuracy: 1e-5", NULL);
  assert_true(by_length.within > 0 && by_length.length <= 1e-5);
  const outcome by_rule = roll_program(1e-10, &automatic);
  assert_true(by_rule.within > 0 && by_rule.worst > 1e-10);
}

// Options in force make the same simulation again.
static void options_in_force_are_resolved(void **state)
{
  (void)state;
  scene_run run = scene_run_text("touchstone: 1\nbodies: [{name: a, shape: {sphere: {radius: 1}}}]\nduration: 1\n");
  assert_true(ts_scene_options(run.scene)->tolerance == 0.0 && ts_scene_options(run.scene)->accuracy == -2.0);
  assert_true(ts_sim_options(run.sim)->tolerance == 1e-8 && ts_sim_options(run.sim)->accuracy == -1.0);
  scene_run_end(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_tolerance_a_length_counts),
      cmocka_unit_test(a_tolerance_given_alone_holds),
      cmocka_unit_test(both_hold_when_both_are_given),
      cmocka_unit_test(options_in_force_are_resolved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
