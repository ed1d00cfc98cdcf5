// Entries that stand for many: the same scenes as with all of them written out.
#include "scene_try.h"

#include "touchstone/scene.h"
#include "touchstone/watch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static char written[1 << 16];
static int used;

static void begin(const char *text)
{
  used = snprintf(written, sizeof written, "%s", text);
}

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  used += vsnprintf(written + used, sizeof written - (size_t)used, format, arguments);
  va_end(arguments);
  assert_true(used < (int)sizeof written);
}

// ---- against scenes written out ------------------------------------------------------------------------------------

static void a_row_of_dominoes(void **state)
{
  (void)state;
  begin("touchstone: 1\nbodies:\n  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n");
  for (int i = 0; i < 30; ++i)
    add("  - {name: domino_%d, position: [%.17g, 0, 0.05], shape: {box: {size: [0.01, 0.05, 0.1]}}}\n", i, 0.04 * i);
  assert_same_scenes("touchstone: 1\n"
                     "parameters: {n: 30, gap: 0.04}\n"
                     "bodies:\n"
                     "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                     "  - repeat: {count: =n}\n"
                     "    name: domino_$i\n"
                     "    position: [=gap*i, 0, 0.05]\n"
                     "    shape: {box: {size: [0.01, 0.05, 0.1]}}\n",
                     written);
}

// Rows from below, every second one shifted by half a brick and one brick shorter.
static void a_wall(void **state)
{
  (void)state;
  begin("touchstone: 1\nspace: 2d\nbodies:\n  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 1]}}}\n");
  for (int row = 0; row < 4; ++row)
    for (int k = 1; k <= 6 - row % 2; ++k)
      add("  - {name: brick_%d_%d, position: [%.17g, %.17g], shape: {box: {size: [0.2, 0.1]}}}\n", row, k,
          0.2 * k + (row % 2 != 0 ? 0.1 : 0.0), 0.05 + 0.1 * row);
  assert_same_scenes("touchstone: 1\n"
                     "space: 2d\n"
                     "bodies:\n"
                     "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 1]}}}\n"
                     "  - repeat:\n"
                     "      - {count: 4, as: row, let: {odd: =row % 2 != 0, shift: '=odd ? 0.1 : 0'}}\n"
                     "      - {count: 6, as: k, from: 1, when: =k <= 6 - odd}\n"
                     "    name: brick_$(row)_$k\n"
                     "    position: [=0.2*k + shift, =0.05 + 0.1*row]\n"
                     "    shape: {box: {size: [0.2, 0.1]}}\n",
                     written);
}

// Links refer to the one before by name.
static void a_chain(void **state)
{
  (void)state;
  begin("touchstone: 1\nbodies:\n");
  for (int i = 1; i <= 5; ++i) add("  - {name: link%d, mass: %d, inertia: [1, 1, 1], position: [%d, 0, 0]}\n", i, i, i);
  add("joints:\n  - {name: joint1, type: revolute, parent: world, child: link1, axis: [0, 1, 0], at: [0.5, 0, "
      "0]}\n");
  for (int i = 2; i <= 5; ++i)
    add("  - {name: joint%d, type: revolute, parent: link%d, child: link%d, axis: [0, 1, 0], at: [%.17g, 0, 0]}\n", i,
        i - 1, i, i - 0.5);
  assert_same_scenes(
      "touchstone: 1\n"
      "bodies:\n"
      "  - {repeat: {count: 5, from: 1, as: n}, name: link$n, mass: =n, inertia: [1, 1, 1], position: [=n, 0, 0]}\n"
      "joints:\n"
      "  - {name: joint1, type: revolute, parent: world, child: link1, axis: [0, 1, 0], at: [0.5, 0, 0]}\n"
      "  - {repeat: {count: 4, from: 2, as: n}, name: joint$n, type: revolute, parent: link$(n-1),\n"
      "     child: link$n, axis: [0, 1, 0], at: [=n-0.5, 0, 0]}\n",
      written);
}

