// Names of all forms as they are handed on, and numbers against strtod().
#include "expression_try.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char asked[TS_EXPRESSION_LENGTH * 3];

// Knows every name, and keeps them, each with a bar behind it.
static int note(const void *user, const char *name)
{
  (void)user;
  strcat(strcat(asked, name), "|");
  return 0;
}

static void asks_for(const char *text, const char *names)
{
  const ts_expression_names all = {NULL, note, NULL};
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_expression *expression;
  ts_expression_error error = {0};
  asked[0] = '\0';
  if (!ts_expression_compile(text, &all, &arena, &expression, &error)) fail_msg("'%s': %s", text, error.text);
  ts_arena_release(&arena);
  assert_string_equal(asked, names);
}

static void words_and_parts(void **state)
{
  (void)state;
  asks_for("r", "r|");
  asks_for("_r2_D2 + Ball", "_r2_D2|Ball|");
  asks_for("ball.vx", "ball.vx|");
  asks_for("joints.slide.position*2", "joints.slide.position|");
  asks_for("joints.3.position+joints.3e5", "joints.3.position|joints.3e5|");
  asks_for("a.b-c.d", "a.b|c.d|");
  asks_for("ball.x@plate", "ball.x@plate|");
  asks_for("ball.x@plate.lid-1", "ball.x@plate.lid|");
  asks_for("t@3", "t@3|");
}

static void parts_in_quotes(void **state)
{
  (void)state;
  asks_for("'left finger'.x", "left finger.x|");
  asks_for("\"left finger\".x", "left finger.x|");
  asks_for("arm.'left finger'.x", "arm.left finger.x|");
  asks_for("ball.x@'big plate'", "ball.x@big plate|");
  asks_for("\"it's\".x + '\"'.y", "it's.x|\".y|");
  asks_for("'a.b'.c", "a.b.c|");
  asks_for("'sin' + 'pi' + 'and'", "sin|pi|and|");
  asks_for("'\303\274ber'.x", "\303\274ber.x|");
}

static void words_with_parentheses(void **state)
{
  (void)state;
  asks_for("contacts(left finger, gear*).fn", "contacts(left finger, gear*).fn|");
  asks_for("2*contacts ( left finger ,gear* ) .fn - 1", "contacts(left finger, gear*).fn|");
  asks_for("contacts(\tleft  finger\n,\n gear*)", "contacts(left  finger, gear*)|");
  asks_for("contacts() + contacts( )", "contacts()|contacts()|");
  asks_for("f(a,,b,) + f(,)", "f(a,, b,)|f(,)|");
  asks_for("f( ( a , ( b ) c ) , (d) ) > 1", "f((a, (b)c), (d))|");
  asks_for("f(a).b.c@d", "f(a).b.c@d|");
  asks_for("f('a , (b' , c).'d e'", "f('a , (b', c).d e|");
  asks_for("f(a)*f(b) < .5", "f(a)|f(b)|");
  asks_for("sum(a + b - 2, c)", "sum(a + b - 2, c)|");
}

// They are so where they stand alone, so that bodies may be called like them.
static void reserved_words_are_not_asked_for(void **state)
{
  (void)state;
  asks_for("sin(1) + pi*deg + (not 1 and 0 or 1)", "");
  asks_for("sin.x + pi.x@deg + min@max", "sin.x|pi.x@deg|min@max|");
  asks_for("sine + p + andy + nothing + degree + orb", "sine|p|andy|nothing|degree|orb|");
  asks_for("AND + Pi", "AND|Pi|");
}

static void names_without_end_are_refused(void **state)
{
  (void)state;
  try_refused("a.", 2, "a name is missing after '.'");
  try_refused("1 + a. b", 6, "a name is missing after '.'");
  try_refused("a.*b", 2, "a name is missing after '.'");
  try_refused("a.x@", 4, "a name is missing after '@'");
  try_refused("f(a).", 5, "a name is missing after '.'");
  try_refused("1 + 'left finger", 4, "this quote has no end");
  try_refused("a.\"b'", 2, "this quote has no end");
  try_refused("f(don't)", 5, "this quote has no end");
  try_refused("''.x", 0, "there is no name between these quotes");
  try_refused("a@\"\"", 2, "there is no name between these quotes");
  try_refused("f(a, (b)", 1, "this '(' is not closed");
  try_refused("'a''b'", 3, "an operator is missing before ''b''");
}

static void numbers_are_those_of_strtod(void **state)
{
  (void)state;
  const char *const texts[] = {"0",     "1",     "1.",     ".5",   "0.1",     "1e-3",     "1E+5",
                               "1.e2",  "007",   "1e22",   "1e23", "5e-324",  "1e-400",   "1.7976931348623157e308",
                               "0e999", ".1e+1", "3.1415", "2e0",  "1e00001", "4.9e-324", "9007199254740993"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) try_is(texts[k], strtod(texts[k], NULL));
}

static void numbers_that_are_none(void **state)
{
  (void)state;
  try_refused("2 + 1e309", 4, "the number is too large");
  try_refused("1e99999999999", 0, "the number is too large");
  try_refused("2e0e", 3, "an operator is missing before 'e'");
  try_refused("1e+a", 1, "an operator is missing before 'e'");
  try_refused("infinity", 0, "there is no 'infinity'");
}

static void the_point_is_a_point_in_every_locale(void **state)
{
  (void)state;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
    print_message("no locale with a decimal comma is installed\n");
    skip();
  }
  try_is("1.5 + .25", 1.75);
  try_refused("1,5", 1, "this ',' separates no arguments");
  setlocale(LC_NUMERIC, "C");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_and_parts),
      cmocka_unit_test(parts_in_quotes),
      cmocka_unit_test(words_with_parentheses),
      cmocka_unit_test(reserved_words_are_not_asked_for),
      cmocka_unit_test(names_without_end_are_refused),
      cmocka_unit_test(numbers_are_those_of_strtod),
      cmocka_unit_test(numbers_that_are_none),
      cmocka_unit_test(the_point_is_a_point_in_every_locale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
