// The functions and constants of expressions, a row each.
#ifndef TS_EXPRESSION_FUNCTION_H
#define TS_EXPRESSION_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ts_expression_function {
  const char *name, *usage, *help;
  int least, most; // arguments; 0 and 0: a constant, TS_ANY_ARGUMENTS: no limit
  double constant;
  bool chooses; // between its second and third argument: the compiler makes jumps of it
  // One of these for all others.
  double (*of_one)(double x);
  double (*of_two)(double x, double y);
  double (*of_many)(const double *x, int count);
  // What to say where finite arguments give a result that is not: it is infinite or NaN because the first one is 0, it
  // is NaN otherwise, it is infinite otherwise. NULL where that does not happen.
  const char *at_zero, *undefined, *too_large;
} ts_expression_function;

enum { TS_ANY_ARGUMENTS = 1000000 };

// The row of a name of `length` characters, or NULL.
const ts_expression_function *ts_expression_function_find(const char *name, size_t length);

// The i-th row, NULL after the last. Constants come behind the functions.
const ts_expression_function *ts_expression_function_row(int i);

#endif
