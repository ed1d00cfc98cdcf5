// What is evaluated and what is not, results that are no numbers, and what is said of them.
#include "expression_try.h"

#include <float.h>
#include <string.h>

static void what_does_not_matter_is_not_evaluated(void **state)
{
  (void)state;
  try_is("zero > 0 and 1/zero < 2", 0.0);
  try_is("zero == 0 or 1/zero < 2", 1.0);
  try_is("zero == 0 ? 4 : 1/zero", 4.0);
  try_is("zero != 0 ? 1/zero : 5", 5.0);
  try_is("if(zero, 1/zero, 6)", 6.0);
  try_is("if(not zero, 7, 1/zero)", 7.0);
  try_is("0 and 1/0 and 1/0", 0.0);
  try_is("1 or 1/0 or 1/0", 1.0);
  try_is("0 and 1/0 or 3", 1.0);
  try_is("(1 or 1/0) and 2", 1.0);
  try_is("1 ? 2 : 0 ? 1/0 : 1/0", 2.0);
  try_is("if(1, if(0, 1/0, 8), 1/0) + if(0, 1/0, 1)", 9.0);
  try_is("min(1 or 1/0, 2, if(1, 3, 1/0)) + 10*(0 and 1/0)", 1.0);
}

static void what_matters_is(void **state)
{
  (void)state;
  try_fails("1 and 1/zero", 7, "division by zero");
  try_fails("0 or 1/zero", 6, "division by zero");
  try_fails("0 ? 4 : 1/zero", 9, "division by zero");
  try_fails("1 ? 1/zero : 4", 5, "division by zero");
  try_fails("if(1, 1/zero, 4)", 7, "division by zero");
  try_fails("if(0, 4, 1/zero)", 10, "division by zero");
  try_fails("1/zero and 0", 1, "division by zero");
  try_fails("1/0 ? 1 : 2", 1, "division by zero");
}

static void results_that_are_no_numbers_are_named(void **state)
{
  (void)state;
  try_fails("a / zero", 2, "division by zero");
  try_fails("zero / zero", 5, "division by zero");
  try_fails("2 + a % zero", 6, "division by zero");
  try_fails("zero % zero", 5, "division by zero");
  try_fails("big / 1e-300", 4, "the quotient is too large");
  try_fails("big + big", 4, "the sum is too large");
  try_fails("-big - big", 5, "the difference is too large");
  try_fails("2 + 1e200 * -1e200", 10, "the product is too large");
  try_fails("10^400", 2, "the power is too large");
  try_fails("pow(-10, 401)", 0, "the power is too large");
  try_fails("(-2)^0.5", 4, "a power of a negative number that is not whole");
  try_fails("0^-1", 1, "a negative power of zero");
  try_fails("pow(zero, -0.5)", 0, "a negative power of zero");
  try_fails("2*sqrt(-1)", 2, "the square root of a negative number");
  try_fails("log(zero)", 0, "the logarithm of zero");
  try_fails("log(-1)", 0, "the logarithm of a negative number");
  try_fails("log10(-zero)", 0, "the logarithm of zero");
  try_fails("log10(-1)", 0, "the logarithm of a negative number");
  try_fails("asin(1.1)", 0, "the arc sine of a number that is not in -1 to 1");
  try_fails("acos(-a)", 0, "the arc cosine of a number that is not in -1 to 1");
  try_fails("exp(1000)", 0, "the exponential is too large");
  try_fails("hypot(1.5e308, 1.5e308)", 0, "the result of 'hypot' is too large");
  try_fails("hypot(0, 1.5e308, 1.5e308)", 0, "the result of 'hypot' is too large");
}

static void small_results_are_numbers(void **state)
{
  (void)state;
  try_is("exp(-1000)", 0.0);
  try_is("1e-200 * 1e-200", 0.0);
  try_is("10^-400", 0.0);
  try_is("sqrt(-0)", -0.0);
  try_is("0^0", 1.0);
  try_is("0^2", 0.0);
  try_is("(-2)^3", -8.0);
}

static void remainders_have_the_sign_of_the_divisor(void **state)
{
  (void)state;
  try_is("7 % 3", 1.0);
  try_is("(-7) % 3", 2.0);
  try_is("7 % -3", -2.0);
  try_is("(-7) % -3", -1.0);
  try_is("5.5 % 2", 1.5);
  try_is("(-0.5) % 2", 1.5);
  try_is("6 % 3", 0.0);
  try_is("(-1e-20) % 1", 0.0); // 1 is not less than 1
  try_is("1e-20 % -1", 0.0);
  try_is("(-6) % 3", 0.0);
  try_is("6 % -3", 0.0);
  try_is("1e300 % 1e-300 < 1e-300", 1.0);
  try_is("2^53 % 3", 2.0);         // 9007199254740992 = 3 * 3002399751580330 + 2
  try_is("(2^60 + 2^8) % 7", 5.0); // 2^60 = 1 and 2^8 = 4 modulo 7
}

