#include "expression/function.h"

#include "base/random.h"
#include "expression/expression.h"
#include "touchstone/vector.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static double sign(double x)
{
  return isnan(x) ? x : (double)((x > 0.0) - (x < 0.0));
}

// fmin() and fmax() drop a NaN, which is to be passed on.
static double least_of(const double *x, int count)
{
  double least = x[0];
  for (int i = 1; i < count; ++i)
    if (x[i] < least || isnan(x[i])) least = x[i];
  return least;
}

static double greatest_of(const double *x, int count)
{
  double greatest = x[0];
  for (int i = 1; i < count; ++i)
    if (x[i] > greatest || isnan(x[i])) greatest = x[i];
  return greatest;
}

static double length_of(const double *x, int count)
{
  double length = hypot(x[0], x[1]);
  for (int i = 2; i < count; ++i) length = hypot(length, x[i]);
  return length;
}

static double clamp(const double *x, int count)
{
  (void)count;
  if (x[1] > x[2]) return NAN;
  const double raised[2] = {x[0], x[1]}, lowered[2] = {greatest_of(raised, 2), x[2]};
  return least_of(lowered, 2);
}

// The bits of the first argument seed a generator; its first number, XORed with the bits of the next argument, seeds it
// again, and so on. Seeding mixes by splitmix64, a bijection of 64 bits: other arguments have other seeds, and
// neighbours have nothing in common. -0 equals 0, so it counts as 0.
static double random_of(const double *x, int count)
{
  ts_random random = {{0}};
  uint64_t before = 0;
  for (int i = 0; i < count; ++i) {
    if (isnan(x[i])) return x[i];
    const double key = x[i] == 0.0 ? 0.0 : x[i];
    uint64_t bits;
    memcpy(&bits, &key, sizeof bits);
    ts_random_init(&random, before ^ bits);
    if (i + 1 < count) before = ts_random_bits(&random);
  }
  return ts_random_uniform(&random, 0.0, 1.0);
}

static const ts_expression_function rows[] = {
    {"sin", "sin(x)", "sine; angles are in radians", 1, 1, .of_one = sin},
    {"cos", "cos(x)", "cosine", 1, 1, .of_one = cos},
    {"tan", "tan(x)", "tangent", 1, 1, .of_one = tan},
    {"asin", "asin(x)", "arc sine of -1 to 1, in -pi/2 to pi/2", 1, 1, .of_one = asin,
     .undefined = "the arc sine of a number that is not in -1 to 1"},
    {"acos", "acos(x)", "arc cosine of -1 to 1, in 0 to pi", 1, 1, .of_one = acos,
     .undefined = "the arc cosine of a number that is not in -1 to 1"},
    {"atan", "atan(x)", "arc tangent, in -pi/2 to pi/2", 1, 1, .of_one = atan},
    {"atan2", "atan2(y, x)", "angle of the vector (x, y), in -pi to pi", 2, 2, .of_two = atan2},
    {"sqrt", "sqrt(x)", "square root", 1, 1, .of_one = sqrt, .undefined = "the square root of a negative number"},
    {"cbrt", "cbrt(x)", "cube root, of negative numbers too", 1, 1, .of_one = cbrt},
    {"hypot", "hypot(x, y, ...)", "length of a vector: the root of the sum of squares", 2, TS_ANY_ARGUMENTS,
     .of_many = length_of, .too_large = "the result of 'hypot' is too large"},
    {"exp", "exp(x)", "exponential", 1, 1, .of_one = exp, .too_large = "the exponential is too large"},
    {"log", "log(x)", "natural logarithm", 1, 1, .of_one = log, .at_zero = "the logarithm of zero",
     .undefined = "the logarithm of a negative number"},
    {"log10", "log10(x)", "logarithm to the base 10", 1, 1, .of_one = log10, .at_zero = "the logarithm of zero",
     .undefined = "the logarithm of a negative number"},
    {"pow", "pow(x, y)", "x to the power y, as x^y", 2, 2, .of_two = pow, .at_zero = "a negative power of zero",
     .undefined = "a power of a negative number that is not whole", .too_large = "the power is too large"},
    {"min", "min(a, b, ...)", "the least", 2, TS_ANY_ARGUMENTS, .of_many = least_of},
    {"max", "max(a, b, ...)", "the greatest", 2, TS_ANY_ARGUMENTS, .of_many = greatest_of},
    {"abs", "abs(x)", "magnitude", 1, 1, .of_one = fabs},
    {"sign", "sign(x)", "-1, 0 or 1", 1, 1, .of_one = sign},
    {"floor", "floor(x)", "the next whole number below or at x", 1, 1, .of_one = floor},
    {"ceil", "ceil(x)", "the next whole number above or at x", 1, 1, .of_one = ceil},
    {"round", "round(x)", "the nearest whole number; halves go away from zero", 1, 1, .of_one = round},
    {"clamp", "clamp(x, low, high)", "x, but at least low, and at most high", 3, 3, .of_many = clamp,
     .undefined = "the bounds of 'clamp' are the wrong way round"},
    {"if", "if(c, a, b)", "a where c is true (not 0), otherwise b; the other is not evaluated", 3, 3, .chooses = true},
    {"random", "random(k, ...)", "a number in [0, 1) that depends on its one to four arguments alone", 1, 4,
     .of_many = random_of},
    {"pi", "pi", "half a turn in radians", 0, 0, .constant = TS_PI},
    {"deg", "deg", "a degree in radians: 30*deg is an angle", 0, 0, .constant = TS_PI / 180.0},
};

const ts_expression_function *ts_expression_function_row(int i)
{
  return i >= 0 && i < (int)(sizeof rows / sizeof *rows) ? &rows[i] : NULL;
}

const ts_expression_function *ts_expression_function_find(const char *name, size_t length)
{
  const ts_expression_function *row;
  for (int i = 0; (row = ts_expression_function_row(i)) != NULL; ++i)
    if (strlen(row->name) == length && memcmp(row->name, name, length) == 0) return row;
  return NULL;
}

const char *ts_expression_function_at(int i, const char **help)
{
  const ts_expression_function *row = ts_expression_function_row(i);
  *help = row ? row->help : NULL;
  return row ? row->usage : NULL;
}
