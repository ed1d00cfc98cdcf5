// Expressions made at random as trees: written out with few parentheses, compiled and evaluated, they give what a plain
// evaluation of the tree gives, to the last bit, and fail where it does.
#include "expression_try.h"

#include "base/random.h"

#include <stdio.h>
#include <string.h>

typedef enum kind {
  LITERAL,
  VALUE,
  CHOICE,
  OR,
  AND,
  NOT,
  LESS,
  AT_MOST,
  GREATER,
  AT_LEAST,
  EQUAL,
  UNEQUAL,
  SUM,
  DIFFERENCE,
  PRODUCT,
  QUOTIENT,
  REMAINDER,
  NEGATIVE,
  POSITIVE,
  POWER,
  FUNCTION,
  KINDS
} kind;

// As they are written, and how closely they bind: themselves, and what their operands must at least.
static const struct {
  const char *sign;
  int operands, level, left, right;
} kinds[KINDS] = {[LITERAL] = {"", 0, 9, 0, 0},    [VALUE] = {"", 0, 9, 0, 0},       [CHOICE] = {"?", 3, 0, 1, 0},
                  [OR] = {" or ", 2, 1, 1, 2},     [AND] = {" and ", 2, 2, 2, 3},    [NOT] = {"not ", 1, 3, 0, 3},
                  [LESS] = {"<", 2, 4, 5, 5},      [AT_MOST] = {"<=", 2, 4, 5, 5},   [GREATER] = {">", 2, 4, 5, 5},
                  [AT_LEAST] = {">=", 2, 4, 5, 5}, [EQUAL] = {"==", 2, 4, 5, 5},     [UNEQUAL] = {"!=", 2, 4, 5, 5},
                  [SUM] = {"+", 2, 5, 5, 6},       [DIFFERENCE] = {"-", 2, 5, 5, 6}, [PRODUCT] = {"*", 2, 6, 6, 7},
                  [QUOTIENT] = {"/", 2, 6, 6, 7},  [REMAINDER] = {"%", 2, 6, 6, 7},  [NEGATIVE] = {"-", 1, 7, 0, 7},
                  [POSITIVE] = {"+", 1, 7, 0, 7},  [POWER] = {"^", 2, 8, 9, 7},      [FUNCTION] = {"", 1, 9, 0, 0}};

static const struct {
  const char *name;
  int arguments;
} functions[] = {{"sin", 1},   {"cos", 1},   {"atan", 1}, {"sqrt", 1},  {"log", 1},   {"exp", 1},   {"abs", 1},
                 {"sign", 1},  {"floor", 1}, {"asin", 1}, {"atan2", 2}, {"pow", 2},   {"min", 3},   {"max", 3},
                 {"hypot", 3}, {"clamp", 3}, {"if", 3},   {"cbrt", 1},  {"round", 1}, {"log10", 1}, {"ceil", 1}};
enum { FUNCTIONS = sizeof functions / sizeof *functions, NODES = 400, DEPTH = 6 };

typedef struct node {
  kind kind;
  int function, value;
  double number;
  int operand[3];
} node;

typedef struct tree {
  node nodes[NODES];
  int count;
  ts_random random;
  char text[TS_EXPRESSION_LENGTH + 1];
  size_t length;
} tree;

static int operand_count(const node *n)
{
  return n->kind == FUNCTION ? functions[n->function].arguments : kinds[n->kind].operands;
}

static int grow(tree *t, int depth)
{
  const int index = t->count++;
  node n = {.kind = (kind)ts_random_below(&t->random, KINDS)};
  if (depth == 0 || t->count > NODES / 2) n.kind = ts_random_below(&t->random, 2) ? LITERAL : VALUE;
  n.function = ts_random_below(&t->random, FUNCTIONS);
  n.value = ts_random_below(&t->random, TRY_T + 1);
  n.number = ts_random_below(&t->random, 2) ? ts_random_below(&t->random, 4) : ts_random_uniform(&t->random, 0.0, 3.0);
  for (int i = 0; i < operand_count(&n); ++i) n.operand[i] = grow(t, depth - 1);
  t->nodes[index] = n;
  return index;
}

static void put(tree *t, const char *text)
{
  const size_t length = strlen(text);
  assert_true(t->length + length + 2 < sizeof t->text);
  memcpy(t->text + t->length, text, length + 1);
  t->length += length;
  if (length > 0 && ts_random_below(&t->random, 5) == 0) strcpy(t->text + t->length++, " ");
}

static void write_tree(tree *t, int index, int level);

static void write_leaf(tree *t, const node *n)
{
  char number[40];
  snprintf(number, sizeof number, "%.17g", n->number);
  put(t, n->kind == LITERAL ? number : try_names[n->value]);
}

static void write_function(tree *t, const node *n)
{
  put(t, functions[n->function].name);
  for (int i = 0; i < operand_count(n); ++i) {
    put(t, i == 0 ? "(" : ",");
    write_tree(t, n->operand[i], 0);
  }
  put(t, ")");
}

static void write_inside(tree *t, const node *n)
{
  const int operands = operand_count(n), left = kinds[n->kind].left, right = kinds[n->kind].right;
  if (n->kind == FUNCTION) {
    write_function(t, n);
    return;
  }
  if (operands == 0) write_leaf(t, n);
  if (operands > 1) write_tree(t, n->operand[0], left);
  put(t, kinds[n->kind].sign);
  if (operands > 0) write_tree(t, n->operand[operands > 1], right);
  if (operands < 3) return;
  put(t, ":");
  write_tree(t, n->operand[2], right);
}

static void write_tree(tree *t, int index, int level)
{
  const node *n = &t->nodes[index];
  const bool encloses = kinds[n->kind].level < level || ts_random_below(&t->random, 10) == 0;
  if (encloses) put(t, "(");
  write_inside(t, n);
  if (encloses) put(t, ")");
}

