// Sums, ramps and impulses in scene files: read as they are meant, refused with a place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "near.h"

#include "model/model.h"

#include "touchstone/scene.h"

// A scene with a body whose force along x, or whatever `key` is, is the text.
static ts_status read_scene(const char *key, const char *text, ts_scene **scene, ts_error *error)
{
  char file[8192];
  const bool moves = strcmp(key, "motion") == 0; // of the other body
  snprintf(file, sizeof file,
           "touchstone: 1\n"
           "bodies:\n"
           "  - {name: base, kind: kinematic, shape: {sphere: {radius: 0.1}}, position: [5, 0, 0]%s%s}\n"
           "  - name: ball\n"
           "    mass: 1\n"
           "    shape: {sphere: {radius: 0.1}}\n"
           "    %s: %s\n",
           moves ? ", motion: " : "", moves ? text : "", moves ? "velocity" : key, moves ? "[0, 0, 0]" : text);
  return ts_scene_parse(file, strlen(file), "scene.yaml", NULL, 0, scene, error);
}

static void forms_are_read(void **state)
{
  (void)state;
  ts_scene *scene;
  ts_error error;
  const char text[] =
      "[{sum: [1, {constant: 2}, {sum: [{ramp: {to: 4, end: 2}}, {impulse: {time: 0.5, value: -3}}]}]}, "
      "{ramp: {from: 1, to: 3, start: 1, end: 2}}, {piecewise: [{from: 0, sum: [1, 1]}, "
      "{from: 1, impulse: {time: 1.5, value: 7}}]}]";
  if (read_scene("force", text, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  const ts_signal *force = ts_scene_model(scene)->forces[0].force;
  assert_near(ts_signal_value(&force[0], 0.0, NULL), 3.0, 0.0);
  assert_near(ts_signal_value(&force[0], 1.0, NULL), 5.0, 1e-15);
  assert_near(ts_signal_value(&force[0], 9.0, NULL), 7.0, 0.0);
  assert_near(ts_signal_impulse(&force[0], 0.0, 1.0), -3.0, 0.0);
  assert_near(ts_signal_value(&force[1], 1.5, NULL), 2.0, 1e-15);
  assert_near(ts_signal_value(&force[2], 0.5, NULL), 2.0, 0.0);
  assert_near(ts_signal_impulse(&force[2], 0.0, 9.0), 7.0, 0.0);
  ts_scene_destroy(scene);
}

// Half a period up, half a period down.
static void periods_are_read(void **state)
{
  (void)state;
  ts_scene *scene;
  ts_error error;
  const char text[] = "[{periodic: {period: 2, signal: {table: {times: [0, 1, 2], values: [0, 3, 0]}}}}, 0, 0]";
  if (read_scene("force", text, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  const ts_signal *force = ts_scene_model(scene)->forces[0].force;
  assert_near(ts_signal_value(&force[0], 0.5, NULL), 1.5, 1e-15);
  assert_near(ts_signal_value(&force[0], 7.0, NULL), 3.0, 1e-15);
  assert_near(ts_signal_value(&force[0], 9.5, NULL), 1.5, 1e-15);
  ts_scene_destroy(scene);
}

enum { BASE = 3, BODY = 4, FORCE = 7 }; // lines of read_scene()

static void accept(const char *key, const char *text)
{
  ts_scene *scene;
  ts_error error;
  if (read_scene(key, text, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  ts_scene_destroy(scene);
}

static void refuse(const char *key, const char *text, int line, const char *words)
{
  ts_scene *scene;
  ts_error error;
  if (read_scene(key, text, &scene, &error) == TS_OK) fail_msg("accepted: %s", text);
  assert_null(scene);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  if (error.line != line || error.column <= 0) fail_msg("%d:%d: %s", error.line, error.column, error.text);
}

// What a motion comes back to it has to come from: places jump at the end of a period, forces may.
static void motions_do_not_jump_back(void **state)
{
  (void)state;
  const char SAW[] = "{periodic: {period: 0.1, signal: {polynomial: [0.2, 0.5]}}}";
  const char LATE[] =
      "{periodic: {period: 2, signal: {piecewise: [{from: 0, polynomial: [0, 1]}, {from: 2, constant: 0}]}}}";
  const char TURN[] = "{periodic: {period: 2, signal: {polynomial: [0, %.17g]}}}";
  char text[512], turning[128];
  snprintf(text, sizeof text, "{displacement: [0, 0, %s]}", SAW);
  refuse("motion", text, BASE, "its periodic displacement jumps by -0.05 m at the end of every period of 0.1 s");
  snprintf(text, sizeof text, "{displacement: [{sum: [1, {piecewise: [{from: 0, sum: [%s]}]}]}, 0, 0]}", SAW);
  refuse("motion", text, BASE, "jumps by -0.05 m");
  snprintf(text, sizeof text, "{displacement: [%s, 0, 0]}", LATE);
  refuse("motion", text, BASE, "jumps by -2 m");
  snprintf(turning, sizeof turning, TURN, 1.0);
  snprintf(text, sizeof text, "{rotation: [0, 0, %s]}", turning);
  refuse("motion", text, BASE, "its periodic rotation jumps by -2 rad");
  snprintf(turning, sizeof turning, TURN, 3.0 * TS_PI); // three turns
  snprintf(text, sizeof text, "{rotation: [0, 0, %s]}", turning);
  accept("motion", text);
  accept("motion", "{displacement: [{periodic: {period: 0.0303, signal: {sine: {amplitude: 2, frequency: 207.364}}}}, "
                   "{periodic: {period: 2, signal: {table: {times: [0, 1, 2], values: [0, 3, 0]}}}}, 0]}");
  snprintf(text, sizeof text, "[%s, 0, 0]", SAW);
  accept("force", text);
}

static void bad_forms_have_a_place(void **state)
{
  (void)state;
  refuse("force", "[{sum: []}, 0, 0]", FORCE, "sum");
  refuse("force", "[{sum: 3}, 0, 0]", FORCE, "'sum' must be a list of signals");
  refuse("force", "[{sum: [[1, 2, 3]]}, 0, 0]", FORCE, "sum");
  refuse("force", "[{sum: [a]}, 0, 0]", FORCE, "sum");
  refuse("force", "[{summ: [1]}, 0, 0]", FORCE, "did you mean 'sum'");
  refuse("force", "[[1, 2], 0, 0]", FORCE, "force");
  refuse("force", "[{sum: [1], constant: 1}, 0, 0]", FORCE, "sum");
  refuse("force", "[{ramp: {to: 1}}, 0, 0]", FORCE, "end");
  refuse("force", "[{ramp: {end: 1}}, 0, 0]", FORCE, "to");
  refuse("force", "[{ramp: {to: 1, end: .inf}}, 0, 0]", FORCE, "end");
  refuse("force", "[{impulse: {value: 1}}, 0, 0]", FORCE, "time");
  refuse("force", "[{impulse: {time: -1, value: 1}}, 0, 0]", FORCE, "time");
  refuse("force", "[{impulse: {time: 1e999, value: 1}}, 0, 0]", FORCE, "time");
  refuse("force", "[{impulse: 3}, 0, 0]", FORCE, "impulse");
  refuse("force", "[{ramp: {to: 1, start: 2, end: 1}}, 0, 0]", BODY, "a ramp must end after it starts");
  refuse("force", "[{ramp: {to: 1e300, end: 1e-300}}, 0, 0]", BODY, "no finite rates");
  refuse("force", "[{periodic: {period: 0, signal: 1}}, 0, 0]", FORCE, "period");
  refuse("force", "[{periodic: {period: 1}}, 0, 0]", FORCE, "signal");
  refuse("force", "[{periodic: {period: 1, signal: [1]}}, 0, 0]", FORCE, "signal");
  refuse("force", "[{periodic: {period: 1, signal: {impulse: {time: 0.5, value: 1}}}}, 0, 0]", BODY, "acts once");
  refuse("joint", "{type: revolute, motor: {servo: {target: {impulse: {time: 1, value: 1}}, stiffness: 1}}}", FORCE,
         "no force");
  refuse("joint", "{type: revolute, motor: {force: {impulse: {time: 1, value: 1}}, max_force: 2}}", FORCE, "max_force");
  refuse("motion", "{displacement: [{sum: [1, {impulse: {time: 1, value: 1}}]}, 0, 0]}", BASE, "no force");
}

// Deeper than signals may be nested, and deeper than documents may.
static void nesting_is_bounded(void **state)
{
  (void)state;
  static const int depths[] = {9, 12, 400};
  for (int k = 0; k < 3; ++k) {
    char text[4096] = "[";
    for (int i = 0; i < depths[k]; ++i) strcat(text, "{sum: [");
    strcat(text, "1");
    for (int i = 0; i < depths[k]; ++i) strcat(text, "]}");
    refuse("force", strcat(text, ", 0, 0]"), depths[k] < 20 ? 4 : 7, "deep");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_are_read),           cmocka_unit_test(periods_are_read),
      cmocka_unit_test(motions_do_not_jump_back), cmocka_unit_test(bad_forms_have_a_place),
      cmocka_unit_test(nesting_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
