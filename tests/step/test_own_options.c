// A stepper from outside with an option of its own: a file with its table and rows, and a list of steppers that has it.
// Scene files, overrides, checks, lists and the simulation know the option without a line anywhere else.
// Linked by itself: its list of steppers replaces that of the library.
#include "touchstone/scene.h"

#include "step/options.h"
#include "step/sim.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

// ---- the stepper ---------------------------------------------------------------------------------------------------

// Free motion in a fluid: all velocities decay as exp(-drag t).
typedef struct fluid_options {
  double drag;
  int layers;
  bool still;
} fluid_options;

static const ts_key rows[] = {
    {"drag", TS_VALUE_NUMBER, "1/s", TS_OWN_MEMBER(fluid_options, drag), .range = TS_RANGE_NOT_NEGATIVE,
     .fallback = "0.25", .help = "rate at which velocities decay"},
    {"layers", TS_VALUE_INTEGER, TS_OWN_MEMBER(fluid_options, layers), .range = TS_RANGE_POSITIVE, .fallback = "2",
     .help = "of the fluid"},
    {"still", TS_VALUE_BOOLEAN, TS_OWN_MEMBER(fluid_options, still), .fallback = "true", .help = "it does not flow"},
};
static const ts_section own_options = {"the step", TS_KEYS(rows)};

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  fluid_options own;
  ts_step_options_own(&sim->options, &own, sizeof own);
  for (int b = 0; b < sim->model->body_count; ++b)
    sim->state.velocity[b].linear = ts_scale(exp(-own.drag * h), sim->state.velocity[b].linear);
  return ts_stepper_velocity.step(sim, h, arena);
}

static ts_status check(const ts_step_options *options, ts_error *error)
{
  (void)options, (void)error;
  return TS_OK;
}

static const ts_stepper fluid = {
    .name = "fluid",
    .summary = "bodies in a fluid at rest",
    .stabilization = TS_STABILIZATION_NONE,
    .rebounds = TS_IMPACT_NEWTON,
    .options = &own_options,
    .check = check,
    .step = take_step,
};

// In the place of the library's list.
const ts_stepper *const ts_steppers[] = {&ts_stepper_stewart_trinkle, &ts_stepper_velocity, &fluid, NULL};

// ---- helpers -------------------------------------------------------------------------------------------------------

#define HEAD                                                                                                           \
  "touchstone: 1\ngravity: [0, 0, 0]\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1], velocity: [3, 0, 0]}]\n"

static ts_status parse(const char *text, const char *override, ts_scene **scene, ts_error *error)
{
  return ts_scene_parse(text, strlen(text), "fluid.yaml", &override, override ? 1 : 0, scene, error);
}

static ts_scene *read_scene(const char *text, const char *override)
{
  ts_scene *scene;
  ts_error error;
  if (parse(text, override, &scene, &error) != TS_OK) fail_msg("%d:%d: %s", error.line, error.column, error.text);
  return scene;
}

static fluid_options own_of(const ts_scene *scene)
{
  fluid_options own;
  ts_step_options_own(ts_scene_options(scene), &own, sizeof own);
  return own;
}

static void refused(const char *text, const char *override, int line, const char *words)
{
  ts_scene *scene;
  ts_error error = {0};
  assert_int_equal(parse(text, override, &scene, &error), TS_INVALID);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  assert_int_equal(error.line, line);
}

// ---- tests ---------------------------------------------------------------------------------------------------------

static void a_scene_reads_it(void **state)
{
  (void)state;
  ts_scene *scene = read_scene(HEAD "step: {layers: 7, method: fluid}\n", NULL);
  fluid_options own = own_of(scene);
  assert_true(own.drag == 0.25 && own.layers == 7 && own.still);
  ts_scene_destroy(scene);
  scene = read_scene(HEAD "step: {method: fluid, still: false}\n", "step.drag=1.5");
  own = own_of(scene);
  assert_true(own.drag == 1.5 && own.layers == 2 && !own.still);
  ts_scene *again = read_scene(ts_scene_text(scene), NULL); // what records and checkpoints keep
  assert_true(own_of(again).drag == 1.5 && !own_of(again).still);
  ts_scene_destroy(again);
  ts_scene_destroy(scene);
}

