// The grammar against values computed by hand, and what is said of texts that have none.
#include "expression_try.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void operators_bind_as_arithmetic_has_it(void **state)
{
  (void)state;
  try_is("1 + 2 * 3", 7.0);
  try_is("(1 + 2) * 3", 9.0);
  try_is("2 * 3 ^ 2", 18.0);
  try_is("-2^2", -4.0);
  try_is("(-2)^2", 4.0);
  try_is("2^-1", 0.5);
  try_is("2^-1^2", 0.5);
  try_is("2^+3", 8.0);
  try_is("-2^-2", -0.25);
  try_is("2*-3", -6.0);
  try_is("2 - -3", 5.0);
  try_is("2--3", 5.0);
  try_is("- -3", 3.0);
  try_is("+3", 3.0);
  try_is("-7 % 3", 2.0);
  try_is("-(7 % 3)", -1.0);
  try_is("1 + 2 < 4", 1.0);
  try_is("1 < 2 and 0 + 0 or 1", 1.0);
}

static void operators_group_from_their_side(void **state)
{
  (void)state;
  try_is("10 - 4 - 3", 3.0);
  try_is("10 - 4 + 3", 9.0);
  try_is("24 / 4 / 3", 2.0);
  try_is("24 / 4 * 3", 18.0);
  try_is("17 % 10 % 4", 3.0);
  try_is("2 * 7 % 4", 2.0);
  try_is("2^3^2", 512.0);
  try_is("(2^3)^2", 64.0);
  try_is("1 ? 2 : 0 ? 3 : 4", 2.0);
  try_is("0 ? 2 : 0 ? 3 : 4", 4.0);
  try_is("1 ? 0 ? 3 : 4 : 5", 4.0);
  try_is("(1 ? 0 : 1) ? 3 : 4", 4.0);
}

static void comparisons_and_logic_give_1_or_0(void **state)
{
  (void)state;
  try_is("2 < 3", 1.0);
  try_is("3 < 3", 0.0);
  try_is("3 <= 3", 1.0);
  try_is("4 <= 3", 0.0);
  try_is("3 > 2", 1.0);
  try_is("3 > 3", 0.0);
  try_is("3 >= 3", 1.0);
  try_is("2 >= 3", 0.0);
  try_is("3 == 3", 1.0);
  try_is("3 == 2", 0.0);
  try_is("3 != 2", 1.0);
  try_is("3 != 3", 0.0);
  try_is("7 and 8", 1.0);
  try_is("7 && 0", 0.0);
  try_is("-0.0 and 1", 0.0);
  try_is("0 or 0", 0.0);
  try_is("0 || 8", 1.0);
  try_is("8 or 0", 1.0);
  try_is("not 0", 1.0);
  try_is("not 3", 0.0);
  try_is("!-0.5", 0.0);
  try_is("not not 5", 1.0);
  try_is("!!5", 1.0);
}

static void logic_binds_in_its_order(void **state)
{
  (void)state;
  try_is("1 or 1 and 0", 1.0);
  try_is("(1 or 1) and 0", 0.0);
  try_is("not 0 and 0", 0.0);
  try_is("not (0 and 0)", 1.0);
  try_is("not 1 == 2", 1.0);
  try_is("(not 1) == 2", 0.0);
  try_is("not 0 or 1 ? 4 : 5", 4.0);
  try_is("1 and not 0", 1.0);
  try_is("0 or not 0 and 2 < 3", 1.0);
  try_is("a < b and b < c", 1.0);
  try_is("1 and 1 and 1 and 0", 0.0);
  try_is("0 or 0 or 0 or 2", 1.0);
  try_is("1 and 0 or 1 and 1", 1.0);
  try_is("(a<b)<c", 1.0);
}

static void blanks_mean_nothing(void **state)
{
  (void)state;
  try_is(" \t\n1\r\n+\f2\v", 3.0);
  try_is("1+2*a-b", 2.0);
  try_is("min ( 1 , 2 )", 1.0);
  try_is("not(0)", 1.0);
  try_is("a<b?1:2", 1.0);
  try_is("(0)or(1)and(1)", 1.0);
}

