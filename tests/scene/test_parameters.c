// Parameters of scenes, and numbers that are expressions of them.
#include "scene_try.h"
#include "scratch_folder.h"

#include "touchstone/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

// ---- values --------------------------------------------------------------------------------------------------------

static double parameter(const ts_scene *scene, const char *name)
{
  for (int i = 0; i < ts_scene_parameter_count(scene); ++i)
    if (strcmp(ts_scene_parameter_at(scene, i).name, name) == 0) return ts_scene_parameter_at(scene, i).value;
  fail_msg("there is no parameter '%s'", name);
  return NAN;
}

static void parameters_say_what_they_are(void **state)
{
  (void)state;
  ts_scene *scene = scene_of(ball_scene("parameters:\n"
                                        "  mu: 0.5\n"
                                        "  r: {value: 2e-2, range: [0, 1], unit: m, help: radius of the hole}\n"
                                        "  d: =2*r\n"
                                        "  e: {value: =d^2 + mu, unit: m^2, range: [-1, 1e9]}\n"
                                        "contact: {friction: =mu}\n"),
                             NULL);
  assert_int_equal(ts_scene_parameter_count(scene), 4);
  const ts_scene_parameter r = ts_scene_parameter_at(scene, 1), d = ts_scene_parameter_at(scene, 2);
  assert_string_equal(r.name, "r");
  assert_string_equal(r.unit, "m");
  assert_string_equal(r.help, "radius of the hole");
  assert_true(r.value == 0.02 && r.least == 0.0 && r.most == 1.0 && !r.derived);
  assert_string_equal(d.unit, "");
  assert_true(d.value == 0.04 && d.least == -INFINITY && d.most == INFINITY && d.derived);
  assert_true(parameter(scene, "e") == 0.04 * 0.04 + 0.5);
  ts_scene_destroy(scene);
}

static void a_scene_without_parameters_has_none(void **state)
{
  (void)state;
  ts_scene *scene = scene_of(ball_scene(""), NULL);
  assert_int_equal(ts_scene_parameter_count(scene), 0);
  assert_int_equal(ts_scene_set_parameters(scene, NULL, NULL), TS_OK);
  ts_scene_destroy(scene);
  scene = scene_of(ball_scene("parameters: {}\n"), NULL);
  assert_int_equal(ts_scene_parameter_count(scene), 0);
  ts_scene_destroy(scene);
}

static void order_does_not_matter(void **state)
{
  (void)state;
  ts_scene *scene = scene_of(ball_scene("parameters: {a: =b + c, b: =2*c, c: 3}\n"), NULL);
  assert_true(parameter(scene, "a") == 9.0);
  ts_scene_destroy(scene);
}

// ---- where expressions may stand -----------------------------------------------------------------------------------

// Numbers, whole numbers, vectors, lists, signals and tables; plain and in quotes; with and without blanks.
static void expressions_stand_where_numbers_do(void **state)
{
  (void)state;
  assert_same_scenes(
      "touchstone: 1\n"
      "parameters: {m: 2, n: 3, a: 0.25}\n"
      "gravity: [0, =-a, '= -10 + a']\n"
      "contact: {friction: =a + a, restitution: \"=1/4\"}\n"
      "materials:\n"
      "  - {name: rubber, friction: =sqrt(1 + 3)}\n"
      "bodies:\n"
      "  - name: box\n"
      "    shapes: [{box: {size: [=a, =2*a, 1]}, position: [=a, 0, 0]}, {sphere: {radius: =m/n}}]\n"
      "    mass: =m * n\n"
      "    inertia: [=m, =m, = m ]\n"
      "    position: [=m, '=n', 0]\n"
      "    orientation: {axis: [0, 0, =m], angle: =pi/2}\n"
      "    force: [{sine: {amplitude: =m, frequency: =n, phase: =a}}, =m, {table: {times: [0, =n], values: [0, =m]}}]\n"
      "  - name: plate\n"
      "    kind: kinematic\n"
      "    position: [0, 0, -5]\n"
      "    shape: {box: {size: [1, 1, =a]}}\n"
      "    motion: {displacement: [{polynomial: [0, =m]}, 0, 0]}\n"
      "joints:\n"
      "  - {name: hinge, type: revolute, parent: world, child: box, axis: [0, 0, =m], limits: {lower: =-n, upper: "
      "=n}}\n"
      "step: {size: =1e-3*m, max_iterations: =100*n}\n"
      "duration: =m*n\n"
      "output: {interval: =a}\n",
      "touchstone: 1\n"
      "gravity: [0, -0.25, -9.75]\n"
      "contact: {friction: 0.5, restitution: 0.25}\n"
      "materials:\n"
      "  - {name: rubber, friction: 2}\n"
      "bodies:\n"
      "  - name: box\n"
      "    shapes: [{box: {size: [0.25, 0.5, 1]}, position: [0.25, 0, 0]}, {sphere: {radius: 0.66666666666666663}}]\n"
      "    mass: 6\n"
      "    inertia: [2, 2, 2]\n"
      "    position: [2, 3, 0]\n"
      "    orientation: {axis: [0, 0, 2], angle: 1.5707963267948966}\n"
      "    force: [{sine: {amplitude: 2, frequency: 3, phase: 0.25}}, 2, {table: {times: [0, 3], values: [0, 2]}}]\n"
      "  - name: plate\n"
      "    kind: kinematic\n"
      "    position: [0, 0, -5]\n"
      "    shape: {box: {size: [1, 1, 0.25]}}\n"
      "    motion: {displacement: [{polynomial: [0, 2]}, 0, 0]}\n"
      "joints:\n"
      "  - {name: hinge, type: revolute, parent: world, child: box, axis: [0, 0, 2], limits: {lower: -3, upper: 3}}\n"
      "step: {size: 2e-3, max_iterations: 300}\n"
      "duration: 6\n"
      "output: {interval: 0.25}\n");
}