// Infinite and undefined values go through every operation, and nobody complains.
static void what_is_not_finite_is_passed_on(void **state)
{
  (void)state;
  const char *const undefined[] = {"nan",
                                   "-nan",
                                   "nan + 1",
                                   "1 - nan",
                                   "nan*0",
                                   "nan/0",
                                   "0/nan",
                                   "nan % 2",
                                   "5 % nan",
                                   "nan^2",
                                   "2^nan",
                                   "sin(nan)",
                                   "sqrt(nan)",
                                   "log(nan)",
                                   "asin(nan)",
                                   "hypot(1, nan)",
                                   "min(1, nan)",
                                   "min(nan, 1)",
                                   "max(1, nan, 2)",
                                   "max(nan, 1)",
                                   "abs(nan)",
                                   "sign(nan)",
                                   "floor(nan)",
                                   "round(nan)",
                                   "clamp(nan, 1, 2)",
                                   "clamp(1, nan, 2)",
                                   "clamp(1, 0, nan)",
                                   "random(nan)",
                                   "random(1, nan, 2)",
                                   "inf - inf",
                                   "inf * 0",
                                   "inf / inf",
                                   "inf % 2",
                                   "sin(inf)",
                                   "sqrt(-inf)",
                                   "log(-inf)",
                                   "atan2(nan, 1)",
                                   "if(1, nan, 0)",
                                   "0 ? 1 : nan"};
  for (size_t k = 0; k < sizeof undefined / sizeof *undefined; ++k)
    if (!isnan(try_value(undefined[k]))) fail_msg("%s is a number", undefined[k]);
  try_is("inf + 1", (double)INFINITY);
  try_is("-inf", -(double)INFINITY);
  try_is("inf / 0", (double)INFINITY);
  try_is("1 / inf", 0.0);
  try_is("exp(inf)", (double)INFINITY);
  try_is("exp(-inf)", 0.0);
  try_is("min(1, inf)", 1.0);
  try_is("max(1, inf)", (double)INFINITY);
  try_is("clamp(inf, 1, 2)", 2.0);
  try_is("atan(inf)", atan((double)INFINITY));
  try_is("sign(-inf)", -1.0);
}

static void undefined_values_compare_as_unequal_and_are_true(void **state)
{
  (void)state;
  try_is("nan == nan", 0.0);
  try_is("nan != nan", 1.0);
  try_is("nan < 1", 0.0);
  try_is("nan > 1", 0.0);
  try_is("not nan", 0.0);
  try_is("nan and 1", 1.0);
  try_is("nan ? 1 : 2", 1.0);
  try_is("inf > 1", 1.0);
}

// One expression, other values: nothing is remembered, and a failure leaves the result alone.
static void evaluations_do_not_know_each_other(void **state)
{
  (void)state;
  const ts_expression_names names = try_table();
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_expression *expression;
  assert_true(ts_expression_compile("1/s + t", &names, &arena, &expression, NULL));
  const size_t used = ts_arena_in_use(&arena);
  double values[TRY_COUNT] = {0.0}, result = -7.0;
  ts_expression_error error = {0};
  for (int k = -3; k <= 3; ++k) {
    values[TRY_S] = k;
    values[TRY_T] = 10.0 * k;
    const double before = result;
    const bool good = ts_expression_evaluate(expression, values, &result, &error);
    assert_true(good == (k != 0));
    assert_true(result == (good ? 1.0 / k + 10.0 * k : before));
  }
  assert_string_equal(error.text, "division by zero");
  values[TRY_S] = 0.0;
  assert_false(ts_expression_evaluate(expression, values, &result, NULL));
  assert_int_equal(ts_arena_in_use(&arena), used);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_does_not_matter_is_not_evaluated),
      cmocka_unit_test(what_matters_is),
      cmocka_unit_test(results_that_are_no_numbers_are_named),
      cmocka_unit_test(small_results_are_numbers),
      cmocka_unit_test(remainders_have_the_sign_of_the_divisor),
      cmocka_unit_test(what_is_not_finite_is_passed_on),
      cmocka_unit_test(undefined_values_compare_as_unequal_and_are_true),
      cmocka_unit_test(evaluations_do_not_know_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