static void texts_without_grammar_are_refused(void **state)
{
  (void)state;
  try_refused("", 0, "the expression is empty");
  try_refused("  ", 0, "the expression is empty");
  try_refused("1 +", 3, "the expression ends where a value should be");
  try_refused("-", 1, "the expression ends where a value should be");
  try_refused("1 + * 2", 4, "'*' stands where a value should be");
  try_refused("()", 1, "')' stands where a value should be");
  try_refused("a <> b", 3, "'>' stands where a value should be");
  try_refused("1 2", 2, "an operator is missing before '2'");
  try_refused("2r", 1, "an operator is missing before 'r'");
  try_refused("0x10", 1, "an operator is missing before 'x10'");
  try_refused("1e", 1, "an operator is missing before 'e'");
  try_refused("1.2.3", 3, "an operator is missing before '.3'");
  try_refused("a(b)(c)", 0, "there is no function 'a'");
  try_refused("(a)(b)", 3, "an operator is missing before '('");
  try_refused("pi(2)", 2, "an operator is missing before '('");
  try_refused("ball.vx(2)", 7, "an operator is missing before '('");
  try_refused("a not b", 2, "an operator is missing before 'not'");
  try_refused("1 + not 2", 4, "here 'not' and its operand need parentheses around them");
  try_refused("-!2", 1, "here '!' and its operand need parentheses around them");
  try_refused("a == !b", 5, "here '!' and its operand need parentheses around them");
  try_refused("1 f( a )  + 2", 2, "an operator is missing before 'f( a )'");
  try_refused("1 a  + 2", 2, "an operator is missing before 'a'");
  try_refused("(1", 0, "this '(' is not closed");
  try_refused("2*((1)", 2, "this '(' is not closed");
  try_refused("1)", 1, "this ')' closes nothing");
  try_refused("1, 2", 1, "this ',' separates no arguments");
  try_refused("(1, 2)", 2, "this ',' separates no arguments");
  try_refused("1 ? 2", 2, "the ':' of this '?' is missing");
  try_refused("(1 ? 2)", 3, "the ':' of this '?' is missing");
  try_refused("1 ? 2 3", 6, "an operator is missing before '3'");
  try_refused("1 : 2", 2, "this ':' has no '?'");
  try_refused("(1 : 2)", 3, "this ':' has no '?'");
  try_refused("1 ? : 2", 4, "':' stands where a value should be");
}

// Whatever was read before it, what is no sign of the language is found where it stands.
static void bad_signs_are_found_everywhere(void **state)
{
  (void)state;
  const char *const text =
      "if ( not a < 2 ^ - b , min ( 1 , c ) , + 3 ) ? ( 2 * a ) + 1 : 4 % 3 or 1 and 2 - sin ( 1 ) ";
  char part[200];
  int count = 0;
  for (const char *end = text; end; end = strchr(end, ' '), end += end != NULL, ++count) {
    const int length = (int)(end - text);
    snprintf(part, sizeof part, "%.*s$ + 1", length, text);
    try_refused(part, length, "'$' means nothing here");
    if (*end == '\0') break;
  }
  assert_int_equal(count, 41);
}

static void signs_of_other_languages_are_explained(void **state)
{
  (void)state;
  try_refused("a = b", 2, "'==' compares");
  try_refused("a =< b", 2, "'==' compares");
  try_refused("a & b", 2, "'&&' means 'and'");
  try_refused("a | b", 2, "'||' means 'or'");
  try_refused("a ** b", 2, "'^' raises to a power");
  try_refused("a $ b", 2, "'$' means nothing here");
  try_refused("a ~ b", 2, "'~' means nothing here");
  try_refused("a @ b", 2, "'@' means nothing here");
  try_refused(".", 0, "'.' means nothing here");
  try_refused("a \033 b", 2, "'?' means nothing here");
  try_refused("2 \303\227 3", 2, "'\303\227' can stand in a name only where that is in quotes");
  try_refused("a < b < c", 6, "comparisons do not chain: write 'a < b and b < c' for 'a < b < c'");
  try_refused("a == b != c", 7, "comparisons do not chain: write 'a < b and b < c' for 'a < b < c'");
}