// The first of three that none is above, or with the sign -1 below.
static double first_extreme(const double *x, double sign)
{
  for (int i = 0; i < 2; ++i)
    if (!(sign * x[0] > sign * x[i]) && !(sign * x[1] > sign * x[i]) && !(sign * x[2] > sign * x[i])) return x[i];
  return x[2];
}

static double clamped(double x, double low, double high)
{
  if (low > high) return (double)NAN;
  if (x < low) return low;
  return x > high ? high : x;
}

static double function_of(int function, const double *x)
{
  static double (*const of_one[FUNCTIONS])(double) = {sin,  cos,   atan, sqrt, log,   exp,   fabs,
                                                      NULL, floor, asin, NULL, NULL,  NULL,  NULL,
                                                      NULL, NULL,  NULL, cbrt, round, log10, ceil};
  const char *name = functions[function].name;
  if (of_one[function]) return of_one[function](x[0]);
  if (strcmp(name, "sign") == 0) return x[0] > 0.0 ? 1.0 : x[0] < 0.0 ? -1.0 : x[0] == 0.0 ? 0.0 : x[0];
  if (strcmp(name, "atan2") == 0) return atan2(x[0], x[1]);
  if (strcmp(name, "pow") == 0) return pow(x[0], x[1]);
  if (strcmp(name, "hypot") == 0) return hypot(hypot(x[0], x[1]), x[2]);
  if (isnan(x[0]) || isnan(x[1]) || isnan(x[2])) return (double)NAN;
  if (strcmp(name, "clamp") == 0) return clamped(x[0], x[1], x[2]);
  return first_extreme(x, strcmp(name, "min") == 0 ? -1.0 : 1.0);
}

// By the remainder that lies nearest to 0.
static double floored_remainder(double x, double y)
{
  const double rest = remainder(x, y);
  const double moved = rest != 0.0 && (rest < 0.0) != (y < 0.0) ? rest + y : rest + 0.0;
  return moved == y ? 0.0 : moved;
}

static double operation_of(kind of, const double *x)
{
  switch (of) {
  case NOT:
    return !(x[0] != 0.0);
  case LESS:
    return x[1] > x[0];
  case AT_MOST:
    return x[1] >= x[0];
  case GREATER:
    return x[1] < x[0];
  case AT_LEAST:
    return x[1] <= x[0];
  case EQUAL:
    return x[0] == x[1];
  case UNEQUAL:
    return !(x[0] == x[1]);
  case SUM:
    return x[0] + x[1];
  case DIFFERENCE:
    return x[0] - x[1];
  case PRODUCT:
    return x[0] * x[1];
  case QUOTIENT:
    return x[0] / x[1];
  case REMAINDER:
    return floored_remainder(x[0], x[1]);
  case NEGATIVE:
    return -x[0];
  case POWER:
    return pow(x[0], x[1]);
  default:
    return x[0];
  }
}

static bool is_choice(const node *n)
{
  return n->kind == CHOICE || (n->kind == FUNCTION && strcmp(functions[n->function].name, "if") == 0);
}

// False where finite numbers give one that is not.
static bool evaluate(const tree *t, int index, const double *values, double *result)
{
  const node *n = &t->nodes[index];
  double x[3] = {0.0, 0.0, 0.0};
  if (operand_count(n) == 0) {
    *result = n->kind == LITERAL ? n->number : values[n->value];
    return true;
  }
  if (!evaluate(t, n->operand[0], values, &x[0])) return false;
  if (is_choice(n)) return evaluate(t, n->operand[x[0] != 0.0 ? 1 : 2], values, result);
  if (n->kind == AND || n->kind == OR) {
    *result = x[0] != 0.0;
    if ((x[0] != 0.0) == (n->kind == OR)) return true;
    if (!evaluate(t, n->operand[1], values, &x[1])) return false;
    *result = x[1] != 0.0;
    return true;
  }
  for (int i = 1; i < operand_count(n); ++i)
    if (!evaluate(t, n->operand[i], values, &x[i])) return false;
  *result = n->kind == FUNCTION ? function_of(n->function, x) : operation_of(n->kind, x);
  return isfinite(*result) || !isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]);
}

static void expressions_give_what_their_trees_give(void **state)
{
  (void)state;
  static tree t;
  ts_random_init(&t.random, 20);
  const ts_expression_names names = try_table();
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  int good = 0, failed = 0;
  for (int k = 0; k < 20000; ++k) {
    t.count = 0;
    t.length = 0;
    const int root = grow(&t, 1 + k % DEPTH);
    write_tree(&t, root, 0);
    double values[TRY_COUNT] = {0.0}, expected, result;
    try_fill(values);
    values[TRY_S] = ts_random_normal(&t.random);
    values[TRY_T] = ts_random_uniform(&t.random, 0.0, 1.0);
    ts_expression *expression;
    ts_expression_error error;
    const ts_arena_mark mark = ts_arena_save(&arena);
    if (!ts_expression_compile(t.text, &names, &arena, &expression, &error)) fail_msg("%s: %s", t.text, error.text);
    const bool wanted = evaluate(&t, root, values, &expected);
    if (ts_expression_evaluate(expression, values, &result, &error) != wanted) fail_msg("%s: %s", t.text, error.text);
    ts_arena_restore(&arena, mark);
    ++*(wanted ? &good : &failed);
    if (wanted && memcmp(&result, &expected, sizeof result) != 0 && !(isnan(result) && isnan(expected)))
      fail_msg("%s is %.17g, expected is %.17g", t.text, result, expected);
  }
  ts_arena_release(&arena);
  assert_true(good > 10000 && failed > 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(expressions_give_what_their_trees_give)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
