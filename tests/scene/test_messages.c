// Sentences about slips that people make: what was probably meant is in them.
#include "scene_try.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

typedef struct slip {
  const char *more, *place, *words; // of a scene with one ball
} slip;

static void assert_slips(const slip *slips, size_t count)
{
  for (size_t i = 0; i < count; ++i) assert_trouble(ball_scene(slips[i].more), slips[i].place, slips[i].words);
}

#define ASSERT_SLIPS(slips) assert_slips(slips, sizeof(slips) / sizeof *(slips))

static void unknown_functions_are_called_so(void **state)
{
  (void)state;
  static const slip slips[] = {
      {"results: {a: 'arctan(ball.z)'}\n", "", "there is no function 'arctan'; did you mean 'atan'?"},
      {"results: {a: '1 + sine(ball.z)'}\n", "", "there is no function 'sine'; did you mean 'sin'?"},
      {"results: {a: 'gamma(ball.z)'}\n", "", "there is no function 'gamma'"}};
  ASSERT_SLIPS(slips);
}

static void what_there_is_is_not_suggested(void **state)
{
  (void)state;
  const char *text = "touchstone: 1\nbodies: [{name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}]\n"
                     "stop: [{rest: floor}]\n";
  assert_trouble(text, "", "there is no dynamic body 'floor'");
  assert_null(strstr(trouble_of(text, NULL), "did you mean"));
}

static void texts_that_commas_cut_need_quotes(void **state)
{
  (void)state;
  static const slip slips[] = {
      {"results: {a: {max: contacts(ball, ball).fn}}\n", "",
       "between { and }, or [ and ], a text with a comma needs quotes"},
      {"results: {a: contacts(ball, ball).fn}\n", "", "between { and }, or [ and ], a text with a comma needs quotes"},
      {"results: {a: {max: ball.z, help: near, far}}\n", "",
       "'far' is no key; between { and }, or [ and ], a text with a comma needs quotes"},
      {"name: near\nfarther:\n", "", "has no key 'farther'"},
      {"parameters: {k: 1}\ncontact: {friction: =max(k, 0.5)}\n", "",
       "this '(' is not closed; between { and }, or [ and ], a text with a comma needs quotes"}};
  ASSERT_SLIPS(slips);
}

static void entries_that_commas_cut_need_quotes(void **state)
{
  (void)state;
  static const slip slips[] = {
      {"gravity: [=max(1, 2), 0, 0]\n",
       "2:", "'gravity' must have 3 entries, not 4; between { and }, or [ and ], a text with a comma needs quotes"},
      {"gravity: [=max(1, 2), 0]\n",
       "2:", "this '(' is not closed; between { and }, or [ and ], a text with a comma needs quotes"}};
  ASSERT_SLIPS(slips);
  assert_null(strstr(trouble_of(ball_scene("gravity: [1, 2, 0, 0]\n"), NULL), "quotes"));
  assert_null(strstr(trouble_of(ball_scene("gravity: ['=max(1', '2)', 0, 0]\n"), NULL), "quotes"));
}

static void numbers_have_a_decimal_point(void **state)
{
  (void)state;
  static const slip slips[] = {
      {"step: {size: 0,1}\n", "", "'size' must be > 0 s, not 0; a number has a decimal point, not a comma"},
      {"contact: {friction: 1,5}\n", "", "'5' is no key; a number has a decimal point, not a comma"},
      {"duration: 0,1\n", "", "not '0,1'; a number has a decimal point, not a comma"},
      {"duration: -0,15\n", "", "; a number has a decimal point, not a comma"}};
  ASSERT_SLIPS(slips);
  assert_null(strstr(trouble_of(ball_scene("step: {size: 0, method: velocity}\n"), NULL), "decimal"));
  assert_null(strstr(trouble_of(ball_scene("step: {size: 0, 1}\n"), NULL), "decimal"));
  assert_null(strstr(trouble_of(ball_scene("duration: 1,2,3\n"), NULL), "decimal"));
}

static void expressions_without_their_sign_are_told(void **state)
{
  (void)state;
  static const slip slips[] = {
      {"parameters: {h: 3*2}\n", "", "must be a number, not '3*2'; an expression begins with '='"},
      {"parameters: {r: 1, h: 2*r}\n", "", "; an expression begins with '='"},
      {"parameters: {mu: 1}\ncontact: {friction: mu}\n", "", "not 'mu'; an expression begins with '='"},
      {"contact: {friction: 1/3}\n", "", "; an expression begins with '='"},
      {"gravity: [0, 0, 2*pi]\n", "", "; an expression begins with '='"}};
  ASSERT_SLIPS(slips);
  assert_null(strstr(trouble_of(ball_scene("contact: {friction: high}\n"), NULL), "begins with"));
}

static void long_lists_end_with_a_word(void **state)
{
  (void)state;
  const char *said = trouble_of(ball_scene("step: {dt: 1e-3}\n"), NULL);
  const size_t length = strlen(said);
  assert_true(length > 6 && strcmp(said + length - 6, ", ...)") == 0);
}

// 0.3/0.1 is a little less than 3, and 3*0.1 a little more than 0.3.
static void rounding_is_no_mistake(void **state)
{
  (void)state;
  ts_scene *scene = scene_of("touchstone: 1\n"
                             "parameters: {d: {value: =3*0.1, range: [0, 0.3]}, n: =0.3/0.1}\n"
                             "contact: {friction: 1, restitution: =0.7 + 3*0.1}\n"
                             "bodies:\n"
                             "  - {repeat: {count: =n}, name: ball$(i*0.3/0.1), mass: 1, inertia: [1, 1, 1]}\n"
                             "step: {max_iterations: =1e3*0.3/0.1}\n",
                             NULL);
  assert_true(ts_scene_parameter_at(scene, 0).value == 0.3);
  assert_int_equal(ts_model_body_count(ts_scene_model(scene)), 3);
  assert_string_equal(ts_model_body_name(ts_scene_model(scene), 1), "ball3");
  ts_scene_destroy(scene);
  static const slip slips[] = {
      {"parameters: {d: {value: =0.3 + 1e-12, range: [0, 0.3]}}\n", "",
       "the parameter 'd' is 0.30000000000099997, outside its range from 0 to 0.3"},
      {"step: {max_iterations: =3 + 1e-12}\n", "", "must be a whole number, and this is 3.000000000001"},
      {"contact: {restitution: =1 + 1e-12}\n", "", "must be 0 to 1, not 1.000000000001"}};
  ASSERT_SLIPS(slips);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_functions_are_called_so),     cmocka_unit_test(what_there_is_is_not_suggested),
      cmocka_unit_test(texts_that_commas_cut_need_quotes),   cmocka_unit_test(expressions_without_their_sign_are_told),
      cmocka_unit_test(entries_that_commas_cut_need_quotes), cmocka_unit_test(numbers_have_a_decimal_point),
      cmocka_unit_test(long_lists_end_with_a_word),          cmocka_unit_test(rounding_is_no_mistake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