static void calls_need_their_arguments(void **state)
{
  (void)state;
  try_refused("2*sin a", 2, "'sin' is a function: write sin(x)");
  try_refused("sin", 0, "'sin' is a function: write sin(x)");
  try_refused("atan2", 0, "'atan2' is a function: write atan2(y, x)");
  try_refused("1+sin()", 2, "'sin' takes 1 argument: sin(x)");
  try_refused("sin(1, 2)", 0, "'sin' takes 1 argument: sin(x)");
  try_refused("atan2(1)", 0, "'atan2' takes 2 arguments: atan2(y, x)");
  try_refused("hypot(1)", 0, "'hypot' takes 2 arguments or more: hypot(x, y, ...)");
  try_refused("clamp(1, 2)", 0, "'clamp' takes 3 arguments: clamp(x, low, high)");
  try_refused("if(1, 2)", 0, "'if' takes 3 arguments: if(c, a, b)");
  try_refused("if(1, 2, 3, 4)", 0, "'if' takes 3 arguments: if(c, a, b)");
  try_refused("random()", 0, "'random' takes 1 to 4 arguments: random(k, ...)");
  try_refused("random(1,2,3,4,5)", 0, "'random' takes 1 to 4 arguments: random(k, ...)");
  try_refused("min(1, 2", 3, "this '(' is not closed");
  try_refused("sin (1", 4, "this '(' is not closed");
  try_refused("min(1,, 2)", 6, "',' stands where a value should be");
  try_refused("min(1, 2,)", 9, "')' stands where a value should be");
  try_refused("min(1 2)", 6, "an operator is missing before '2'");
  try_refused("min(1 : 2)", 6, "this ':' has no '?'");
}

static void unknown_names_have_a_suggestion(void **state)
{
  (void)state;
  try_refused("1 + rr", 4, "there is no 'rr'; did you mean 'r'?");
  try_refused("ball.vz", 0, "there is no 'ball.vz'; did you mean 'ball.vx'?");
  try_refused("ball.speed", 0, "there is no 'ball.speed'");
  try_refused("dog*3", 0, "there is no 'dog'; did you mean 'deg'?");
  try_refused("2*sinn(a)", 2, "there is no function 'sinn'; did you mean 'sin'?");
  try_refused("sqr(a)", 0, "there is no function 'sqr'; did you mean 'sqrt'?");
  try_refused("Sin(a)", 0, "there is no function 'Sin'; did you mean 'sin'?");
  try_refused("foobar( a, b )", 0, "there is no function 'foobar'");
  try_refused("contacts(a ,b).fn", 0, "there is no 'contacts(a, b).fn'");
  try_refused("'a\tb'", 0, "there is no 'a?b'");
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_expression *expression;
  ts_expression_error error;
  ts_expression_names names = try_table();
  names.name_at = NULL;
  assert_false(ts_expression_compile("rr", &names, &arena, &expression, &error));
  assert_string_equal(error.text, "there is no 'rr'");
  assert_false(ts_expression_compile("1 + r", NULL, &arena, &expression, &error));
  assert_string_equal(error.text, "there is no 'r'");
  assert_int_equal(error.offset, 4);
  assert_false(ts_expression_compile("1 + r", NULL, &arena, &expression, NULL));
  assert_null(expression);
  assert_true(ts_expression_compile("1 + pi", NULL, &arena, &expression, NULL));
  ts_arena_release(&arena);
}

