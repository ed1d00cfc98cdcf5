#include "expression_try.h"

#include <stdio.h>
#include <string.h>

const char *const try_names[] = {"a", "b", "c", "zero", "r", "nan", "inf", "ball.vx", "big", "minus", "s", "t", NULL};

static int find(const void *user, const char *name)
{
  (void)user;
  for (int i = 0; try_names[i]; ++i)
    if (strcmp(try_names[i], name) == 0) return i;
  return -1;
}

static const char *name_at(const void *user, int i)
{
  (void)user;
  return try_names[i];
}

ts_expression_names try_table(void)
{
  return (ts_expression_names){NULL, find, name_at};
}

void try_fill(double values[static TRY_COUNT])
{
  const double fixed[] = {2.0, 3.0, 5.0, 0.0, 0.25, (double)NAN, (double)INFINITY, 7.0, 1e308, -1.0, 0.0, 0.0};
  memcpy(values, fixed, sizeof fixed);
}

// Compile and evaluate: 0 when it was refused, 1 when it failed, 2 for a value.
static int outcome(const char *text, double *value, ts_expression_error *error)
{
  const ts_expression_names names = try_table();
  double values[TRY_COUNT] = {0.0};
  try_fill(values);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  jmp_buf recovery;
  arena.recovery = &recovery;
  ts_expression *expression;
  int got = 0;
  memset(error, 0, sizeof *error);
  if (ts_expression_compile(text, &names, &arena, &expression, error))
    got = ts_expression_evaluate(expression, values, value, error) ? 2 : 1;
  else
    assert_null(expression);
  ts_arena_release(&arena);
  return got;
}

double try_value(const char *text)
{
  ts_expression_error error;
  double value = (double)NAN;
  if (outcome(text, &value, &error) != 2) fail_msg("'%s': %s (at %d)", text, error.text, error.offset);
  return value;
}

void try_is(const char *text, double expected)
{
  const double value = try_value(text);
  if (memcmp(&value, &expected, sizeof value) != 0 && !(isnan(value) && isnan(expected)))
    fail_msg("'%s' is %.17g, expected is %.17g", text, value, expected);
}

static void must_say(const char *text, int wanted, int offset, const char *sentence)
{
  ts_expression_error error;
  double value = 0.0;
  const int got = outcome(text, &value, &error);
  if (got != wanted) fail_msg("'%s' has the outcome %d with '%s', expected is %d", text, got, error.text, wanted);
  if (error.offset != offset || strcmp(error.text, sentence) != 0)
    fail_msg("'%s' says at %d: %s\nexpected is at %d: %s", text, error.offset, error.text, offset, sentence);
}

void try_refused(const char *text, int offset, const char *sentence)
{
  must_say(text, 0, offset, sentence);
}

void try_fails(const char *text, int offset, const char *sentence)
{
  must_say(text, 1, offset, sentence);
}