// Teeth are shapes of one body, and vertices of each are repeated as well.
static void a_gear_of_six_teeth(void **state)
{
  (void)state;
  begin("touchstone: 1\nspace: 2d\nbodies:\n  - name: gear\n    shapes:\n      - {disc: {radius: 0.1}}\n");
  for (int tooth = 0; tooth < 6; ++tooth) {
    add("      - {angle: %.17g, polygon: {vertices: [", 2.0 * TS_PI * tooth / 6.0);
    for (int k = 0; k < 4; ++k) {
      const double turn = 2.0 * TS_PI * k / 4.0;
      add("%s[%.17g, %.17g]", k ? ", " : "", 0.1 + 0.02 * cos(turn), 0.02 * sin(turn));
    }
    add("]}}\n");
  }
  assert_same_scenes("touchstone: 1\n"
                     "parameters: {teeth: 6, r: 0.1}\n"
                     "space: 2d\n"
                     "bodies:\n"
                     "  - name: gear\n"
                     "    shapes:\n"
                     "      - {disc: {radius: =r}}\n"
                     "      - repeat: {count: =teeth, as: tooth}\n"
                     "        angle: =2*pi*tooth/teeth\n"
                     "        polygon:\n"
                     "          vertices:\n"
                     "            - {repeat: {count: 4, as: k, let: {turn: =2*pi*k/4}}, each: [=r + 0.02*cos(turn), "
                     "=0.02*sin(turn)]}\n",
                     written);
}

// Numbers of a list, inner variables before outer ones, parameters last.
static void variables_hide_what_is_further_out(void **state)
{
  (void)state;
  assert_same_scenes("touchstone: 1\n"
                     "parameters: {i: 100, j: 7}\n"
                     "bodies:\n"
                     "  - repeat: {count: 2, from: 1}\n"
                     "    name: b$i\n"
                     "    mass: =i + j\n"
                     "    inertia: [{repeat: {count: 3, from: 8}, each: =i}]\n"
                     "    force: [{polynomial: [=i, {repeat: {count: 2, as: k, from: =i}, each: =10*i + k}]}, 0, 0]\n"
                     "  - {name: last, mass: =i, inertia: [1, 1, 1]}\n",
                     "touchstone: 1\n"
                     "bodies:\n"
                     "  - {name: b1, mass: 8, inertia: [8, 9, 10], force: [{polynomial: [1, 11, 12]}, 0, 0]}\n"
                     "  - {name: b2, mass: 9, inertia: [8, 9, 10], force: [{polynomial: [2, 22, 23]}, 0, 0]}\n"
                     "  - {name: last, mass: 100, inertia: [1, 1, 1]}\n");
}

static void names_have_numbers_and_dollars(void **state)
{
  (void)state;
  assert_same_scenes(
      "touchstone: 1\n"
      "bodies:\n"
      "  - {repeat: {count: 2}, name: 'a$$i $(-i) $(i - 2)-$(2*(i + 1))$i', mass: 1, inertia: [1, 1, 1]}\n"
      "  - {name: a$i, mass: 1, inertia: [1, 1, 1]}\n",
      "touchstone: 1\n"
      "bodies:\n"
      "  - {name: 'a$i 0 -2-20', mass: 1, inertia: [1, 1, 1]}\n"
      "  - {name: 'a$i -1 -1-41', mass: 1, inertia: [1, 1, 1]}\n"
      "  - {name: a$i, mass: 1, inertia: [1, 1, 1]}\n");
}

static void nothing_and_all_that_is_passed_over(void **state)
{
  (void)state;
  assert_same_scenes("touchstone: 1\n"
                     "bodies:\n"
                     "  - {repeat: {count: 0}, name: x, mass: 1, inertia: [1, 1, 1]}\n"
                     "  - {repeat: {count: 9, when: =i == 4}, name: b$i, mass: 1, inertia: [1, 1, 1]}\n"
                     "  - {repeat: {count: 9, when: 0}, name: y, mass: 1, inertia: [1, 1, 1]}\n"
                     "pairs: [{repeat: {count: 0}, bodies: [p, q], collide: false}]\n",
                     "touchstone: 1\n"
                     "bodies: [{name: b4, mass: 1, inertia: [1, 1, 1]}]\n");
}