// A long name is cut, between characters: 62 bytes and half of a character of two bytes are 63.
static void long_names_are_cut_in_sentences(void **state)
{
  (void)state;
  char text[200] = "'", shown[200] = "there is no '";
  memset(text + 1, 'n', 62);
  memset(shown + 13, 'n', 62);
  strcpy(text + 63, "\303\227 and so on'");
  strcpy(shown + 75, "'");
  try_refused(text, 0, shown);
  memset(text, 'n', 64);
  memset(shown + 13, 'n', 63);
  text[64] = '\0';
  strcpy(shown + 76, "'");
  try_refused(text, 0, shown);
}

// before, count times what, middle, count times after.
static char *repeated(const char *what, int count, const char *middle, const char *after)
{
  char *text = calloc((size_t)count * (strlen(what) + strlen(after)) + strlen(middle) + 1, 1), *at = text;
  for (int i = 0; i < count; ++i) at += sprintf(at, "%s", what);
  at += sprintf(at, "%s", middle);
  for (int i = 0; i < count; ++i) at += sprintf(at, "%s", after);
  return text;
}

static void nesting_is_bounded(void **state)
{
  (void)state;
  static const struct {
    const char *before, *middle, *after;
    double value;
    int offset; // of what is too deep in 65 levels
  } nests[] = {{"(", "1", ")", 1.0, 65},
               {"-", "1", "", 1.0, 65},
               {"+", "1", "", 1.0, 65},
               {"not ", "1", "", 1.0, 4 * 65},
               {"!", "1", "", 1.0, 65},
               {"1^", "1", "", 1.0, 2 * 65},
               {"0?0:", "1", "", 1.0, 4 * 64 + 2},
               {"1?", "1", ":0", 1.0, 2 * 65},
               {"abs(", "1", ")", 1.0, 4 * 65},
               {"if(1,", "1", ",0)", 1.0, 5 * 64 + 3},
               {"min(2,", "1", ")", 1.0, 6 * 64 + 4}};
  for (size_t k = 0; k < sizeof nests / sizeof *nests; ++k) {
    char *text = repeated(nests[k].before, TS_EXPRESSION_DEPTH, nests[k].middle, nests[k].after);
    try_is(text, nests[k].value);
    free(text);
    text = repeated(nests[k].before, TS_EXPRESSION_DEPTH + 1, nests[k].middle, nests[k].after);
    try_refused(text, nests[k].offset, "the expression is nested more than 64 deep");
    free(text);
  }
}

// Chains that group from the left are no nesting; only their length counts.
static void chains_are_as_long_as_memory_has_room(void **state)
{
  (void)state;
  char *text = repeated("1+", 499, "1", "");
  try_is(text, 500.0);
  free(text);
  text = repeated("1+", 500, "1", "");
  try_refused(text, 999, "the expression has more than 1000 operations");
  free(text);
  text = repeated("min(1,", 1, "2", ",3,4,5,6,7)");
  try_is(text, 1.0);
  free(text);
  text = repeated("(1)*", 499, "(1)", "");
  try_is(text, 1.0);
  free(text);
  text = repeated("1 and ", 333, "1", "");
  try_is(text, 1.0);
  free(text);
}

// Whichever operation is the one too many: number, value, jump, sign or function. Before these 32 stand k sums, of two
// operations each, and a sign or none.
static void every_operation_may_be_the_last(void **state)
{
  (void)state;
  const char *const tail = "(if(1, 2, 3) ? (a and 2 or not -3) : min(a, 2^2, 3) < 3*4 ? 5 : 6 - 7)";
  const ts_expression_names names = try_table();
  for (int k = 480; k <= 500; ++k)
    for (int sign = 0; sign < 2; ++sign) {
      char *sums = repeated("1+", k, "", ""), text[2000];
      snprintf(text, sizeof text, "%s%s%s", sign ? "-" : "", sums, tail);
      free(sums);
      ts_arena arena;
      ts_arena_init(&arena, NULL);
      ts_expression *expression;
      ts_expression_error error = {0};
      const bool fits = 2 * k + sign + 32 <= 1000;
      assert_true(ts_expression_compile(text, &names, &arena, &expression, &error) == fits);
      if (!fits) assert_string_equal(error.text, "the expression has more than 1000 operations");
      ts_arena_release(&arena);
    }
}

