// libFuzzer target: any text as an expression. What is refused is so for a reason and at a place; what is compiled
// gives the same in parentheses, to the last bit, and refers to values that there are.
#include "expression/expression.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void demand(int condition)
{
  if (!condition) abort();
}

static const char *const names[] = {"t",   "r",   "ball.vx", "left finger.x@plate", "contacts(a, b*).fn",
                                    "nan", "big", NULL};
static const double values[] = {0.0, 0.25, -3.0, 7.5, 1e-300, (double)NAN, 1.7e308};

static int find(const void *user, const char *name)
{
  (void)user;
  demand(name[0] != '\0');
  for (int i = 0; names[i]; ++i)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

static const char *name_at(const void *user, int i)
{
  (void)user;
  return names[i];
}

static const ts_expression_names table = {NULL, find, name_at};

static void demand_sentence(const ts_expression_error *error, const char *text)
{
  demand(error->offset >= 0 && (size_t)error->offset <= strlen(text));
  demand(error->text[0] != '\0' && strlen(error->text) + 1 < sizeof error->text);
  for (const char *c = error->text; *c; ++c) demand((unsigned char)*c >= ' ' && *c != 0x7F);
  demand(!strstr(error->text, "(null)") || strstr(text, "(null)"));
}

static void demand_values(const ts_expression *expression)
{
  unsigned seen = 0;
  int value;
  for (int i = 0; (value = ts_expression_value_at(expression, i)) >= 0; ++i) {
    demand(value < (int)(sizeof values / sizeof *values) && !(seen >> value & 1u));
    seen |= 1u << value;
  }
}

// Parentheses may make it too long or too deep, and nothing else.
static void demand_same_in_parentheses(const char *text, size_t length, bool good, double result)
{
  char *enclosed = malloc(length + 3);
  enclosed[0] = '(';
  memcpy(enclosed + 1, text, length);
  memcpy(enclosed + 1 + length, ")", 2);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_expression *expression;
  ts_expression_error error = {0};
  double again = 0.0;
  if (ts_expression_compile(enclosed, &table, &arena, &expression, &error)) {
    demand(ts_expression_evaluate(expression, values, &again, &error) == good);
    demand(!good || memcmp(&again, &result, sizeof again) == 0 || (isnan(again) && isnan(result)));
  } else {
    demand(strstr(error.text, "nested more than") || strstr(error.text, "characters"));
  }
  ts_arena_release(&arena);
  free(enclosed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = calloc(size + 1, 1);
  if (size > 0) memcpy(text, data, size);
  const size_t length = strlen(text);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_expression *expression;
  ts_expression_error error = {0};
  if (ts_expression_compile(text, &table, &arena, &expression, &error)) {
    double result = 0.0;
    const bool good = ts_expression_evaluate(expression, values, &result, &error);
    if (!good) demand_sentence(&error, text);
    demand_values(expression);
    demand_same_in_parentheses(text, length, good, result);
  } else {
    demand(!expression);
    demand_sentence(&error, text);
  }
  ts_arena_release(&arena);
  free(text);
  return 0;
}
