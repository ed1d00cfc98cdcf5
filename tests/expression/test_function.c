// Functions against the C library and closed values, random() against numbers that were computed elsewhere.
#include "expression_try.h"

#include "touchstone/vector.h"

#include <stdio.h>
#include <string.h>

static void functions_of_one_are_those_of_the_c_library(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double (*function)(double);
    double low;
  } functions[] = {{"sin", sin, -9.0},   {"cos", cos, -9.0},     {"tan", tan, -9.0},  {"atan", atan, -9.0},
                   {"cbrt", cbrt, -9.0}, {"exp", exp, -9.0},     {"abs", fabs, -9.0}, {"floor", floor, -9.0},
                   {"ceil", ceil, -9.0}, {"round", round, -9.0}, {"sqrt", sqrt, 0.0}, {"log", log, 0.1},
                   {"log10", log10, 0.1}};
  char text[64];
  for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k)
    for (double x = functions[k].low; x < 9.0; x += 0.37) {
      snprintf(text, sizeof text, "%s(%.17g)", functions[k].name, x);
      try_is(text, functions[k].function(x));
    }
  for (double x = -1.0; x <= 1.0; x += 0.125) {
    snprintf(text, sizeof text, "asin(%.17g)", x);
    try_is(text, asin(x));
    snprintf(text, sizeof text, "acos(%.17g)", x);
    try_is(text, acos(x));
  }
}

static void near(const char *text, double expected)
{
  assert_true(fabs(try_value(text) - expected) <= 4e-16 * (1.0 + fabs(expected)));
}

static void closed_values(void **state)
{
  (void)state;
  near("sin(30*deg)", 0.5);
  near("cos(60*deg)", 0.5);
  near("tan(45*deg)", 1.0);
  near("asin(1)/deg", 90.0);
  near("acos(-1)", TS_PI);
  near("4*atan(1)", TS_PI);
  near("atan2(1, -1)/deg", 135.0);
  near("atan2(-1, 1)/deg", -45.0);
  near("atan2(-1, -1)/deg", -135.0);
  try_is("sqrt(2.25)", 1.5);
  near("cbrt(-27)", -3.0);
  try_is("exp(0)", 1.0);
  near("log(exp(2))", 2.0);
  try_is("log10(1000)", 3.0);
  try_is("pow(2, 10)", 1024.0);
  try_is("pow(9, -0.5)", 1.0 / 3.0);
  try_is("pi", TS_PI);
  try_is("180*deg", TS_PI);
  try_is("2*pi", 2.0 * TS_PI);
}

static void lengths_of_vectors(void **state)
{
  (void)state;
  try_is("hypot(3, 4)", 5.0);
  try_is("hypot(-3, -4)", 5.0);
  try_is("hypot(2, 3, 6)", 7.0);
  try_is("hypot(1, 4, 8, 12)", 15.0);
  near("hypot(3e200, 4e200)", 5e200);
  near("hypot(1, 1, 1, 1, 1, 1, 1, 1, 1)", 3.0);
}

static void least_and_greatest(void **state)
{
  (void)state;
  try_is("min(3, 2)", 2.0);
  try_is("min(2, 3)", 2.0);
  try_is("min(5, -3, 2, 8)", -3.0);
  try_is("max(3, 2)", 3.0);
  try_is("max(2, 3)", 3.0);
  try_is("max(5, -3, 9, 8)", 9.0);
  try_is("1 + max(a, b, c)*min(a, b, c)", 11.0);
  try_is("clamp(5, 1, 3)", 3.0);
  try_is("clamp(-5, 1, 3)", 1.0);
  try_is("clamp(2, 1, 3)", 2.0);
  try_is("clamp(2, 1, 1)", 1.0);
  try_fails("1 + clamp(5, 3, 1)", 4, "the bounds of 'clamp' are the wrong way round");
}

