// Expressions over a few values, for tests.
#ifndef TS_SUPPORT_EXPRESSION_TRY_H
#define TS_SUPPORT_EXPRESSION_TRY_H

#include "expression/expression.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

// a = 2, b = 3, c = 5, zero = 0, r = 0.25, nan, inf, ball.vx = 7, big = 1e308, plus the forms that names may have, and
// two numbers that others may set, s and t.
enum { TRY_S = 10, TRY_T = 11, TRY_COUNT = 30 };
extern const char *const try_names[];
void try_fill(double values[static TRY_COUNT]);
ts_expression_names try_table(void);

double try_value(const char *text);                                   // what it is; it must be something
void try_is(const char *text, double expected);                       // the same bits
void try_refused(const char *text, int offset, const char *sentence); // when compiled
void try_fails(const char *text, int offset, const char *sentence);   // when evaluated

#endif
