// Arithmetic in text: "2*r + 0.01", "ball.z < 0.1 and t > 1". Compiled once against the names that there are, evaluated
// any number of times. Nothing in it can loop, and its size is bounded, so evaluating takes a bounded time and no
// memory. The language stands at the head of compile.c.
#ifndef TS_EXPRESSION_EXPRESSION_H
#define TS_EXPRESSION_EXPRESSION_H

#include "base/arena.h"

#include <stdbool.h>

enum {
  TS_EXPRESSION_LENGTH = 4096, // characters at most
  TS_EXPRESSION_DEPTH = 64,    // of nesting
  TS_EXPRESSION_TROUBLE = 240  // of a sentence
};

typedef struct ts_expression ts_expression; // constant once compiled; lies in the arena that it was compiled into

// The values that names stand for.
typedef struct ts_expression_names {
  const void *user;
  // Number of the value that a name stands for, or -1: there is none of that name. The name comes without the quotes
  // that parts of it may have stood in: 'left finger'.x is `left finger.x`. Words with parentheses come as one name,
  // `contacts(left finger, gear*).fn`, with one blank after commas and none at other edges; what is quoted inside the
  // parentheses keeps its quotes, for it may have commas of its own.
  int (*find)(const void *user, const char *name);
  // The i-th name, for suggestions; NULL after the last. NULL: suggest none.
  const char *(*name_at)(const void *user, int i);
} ts_expression_names;

// What is wrong with an expression, and where.
typedef struct ts_expression_error {
  int offset; // of the character that it is about, from 0; the text's length where something is missing at its end
  char text[TS_EXPRESSION_TROUBLE];
} ts_expression_error;

// False: `error` (may be NULL) has the sentence, and `*expression` is NULL. The text need not outlive the expression.
// `names` may be NULL: there are none.
bool ts_expression_compile(const char *text, const ts_expression_names *names, ts_arena *arena,
                           ts_expression **expression, ts_expression_error *error);

// `values` by the numbers that `find` gave. False where finite numbers give one that is not, as by a division by zero:
// `error` (may be NULL) says which operation. What is not finite among the values is passed on without a word;
// comparisons with NaN are false but for !=, and NaN counts as true, since it is not 0.
bool ts_expression_evaluate(const ts_expression *expression, const double *values, double *result,
                            ts_expression_error *error);

// The i-th value that the expression refers to, each once, in the order of its text; -1 after the last.
int ts_expression_value_at(const ts_expression *expression, int i);

// Whether a text (NULL: it is none) can be the name of one value: letters, digits and _, and no digit first. Functions
// and constants are such words, too.
bool ts_expression_is_word(const char *text);

// Whether a word has a meaning already, so that no value can be called by it: functions, constants, `and`, `or`, `not`,
// and `t`, which is the time wherever there is one.
bool ts_expression_is_taken(const char *word);

// The functions and constants that expressions know, for manuals: name with arguments ("atan2(y, x)"), and one line.
// NULL after the last.
const char *ts_expression_function_at(int i, const char **help);

#endif