static void whole_numbers_and_signs(void **state)
{
  (void)state;
  try_is("floor(-1.5)", -2.0);
  try_is("ceil(-1.5)", -1.0);
  try_is("round(2.5)", 3.0);
  try_is("round(-2.5)", -3.0);
  try_is("round(2.4)", 2.0);
  try_is("sign(-0.3)", -1.0);
  try_is("sign(12)", 1.0);
  try_is("sign(-zero)", 0.0);
  try_is("abs(-4)", 4.0);
  try_is("if(2, 3, 4)", 3.0);
  try_is("if(0, 3, 4)", 4.0);
  try_is("if(a < b, a, b) + 1", 3.0);
}

// Computed with whole numbers of any length, by what function.c says of the sequence.
static void random_numbers_stay_as_they_are(void **state)
{
  (void)state;
  try_is("random(0)", 0x1.33d8be6d96ebep-1);
  try_is("random(-0.0)", 0x1.33d8be6d96ebep-1);
  try_is("random(1)", 0x1.88f89dbe3e8f5p-1);
  try_is("random(a)", 0x1.2cb5b117ce377p-1);
  try_is("random(-1)", 0x1.011fa0447c0e8p-3);
  try_is("random(0.5)", 0x1.5c534738c1a72p-1);
  try_is("random(1, 2)", 0x1.99cb9daf4aa7fp-1);
  try_is("random(2, 1)", 0x1.6845b524cfe40p-2);
  try_is("random(1, 0)", 0x1.1a85e9706f1b0p-1);
  try_is("random(1, 2, 3)", 0x1.b83095f130405p-1);
  try_is("random(1, 2, 3, 4)", 0x1.1c769bc06c160p-3);
}

enum { DRAWS = 20000, CELLS = 100 };

// random(...) of `text` at s = step*0, step*1 ..., in [0, 1).
static void draw(const char *text, double step, double numbers[static DRAWS])
{
  const ts_expression_names names = try_table();
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_expression *expression;
  assert_true(ts_expression_compile(text, &names, &arena, &expression, NULL));
  double values[TRY_COUNT] = {0.0};
  try_fill(values);
  for (int i = 0; i < DRAWS; ++i) {
    values[TRY_S] = step * i;
    assert_true(ts_expression_evaluate(expression, values, &numbers[i], NULL));
    assert_true(numbers[i] >= 0.0 && numbers[i] < 1.0);
  }
  ts_arena_release(&arena);
}

// Chi-square of 99 degrees of freedom has mean 99 and deviation 14; 99 + 5*14 is passed once in a million.
static double chi_square(const int counts[static CELLS])
{
  const double expected = (double)DRAWS / CELLS;
  double sum = 0.0;
  for (int k = 0; k < CELLS; ++k) sum += (counts[k] - expected) * (counts[k] - expected) / expected;
  return sum;
}

// Whichever argument counts up, and in whatever steps: all numbers are as frequent, and pairs of neighbours are, too.
static void random_numbers_are_spread_evenly(void **state)
{
  (void)state;
  static const char *const texts[] = {"random(s)",       "random(s, 3)",       "random(3, s)",       "random(s, s)",
                                      "random(0, 1, s)", "random(5, s, 5, 5)", "random(0, 0, 0, -s)"};
  static const double steps[] = {1.0, 1e-3, 0x1p-52, 1e6};
  static double numbers[DRAWS];
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k)
    for (size_t m = 0; m < sizeof steps / sizeof *steps; ++m) {
      draw(texts[k], steps[m], numbers);
      int single[CELLS] = {0}, pairs[CELLS] = {0};
      for (int i = 0; i < DRAWS; ++i) {
        ++single[(int)(CELLS * numbers[i])];
        ++pairs[10 * (int)(10.0 * numbers[i]) + (int)(10.0 * numbers[(i + 1) % DRAWS])];
      }
      assert_true(chi_square(single) < 170.0);
      assert_true(chi_square(pairs) < 170.0);
    }
}