// Conditions in lists name what is repeated, also inside of expressions.
static void conditions_are_repeated(void **state)
{
  (void)state;
  ts_scene *scene = scene_of("touchstone: 1\n"
                             "bodies: [{repeat: {count: 3}, name: b$i, mass: 1, inertia: [1, 1, 1]}]\n"
                             "stop:\n"
                             "  - {repeat: {count: 3}, name: low $i, when: b$i.z < -$(i + 1)}\n"
                             "  - {repeat: {count: 2}, when: '=b$i.z < -9'}\n",
                             NULL);
  ts_watch *watch;
  ts_error error;
  if (ts_scene_create_watch(scene, &watch, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_watch_stop_count(watch), 5);
  assert_string_equal(ts_watch_stop_name(watch, 2), "low 2");
  assert_string_equal(ts_watch_stop_name(watch, 4), "b1.z < -9");
  ts_watch_destroy(watch);
  ts_scene_destroy(scene);
}

static void entries_are_overridden_by_name(void **state)
{
  (void)state;
  const char *text = "touchstone: 1\nparameters: {n: 3}\n"
                     "bodies: [{repeat: {count: =n}, name: b$i, mass: =1 + i, inertia: [1, 1, 1]}]\n";
  ts_scene *scene = scene_of(text, "b1.mass=7", "n=4", "b3.mass==2*n", NULL);
  const ts_model *model = ts_scene_model(scene);
  const double masses[] = {1.0, 7.0, 3.0, 8.0};
  assert_int_equal(ts_model_body_count(model), 4);
  for (int b = 0; b < 4; ++b) assert_true(ts_model_body_mass(model, b) == masses[b]);
  ts_scene_destroy(scene);
  assert_non_null(strstr(trouble_of(text, "b3.mass=7", NULL), "there is nothing called 'b3'"));
}

// ---- what is refused -----------------------------------------------------------------------------------------------

static void bad_repeats_are_refused(void **state)
{
  (void)state;
  static const char *const cases[][3] = {
      {"repeat: 3", "3:21: ", "a repeat must be a map"},
      {"repeat: {as: k}", "3:21: ", "a repeat needs 'count'"},
      {"repeat: {count: 2, at: k}", "3:32: ", "a repeat has no key 'at'; did you mean 'as'?"},
      {"repeat: {count: x}", "3:29: ", "'count' must be a whole number"},
      {"repeat: {count: -1}", "3:29: ", "'count' must"},
      {"repeat: {count: 0.5}", "3:29: ", "'count' must be a whole number"},
      {"repeat: {count: =n/2}", "3:29: ", "'count' must be a whole number from 0 up to 1000000, not 1.5"},
      {"repeat: {count: =-n}", "3:29: ", "'count' must be a whole number from 0 up to 1000000, not -3"},
      {"repeat: {count: 1e9}", "3:29: ", "'count' must be a whole number"},
      {"repeat: {count: =10^9}", "3:29: ", "'count' must be a whole number from 0 up to 1000000, not 1e+09"},
      {"repeat: {count: 2, from: =0.5}", "3:38: ", "'from' must be a whole number up to 1000000, not 0.5"},
      {"repeat: {count: =m}", "3:30: ", "there is no 'm'"},
      {"repeat: {count: =1/0}", "3:31: ", "divi"},
      {"repeat: {count: 2, as: 2x}", "3:36: ", "a variable is called by letters"},
      {"repeat: {count: 2, as: pi}", "3:36: ", "no variable can be called 'pi'"},
      {"repeat: {count: 2, let: {a b: 1}}", "3:38: ", "a variable is called by letters"},
      {"repeat: {count: 2, let: {sin: 1}}", "3:38: ", "no variable can be called 'sin'"},
      {"repeat: {count: 2, let: {a: =b, b: 1}}", "3:42: ", "there is no 'b'"},
      {"repeat: {count: 2, as: k, let: {k: =10*k}}", "3:45: ", "'k' counts the entries"},
      {"repeat: {count: 2, let: {a: 1, i: 2}}", "3:44: ", "'i' counts the entries"},
      {"repeat: {count: 2, let: 3}", "3:37: ", "'let' must be a map"},
      {"repeat: {count: 2, when: =q}", "3:39: ", "there is no 'q'"},
      {"repeat: {count: 2, when: yes}", "3:38: ", "'when' must be a number"},
      {"repeat: [{count: 1, as: a}, {count: 1, as: b}, {count: 1, as: c}, {count: 1, as: d}, {count: 1}]",
       "3:", "nested more than 4 deep"},
      {"repeat: {count: 2}, name: b$", "3:39: ", "'$' must be followed by"},
      {"repeat: {count: 2}, name: b$(i", "3:39: ", "'$' must be followed by"},
      {"repeat: {count: 2}, name: b$k", "3:41: ", "there is no 'k'"},
      {"repeat: {count: 2}, name: 'b$(i/2 + x)'", "3:", "there is no 'x'"},
      {"repeat: {count: 2}, name: b$(i/2)", "3:41: ", "a name can have a whole number in it, and this is 0.5"},
      {"repeat: {count: 2}, name: same", "3:", "same"},
      {"repeat: {count: 2}, each: {name: b$i}", "3:52: ", "beside 'repeat' and 'each' there is nothing else"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[600];
    snprintf(text, sizeof text, "touchstone: 1\nparameters: {n: 3}\nbodies: [ { %s, mass: 1, inertia: [1, 1, 1]}]\n",
             cases[i][0]);
    assert_trouble(text, cases[i][1], cases[i][2]);
  }
}

// They end soon, with a sentence.
static void keys_of_maps_are_repeated(void **state)
{
  (void)state;
#define BALL "touchstone: 1\nbodies: [{name: ball, shape: {sphere: {radius: 0.1}}}]\n"
  assert_trouble(BALL "results: {a: {repeat: {count: 2}, max: ball.z}}\n", "3:", "a result has no key 'repeat'");
  assert_trouble(BALL "results: {a$(0*i): {repeat: {count: 2}, max: ball.z}}\n", "3:", "the key 'a0' is given twice");
  assert_trouble(BALL "results: {a$i: {repeat: {count: 4097}, max: ball.z}}\n", "3:", "a map has more than 4096 keys");
  ts_scene *scene = scene_of(BALL "results:\n  'x_$i': {repeat: {count: 240}, value: ball.x, at: =0.0125*i}\n"
                                  "  'y_$i': {repeat: {count: 240}, value: ball.y, at: =0.0125*i}\n"
                                  "  'z_$i': {repeat: {count: 240}, value: ball.z, at: =0.0125*i}\nduration: 3\n",
                             NULL);
  ts_watch *watch;
  assert_int_equal(ts_scene_create_watch(scene, &watch, NULL), TS_OK);
  assert_int_equal(ts_watch_result_count(watch), 720);
  ts_watch_destroy(watch);
  ts_scene_destroy(scene);
  assert_trouble(BALL "results: {a$j: {repeat: {count: 3}, max: ball.z}}\n", "3:", "there is no 'j'");
#undef BALL
}

static void explosions_are_refused(void **state)
{
  (void)state;
  assert_trouble(
      "touchstone: 1\nbodies: [{repeat: [{count: 1000000, as: a}, {count: 1000000, as: b}], name: b, mass: 1}]\n",
      "2:", "go round more than 1000000 times");
  assert_trouble("touchstone: 1\nbodies: [{repeat: [{count: 1000, as: a}, {count: 1000, as: b}, {count: 1000, as: c}], "
                 "name: b}]\n",
                 "2:", "go round more than 1000000 times");
  assert_trouble(
      "touchstone: 1\nbodies: [{repeat: [{count: 1000000, as: a}, {count: 100, as: b, when: =a < 0}], name: b}]\n",
      "2:", "go round more than 1000000 times");
  char deep[2000];
  int length = snprintf(deep, sizeof deep, "touchstone: 1\nbodies:\n- {name: b, mass: 1, inertia: ");
  for (int k = 0; k < 12; ++k)
    length += snprintf(deep + length, sizeof deep - (size_t)length, "[{repeat: {count: 100}, each: ");
  length += snprintf(deep + length, sizeof deep - (size_t)length, "1");
  for (int k = 0; k < 12; ++k) length += snprintf(deep + length, sizeof deep - (size_t)length, "}]");
  snprintf(deep + length, sizeof deep - (size_t)length, "}\n");
  assert_trouble(deep, "3:", "go round more than 1000000");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_of_dominoes),
      cmocka_unit_test(a_wall),
      cmocka_unit_test(a_chain),
      cmocka_unit_test(a_gear_of_six_teeth),
      cmocka_unit_test(variables_hide_what_is_further_out),
      cmocka_unit_test(names_have_numbers_and_dollars),
      cmocka_unit_test(nothing_and_all_that_is_passed_over),
      cmocka_unit_test(conditions_are_repeated),
      cmocka_unit_test(entries_are_overridden_by_name),
      cmocka_unit_test(bad_repeats_are_refused),
      cmocka_unit_test(keys_of_maps_are_repeated),
      cmocka_unit_test(explosions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