static void bad_values_are_refused_with_their_place(void **state)
{
  (void)state;
  refused(HEAD "step:\n  method: fluid\n  drag: -1\n", NULL, 6, "'drag' must be >= 0 1/s, not -1");
  refused(HEAD "step:\n  method: fluid\n  layers: 1.5\n", NULL, 6, "'layers' must be a whole number, not '1.5'");
  refused(HEAD "step:\n  method: fluid\n  drga: 1\n", NULL, 6, "did you mean 'drag'?");
  refused(HEAD "step: {method: fluid}\n", "step.still=maybe", 0, "'still' must be true or false, not 'maybe'");
  refused(HEAD "step:\n  drag: 1\n", NULL, 5, "'drag' goes with method: fluid");
}

static void lists_have_it(void **state)
{
  (void)state;
  int found = 0;
  for (int i = 0; i < ts_step_option_count(); ++i) {
    const ts_step_option option = ts_step_option_at(i);
    if (option.stepper != &fluid) continue;
    ++found;
    if (strcmp(option.name, "drag") != 0) continue;
    assert_string_equal(option.type, "number");
    assert_string_equal(option.unit, "1/s");
    assert_string_equal(option.range, ">= 0");
    assert_string_equal(option.fallback, "0.25");
  }
  assert_int_equal(found, 3);
  found = 0;
  for (int i = 0; i < ts_scene_key_count(); ++i) found += strcmp(ts_scene_key_at(i).path, "step.drag") == 0;
  assert_int_equal(found, 1);
}

static void programs_set_it_by_name(void **state)
{
  (void)state;
  ts_step_options options = ts_step_options_default();
  ts_error error;
  char text[32];
  assert_int_equal(ts_step_options_set(&options, "drag", "1", &error), TS_INVALID);
  assert_int_equal(ts_step_options_get(&options, "drag", text, sizeof text, &error), TS_INVALID);
  options.method = &fluid; // but not by name: there are no values yet
  assert_int_equal(ts_step_options_check(&options, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "fluid has options of its own"));
  assert_int_equal(ts_step_options_set(&options, "method", "fluid", &error), TS_OK);
  assert_int_equal(ts_step_options_check(&options, &error), TS_OK);
  assert_int_equal(ts_step_options_set(&options, "drag", "0.125", &error), TS_OK);
  assert_int_equal(ts_step_options_get(&options, "drag", text, sizeof text, &error), TS_OK);
  assert_string_equal(text, "0.125");
  options.own[0] = NAN; // drag
  assert_int_equal(ts_step_options_check(&options, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "'drag' must be finite"));
}

// A program with a decimal comma has the same defaults, and says values with a point.
static void the_locale_does_not_matter(void **state)
{
  (void)state;
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) {
    print_message("there is no locale with a decimal comma here\n");
    skip();
  }
  ts_step_options options = ts_step_options_default();
  char text[32];
  assert_int_equal(ts_step_options_set(&options, "method", "fluid", NULL), TS_OK);
  assert_int_equal(ts_step_options_get(&options, "drag", text, sizeof text, NULL), TS_OK);
  assert_string_equal(text, "0.25");
  assert_int_equal(ts_step_options_set(&options, "drag", "0,5", NULL), TS_INVALID);
  assert_true(options.recovery_speed == 1.0 && options.size == 1e-3);
  setlocale(LC_ALL, "C");
}

static void a_simulation_goes_by_it(void **state)
{
  (void)state;
  ts_scene *scene = read_scene(HEAD "step: {method: fluid, size: 0.01, drag: 2}\n", NULL);
  ts_sim *sim;
  ts_error error;
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  for (int k = 0; k < 50; ++k) assert_int_equal(ts_sim_step(sim, &error), TS_OK);
  assert_true(fabs(ts_sim_velocity(sim, 0).linear.x - 3.0 * exp(-1.0)) < 1e-13);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scene_reads_it),
      cmocka_unit_test(bad_values_are_refused_with_their_place),
      cmocka_unit_test(lists_have_it),
      cmocka_unit_test(programs_set_it_by_name),
      cmocka_unit_test(the_locale_does_not_matter),
      cmocka_unit_test(a_simulation_goes_by_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