static void random_numbers_depend_on_every_argument(void **state)
{
  (void)state;
  const char *const texts[] = {"random(1)",          "random(2)",          "random(-1)",         "random(1, 0)",
                               "random(0, 1)",       "random(1, 1)",       "random(1, 2)",       "random(2, 1)",
                               "random(1, 2, 3)",    "random(3, 2, 1)",    "random(1, 2, 4)",    "random(1, 2, 3, 4)",
                               "random(1, 2, 3, 5)", "random(1, 2, 0, 4)", "random(1, 0, 3, 4)", "random(0, 2, 3, 4)"};
  enum { COUNT = sizeof texts / sizeof *texts };
  double numbers[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    numbers[i] = try_value(texts[i]);
    assert_true(numbers[i] == try_value(texts[i]));
    for (int j = 0; j < i; ++j) assert_true(numbers[i] != numbers[j]);
  }
}

// A call with so many arguments, each 1.
static void call(const char *usage, int arguments, char text[static 64])
{
  int used = snprintf(text, 64, "%.*s(", (int)strcspn(usage, "("), usage);
  for (int i = 0; i < arguments; ++i) used += snprintf(text + used, 64 - (size_t)used, "%s1", i > 0 ? "," : "");
  snprintf(text + used, 64 - (size_t)used, ")");
}

static void refuses_to_compile(const char *text, const char *part)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_expression *expression;
  ts_expression_error error;
  if (ts_expression_compile(text, NULL, &arena, &expression, &error)) fail_msg("%s was compiled", text);
  if (!strstr(error.text, part)) fail_msg("%s: %s", text, error.text);
  ts_arena_release(&arena);
}

// Functions take the arguments that their usage shows: no fewer, and more where it shows dots. Constants take none.
static void usages_are_true(void **state)
{
  (void)state;
  const char *usage, *help;
  char text[64];
  for (int i = 0; (usage = ts_expression_function_at(i, &help)) != NULL; ++i) {
    int arguments = strchr(usage, '(') ? 1 : 0;
    for (const char *c = usage; *c; ++c) arguments += *c == ',';
    const bool dots = strstr(usage, "...") != NULL;
    if (arguments == 0) {
      assert_true(isfinite(try_value(usage)));
      continue;
    }
    call(usage, arguments, text);
    assert_true(isfinite(try_value(text)));
    call(usage, arguments - dots, text);
    assert_true(isfinite(try_value(text)));
    call(usage, arguments - dots - 1, text);
    refuses_to_compile(text, usage);
    call(usage, arguments + 1, text);
    if (dots)
      assert_true(isfinite(try_value(text)));
    else
      refuses_to_compile(text, usage);
  }
}

// The list for manuals has every name once, with a line of help.
static void functions_are_listed(void **state)
{
  (void)state;
  const char *usage, *help, *unused;
  int count = 0;
  for (; (usage = ts_expression_function_at(count, &help)) != NULL; ++count) {
    assert_true(help && help[0] && !strchr(help, '\n'));
    const size_t length = strcspn(usage, "(");
    for (int j = 0; j < count; ++j) {
      const char *other = ts_expression_function_at(j, &unused);
      assert_true(strcspn(other, "(") != length || strncmp(other, usage, length) != 0);
    }
  }
  assert_int_equal(count, 26);
  assert_null(ts_expression_function_at(-1, &help));
  assert_null(help);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_one_are_those_of_the_c_library),
      cmocka_unit_test(closed_values),
      cmocka_unit_test(lengths_of_vectors),
      cmocka_unit_test(least_and_greatest),
      cmocka_unit_test(whole_numbers_and_signs),
      cmocka_unit_test(random_numbers_stay_as_they_are),
      cmocka_unit_test(random_numbers_are_spread_evenly),
      cmocka_unit_test(random_numbers_depend_on_every_argument),
      cmocka_unit_test(usages_are_true),
      cmocka_unit_test(functions_are_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