static void length_is_bounded(void **state)
{
  (void)state;
  char text[TS_EXPRESSION_LENGTH + 2];
  memset(text, ' ', sizeof text);
  text[0] = '7';
  text[TS_EXPRESSION_LENGTH] = '\0';
  try_is(text, 7.0);
  text[TS_EXPRESSION_LENGTH] = ' ';
  text[TS_EXPRESSION_LENGTH + 1] = '\0';
  try_refused(text, TS_EXPRESSION_LENGTH, "the expression has more than 4096 characters");
  memset(text, '1', TS_EXPRESSION_LENGTH);
  text[TS_EXPRESSION_LENGTH] = '\0';
  try_refused(text, 0, "the number is too large");
  text[0] = '.';
  try_is(text, 1.0 / 9.0);
  memset(text, ',', TS_EXPRESSION_LENGTH);
  memcpy(text, "f(", 2);
  text[TS_EXPRESSION_LENGTH - 1] = ')';
  try_refused(text, 0, "there is no function 'f'; did you mean 'if'?");
  memset(text, '(', TS_EXPRESSION_LENGTH);
  text[0] = 'f';
  try_refused(text, 1, "this '(' is not closed");
}

static void values_are_listed_once_in_their_order(void **state)
{
  (void)state;
  const ts_expression_names names = try_table();
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_expression *expression;
  assert_true(ts_expression_compile("c + a*c - (0 ? ball.vx : a) + sin(b)", &names, &arena, &expression, NULL));
  const int expected[] = {2, 0, 7, 1, -1, -1};
  for (int i = 0; i < 6; ++i) assert_int_equal(ts_expression_value_at(expression, i), expected[i]);
  assert_int_equal(ts_expression_value_at(expression, -1), -1);
  assert_true(ts_expression_compile("1 + 2", &names, &arena, &expression, NULL));
  assert_int_equal(ts_expression_value_at(expression, 0), -1);
  ts_arena_release(&arena);
}

// What is refused leaves nothing in the arena, and what is compiled no more than it needs.
static void the_arena_holds_expressions_alone(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_expression *expression;
  assert_false(ts_expression_compile("1 + (2*3 + 4*5", NULL, &arena, &expression, NULL));
  assert_int_equal(ts_arena_in_use(&arena), 0);
  char text[] = "1 + 2";
  assert_true(ts_expression_compile(text, NULL, &arena, &expression, NULL));
  assert_true(ts_arena_in_use(&arena) <= 256);
  memset(text, 'x', sizeof text);
  double value;
  assert_true(ts_expression_evaluate(expression, NULL, &value, NULL));
  assert_true(value == 3.0);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_bind_as_arithmetic_has_it),
      cmocka_unit_test(operators_group_from_their_side),
      cmocka_unit_test(comparisons_and_logic_give_1_or_0),
      cmocka_unit_test(logic_binds_in_its_order),
      cmocka_unit_test(blanks_mean_nothing),
      cmocka_unit_test(texts_without_grammar_are_refused),
      cmocka_unit_test(bad_signs_are_found_everywhere),
      cmocka_unit_test(signs_of_other_languages_are_explained),
      cmocka_unit_test(calls_need_their_arguments),
      cmocka_unit_test(unknown_names_have_a_suggestion),
      cmocka_unit_test(long_names_are_cut_in_sentences),
      cmocka_unit_test(nesting_is_bounded),
      cmocka_unit_test(chains_are_as_long_as_memory_has_room),
      cmocka_unit_test(every_operation_may_be_the_last),
      cmocka_unit_test(length_is_bounded),
      cmocka_unit_test(values_are_listed_once_in_their_order),
      cmocka_unit_test(the_arena_holds_expressions_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