// The scene that seeds the fuzzer has a bit of everything.
static void all_together(void **state)
{
  (void)state;
  ts_scene *scene;
  ts_error error = {0};
  if (ts_scene_read(TEST_DATA "/scenes/parameters.yaml", NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.text);
  ts_scene *again = scene_of(ts_scene_text(scene), NULL);
  assert_null(scene_difference(scene, again));
  assert_int_equal(ts_model_body_count(ts_scene_model(scene)), 7);
  assert_int_equal(ts_model_part_count(ts_scene_model(scene)), 11);
  ts_scene_destroy(scene);
  ts_scene_destroy(again);
}

static void constants_need_no_parameters(void **state)
{
  (void)state;
  ts_scene *scene = scene_of(ball_scene("duration: =pi\n"), NULL);
  assert_true(ts_scene_duration(scene) == TS_PI);
  ts_scene_destroy(scene);
}

static void texts_are_left_alone(void **state)
{
  (void)state;
  ts_scene *scene = scene_of(ball_scene("name: =2*3\nparameters: {x: 1}\n"), NULL);
  assert_string_equal(ts_scene_name(scene), "=2*3");
  ts_scene_destroy(scene);
  assert_trouble(ball_scene("allow_overlap: =1\n"), "2:16: ", "true or false");
}

// The text of a scene reads back as the same scene, by itself.
static void the_text_of_a_scene_is_complete(void **state)
{
  (void)state;
  const char *text =
      "touchstone: 1\n"
      "parameters: {m: {value: 2, unit: kg, range: [1, 3]}, d: =m/4, n: 3}\n"
      "bodies:\n"
      "  - {repeat: {count: =n}, name: ball_$i, mass: =m + i, position: [=i, 0, 0], shape: {sphere: {radius: =d/2}}}\n"
      "stop: [{rest: 'ball_*', for: =d}, {when: ball_0.z < -m and 'ball_1'.z < 0}]\n"
      "results: {top: {max: ball_1.z, when: t > d}, end: =ball_0.z + m}\n";
  ts_scene *scene = scene_of(text, NULL), *again = scene_of(ts_scene_text(scene), NULL);
  assert_null(scene_difference(scene, again));
  assert_string_equal(ts_scene_text(scene), ts_scene_text(again));
  assert_int_equal(ts_scene_parameter_count(again), 3);
  assert_string_equal(ts_scene_parameter_at(again, 0).unit, "kg");
  assert_true(ts_scene_parameter_at(again, 0).most == 3.0 && parameter(again, "d") == 0.5);
  ts_watch *watch;
  assert_int_equal(ts_scene_create_watch(again, &watch, NULL), TS_OK);
  assert_int_equal(ts_watch_stop_count(watch), 2);
  assert_int_equal(ts_watch_result_count(watch), 2);
  ts_watch_destroy(watch);
  ts_scene_destroy(scene);
  ts_scene_destroy(again);
}

// ---- files ---------------------------------------------------------------------------------------------------------

static const char *write_text(scratch_folder *folder, const char *name, const char *text)
{
  const char *path = scratch_path(folder, name);
  scratch_write(path, text, strlen(text));
  return path;
}

static void included_parameters_are_merged(void **state)
{
  scratch_folder *folder = *state;
  write_text(folder, "below.yaml",
             "parameters:\n"
             "  mu: {value: 0.1, range: [0, 1], unit: one}\n"
             "  r: 0.5\n"
             "  s: =r/2\n"
             "contact: {friction: =mu}\n"
             "bodies: [{name: ball, shape: {sphere: {radius: =r}}, mass: =wrong}]\n");
  const char *path = write_text(folder, "top.yaml",
                                "touchstone: 1\n"
                                "include: below.yaml\n"
                                "parameters: {mu: =r, r: {value: 0.25}, wrong: 2}\n"
                                "duration: =s\n");
  ts_scene *scene;
  ts_error error = {0};
  if (ts_scene_read(path, NULL, 0, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  assert_true(parameter(scene, "mu") == 0.25 && parameter(scene, "s") == 0.125);
  assert_true(ts_scene_duration(scene) == 0.125);
  assert_string_equal(ts_scene_parameter_at(scene, 0).unit, "one"); // the value alone was replaced
  assert_true(ts_scene_parameter_at(scene, 0).most == 1.0);
  ts_scene_destroy(scene);
  path = write_text(folder, "top.yaml", "touchstone: 1\ninclude: below.yaml\n");
  assert_int_equal(ts_scene_read(path, NULL, 0, &scene, &error), TS_INVALID);
  assert_non_null(strstr(error.file, "below.yaml"));
  assert_int_equal(error.line, 6);
  assert_int_equal(error.column, 61);
  assert_non_null(strstr(error.text, "'wrong'"));
}

static void robots_have_expressions_too(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "touchstone: 1\nparameters: {h: 0.5, k: 3}\nurdf: {file: urdf/cartpole.urdf, position: [0, =h, '=2*h'], density: "
      "=k*100}\n",
      "touchstone: 1\nurdf: {file: urdf/cartpole.urdf, position: [0, 0.5, 1], density: 300}\n"};
  ts_scene *scenes[2];
  for (int i = 0; i < 2; ++i) {
    ts_error error = {0};
    if (ts_scene_parse(texts[i], strlen(texts[i]), TEST_DATA "/here.yaml", NULL, 0, &scenes[i], &error) != TS_OK)
      fail_msg("%d:%d: %s", error.line, error.column, error.text);
  }
  assert_null(scene_difference(scenes[0], scenes[1]));
  for (int i = 0; i < 2; ++i) ts_scene_destroy(scenes[i]);
}

// ---- overrides -----------------------------------------------------------------------------------------------------

static const char settable[] = "touchstone: 1\n"
                               "parameters: {mu: 0.5, r: {value: 0.2, range: [0, 1]}, d: =2*r}\n"
                               "contact: {friction: =mu}\n"
                               "duration: =d\n"
                               "bodies: [{name: ball, shape: {sphere: {radius: =r}}}]\n";

static double duration_with(const char *override)
{
  ts_scene *scene = scene_of(settable, override, NULL);
  const double duration = ts_scene_duration(scene);
  ts_scene_destroy(scene);
  return duration;
}

static void overrides_set_parameters(void **state)
{
  (void)state;
  assert_true(duration_with("r=0.25") == 0.5);
  assert_true(duration_with("parameters.r=0.25") == 0.5);
  assert_true(duration_with("parameters.r.value=0.25") == 0.5);
  assert_true(duration_with("r==mu/2") == 0.5);
  assert_true(duration_with("r={value: 0.25, range: [0, 2]}") == 0.5);
  assert_true(duration_with("d=7") == 7.0);
  assert_true(duration_with("d==r*10") == 2.0);
  assert_true(duration_with("duration==r*10") == 2.0);
  assert_true(duration_with("parameters={r: 3, d: 5, mu: 1}") == 5.0);
  ts_scene *scene = scene_of(settable, "parameters.mu.range=[0, 9]", "mu=8", NULL);
  assert_true(parameter(scene, "mu") == 8.0 && ts_scene_parameter_at(scene, 0).most == 9.0);
  ts_scene_destroy(scene);
}

static void wrong_overrides_are_refused(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"mv=1", "there is nothing called 'mv'; did you mean 'mu'?"},
      {"r=2", "'r=2': the parameter 'r' is 2, outside its range from 0 to 1"},
      {"r=-1e-9", "outside its range"},
      {"r=abc", "the 'value' of the parameter 'r' must be a number, not 'abc'"},
      {"r=[1, 2]", "the 'value' of the parameter 'r' must be a number, not a list"},
      {"r='0.5'", "the 'value' of the parameter 'r' must be a number, not the text '0.5'"},
      {"r=", "there is nothing in it"},
      {"r=.inf", "the 'value' of the parameter 'r' must be"},
      {"r==m", "there is no 'm'; did you mean 'mu'?"},
      {"r==d", "parameters depend on themselves: r -> d -> r"},
      {"parameters.r.range=[1, 0]", "is empty"},
      {"parameters.r.ranges=[0, 1]", "a parameter has no key 'ranges'; did you mean 'range'?"},
      {"parameters.2x=1", "a parameter is called by letters"},
      {"parameters=5", "'parameters' must be a map"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const char *found = trouble_of(settable, cases[i][0], NULL);
    if (!strstr(found, cases[i][1])) fail_msg("'%s' says '%s', not '%s'", cases[i][0], found, cases[i][1]);
  }
}

static void a_parameter_that_is_set_for_nothing_is_questioned(void **state)
{
  (void)state;
  const char *text = ball_scene("parameters: {a: 1, b: 2, c: 3, d: =c}\nduration: =a\nresults: {x: ball.z + b}\n");
  ts_scene *scene = scene_of(text, "c=2", "b=4", "a=2", NULL);
  assert_int_equal(ts_scene_note_count(scene), 0);
  ts_scene_destroy(scene);
  scene = scene_of(text, "d=2", "b=4", NULL);
  assert_int_equal(ts_scene_note_count(scene), 1);
  assert_non_null(strstr(ts_scene_note_at(scene, 0)->text, "no expression refers to the parameter 'd'"));
  ts_scene_destroy(scene);
}

// ---- what is refused, and where ------------------------------------------------------------------------------------

static void bad_parameters_have_their_place(void **state)
{
  (void)state;
  static const char *const cases[][3] = {
      {"parameters: [1]\n", "2:13: ", "'parameters' must be a map of names"},
      {"parameters: {mu: }\n", "2:14: ", "must be a number, not nothing"},
      {"parameters: {mu: abc}\n", "2:18: ", "must be a number, not 'abc'"},
      {"parameters: {mu: [1]}\n", "2:18: ", "needs a 'value'"},
      {"parameters: {mu: {unit: m}}\n", "2:18: ", "a parameter needs 'value'"},
      {"parameters: {mu: {value: 1, units: m}}\n", "2:29: ", "did you mean 'unit'?"},
      {"parameters: {mu: {value: 1, range: 2}}\n", "2:36: ", "'range' must be a list of 2 numbers"},
      {"parameters: {mu: {value: 1, range: [2]}}\n", "2:36: ", "'range' must be a list of 2 numbers"},
      {"parameters: {mu: {value: 1, range: [0, =mu]}}\n", "2:40: ", "'range' must be a list of 2 numbers"},
      {"parameters: {mu: {value: 1, range: [3, 2]}}\n", "2:36: ", "the range from 3 to 2 is empty"},
      {"parameters: {mu: {value: 1, range: [2, 3]}}\n", "2:26: ", "'mu' is 1, outside its range from 2 to 3"},
      {"parameters: {a: 1, b: {value: =a, range: [2, 3]}}\n", "2:31: ", "'b' is 1, outside"},
      {"parameters: {2mu: 1}\n", "2:14: ", "called by letters, digits and _"},
      {"parameters: {'a b': 1}\n", "2:14: ", "called by letters, digits and _"},
      {"parameters: {a.b: 1}\n", "2:14: ", "called by letters, digits and _"},
      {"parameters: {a: 1, a: 2}\n", "2:20: ", "'a'"},
      {"parameters: {pi: 3}\n", "2:14: ", "no parameter can be called 'pi'"},
      {"parameters: {sqrt: 3}\n", "2:14: ", "no parameter can be called 'sqrt'"},
      {"parameters: {t: 3}\n", "2:14: ", "no parameter can be called 't'"},
      {"parameters: {and: 3}\n", "2:14: ", "no parameter can be called 'and'"},
      {"parameters: {a: =a}\n", "2:17: ", "parameters depend on themselves: a -> a"},
      {"parameters: {a: =b, b: =2*c, c: =b}\n", "2:24: ", "parameters depend on themselves: b -> c -> b"},
      {"parameters: {a: =1/0}\n", "2:", "divi"},
      {"parameters: {a: 0, b: =1/a}\n", "2:25: ", "divi"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    assert_trouble(ball_scene(cases[i][0]), cases[i][1], cases[i][2]);
}

static void bad_expressions_have_their_column(void **state)
{
  (void)state;
  static const char *const cases[][3] = {
      {"duration: =", "2:12: ", ""},
      {"duration: =2*", "2:14: ", ""},
      {"duration: =2*mv", "2:14: ", "there is no 'mv'; did you mean 'mu'?"},
      {"duration: '=2*mv'", "2:15: ", "there is no 'mv'"},
      {"duration: \"=2 * mv\"", "2:17: ", "there is no 'mv'"},
      {"duration: = 2 * mv", "2:17: ", "there is no 'mv'"},
      {"duration: = 2 *\n  mv", "2:11: ", "there is no 'mv'"}, // of further lines the first is told
      {"duration: >-\n  = 2 *\n  mv", "3:1: ", "there is no 'mv'"},
      {"gravity: [0, 0, '=mu + sin(1, 2)']", "2:24: ", "sin"},
      {"gravity: [0, 0, '=mu/(mu - mu)']", "2:21: ", "divi"},
      {"contact: {friction: =-mu}", "2:21: ", "'friction' must"},
      {"step: {max_iterations: =1.5}", "2:24: ", "must be a whole number, and this is 1.5"},
      {"step: {max_iterations: =mu}", "2:24: ", "must be a whole number, and this is 0.5"},
      {"step: {size: =0}", "2:14: ", "'size' must"},
      {"duration: =ball.z", "2:12: ", "there is no 'ball.z'"},
      {"duration: =t", "2:12: ", "there is no 't'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char more[300];
    snprintf(more, sizeof more, "%s\nparameters: {mu: 0.5}\n", cases[i][0]);
    assert_trouble(ball_scene(more), cases[i][1], cases[i][2]);
  }
}

// A thousand at most: they may wait for each other in a row.
static void many_parameters_are_refused(void **state)
{
  (void)state;
  static char text[1 << 16], all[1 << 17];
  scratch_folder *folder = *state;
  int used = snprintf(all, sizeof all, "touchstone: 1\ninclude: [");
  for (int f = 0; f < 5; ++f) {
    char name[32];
    int length = snprintf(text, sizeof text, "parameters: {");
    for (int i = 0; i < 250; ++i)
      length += snprintf(text + length, sizeof text - (size_t)length, "a%d: =a%d, ", 250 * f + i, 250 * f + i + 1);
    snprintf(text + length, sizeof text - (size_t)length, "b%d: 1}\n", f);
    snprintf(name, sizeof name, "part%d.yaml", f);
    write_text(folder, name, text);
    used += snprintf(all + used, sizeof all - (size_t)used, "%s%s", f ? ", " : "", name);
  }
  snprintf(all + used, sizeof all - (size_t)used, "]\nparameters: {a1250: 1}\nbodies: [{name: ball}]\n");
  const char *path = write_text(folder, "many.yaml", all);
  ts_scene *scene;
  ts_error error = {0};
  assert_int_equal(ts_scene_read(path, NULL, 0, &scene, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "1000 parameters"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_say_what_they_are),
      cmocka_unit_test(a_scene_without_parameters_has_none),
      cmocka_unit_test(order_does_not_matter),
      cmocka_unit_test(expressions_stand_where_numbers_do),
      cmocka_unit_test(all_together),
      cmocka_unit_test(constants_need_no_parameters),
      cmocka_unit_test(texts_are_left_alone),
      cmocka_unit_test(the_text_of_a_scene_is_complete),
      cmocka_unit_test(included_parameters_are_merged),
      cmocka_unit_test(robots_have_expressions_too),
      cmocka_unit_test(overrides_set_parameters),
      cmocka_unit_test(wrong_overrides_are_refused),
      cmocka_unit_test(a_parameter_that_is_set_for_nothing_is_questioned),
      cmocka_unit_test(bad_parameters_have_their_place),
      cmocka_unit_test(bad_expressions_have_their_column),
      cmocka_unit_test(many_parameters_are_refused),
  };
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
